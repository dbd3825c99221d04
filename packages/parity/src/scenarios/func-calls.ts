import { scenario } from "../scenario.ts";
import { adding, streams } from "./func-kit.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

export const calling = [
  scenario("an entrypoint without tasks: output, state, history and what is saved", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (input: number) => ({
      doubled: input * 2,
    }));
    await t.invoke(workflow, 2, thread("1"));
    await t.state(workflow, thread("1"));
    await t.history(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("tasks one after the other: results are saved under the ids of their calls", async (lg, t) => {
    const { workflow, saver } = adding(lg, t);
    await t.invoke(workflow, 1, thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
    await t.invoke(workflow, 5, thread("1"));
    await t.history(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("parallel tasks: results in call order, whichever finishes first", async (lg, t) => {
    const saver = t.saver();
    const wait = lg.task("wait", async (milliseconds: number) => {
      await late(milliseconds);
      return milliseconds;
    });
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (times: number[]) =>
      Promise.all(times.map((time) => wait(time))),
    );
    await t.invoke(workflow, [15, 1, 8], thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a task with several arguments, none, and a plain function", async (lg, t) => {
    const join = lg.task("join", (...parts: string[]) => parts.join("-"));
    const none = lg.task("none", () => "nothing");
    const workflow = lg.entrypoint("workflow", async () => [await join("a", "b", "c"), await none()]);
    await t.invoke(workflow, "go");
    await streams(t, workflow, "go", {});
  }),

  scenario("tasks that call tasks", async (lg, t) => {
    const saver = t.saver();
    const inner = lg.task("inner", async (n: number) => n + 1);
    const outer = lg.task("outer", async (n: number) => (await inner(n)) * (await inner(n + 1)));
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) => [
      await outer(n),
      await inner(n),
    ]);
    await streams(t, workflow, 1, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a task called by a node of a graph", async (lg, t) => {
    const saver = t.saver();
    const shout = lg.task("shout", async (text: string) => text.toUpperCase());
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async () => ({ trail: [await shout("one"), await shout("two")] }))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.stream(graph, {}, { ...thread("1"), streamMode: ["updates", "values"] });
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("tasks called by nodes that were sent there", async (lg, t) => {
    const saver = t.saver();
    const shout = lg.task("shout", async (text: string) => text.toUpperCase());
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("each", async (state: { last: string }) => ({ trail: [await shout(state.last)] }))
      .addConditionalEdges(lg.START, () => ["x", "y"].map((last) => new lg.Send("each", { last })), ["each"])
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a task that is not awaited: the workflow ends when it does", async (lg, t) => {
    const saver = t.saver();
    const done: string[] = [];
    const slow = lg.task("slow", async () => {
      await late(10);
      done.push("slow");
    });
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => {
      void slow();
      return "returned";
    });
    await t.invoke(workflow, "go", thread("1"));
    t.note("done", done);
    await t.saved(saver, "1");
  }),

  scenario("a task calls a graph; its state is nested in the task's namespace", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inside", leaves("inside"))
      .addEdge(lg.START, "inside")
      .compile();
    const run = lg.task("run", async (name: string) => graph.invoke({ trail: [name] }));
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (names: string[]) => {
      const results = [];
      for (const name of names) results.push((await run(name)).trail);
      return results;
    });
    await t.invoke(workflow, ["a", "b"], thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an entrypoint calls an entrypoint", async (lg, t) => {
    const saver = t.saver();
    const add = lg.task("add", async (n: number) => n + 1);
    const inner = lg.entrypoint("inner", async (n: number) => (await add(n)) * 10);
    const outer = lg.entrypoint({ name: "outer", checkpointer: saver }, async (n: number) => {
      const first = await inner.invoke(n);
      return [first, await inner.invoke(first)];
    });
    await t.invoke(outer, 1, thread("1"));
    await t.saved(saver, "1");
    await t.stream(outer, 2, { ...thread("2"), streamMode: "updates", subgraphs: true });
  }),

  scenario("an entrypoint is a node of a graph", async (lg, t) => {
    const saver = t.saver();
    const add = lg.task("add", async (n: number) => n + 1);
    const inner = lg.entrypoint("inner", async (state: { total: number }) => ({
      total: await add(state.total),
    }));
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("call", inner)
      .addEdge(lg.START, "call")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { total: 2 }, thread("1"));
    await t.saved(saver, "1");
  }),
];

export const streaming = [
  scenario("every stream mode of an entrypoint with tasks", async (lg, t) => {
    const { workflow } = adding(lg, t);
    for (const streamMode of ["updates", "values", "checkpoints", "custom", "messages"]) {
      await t.stream(workflow, 1, { ...thread(streamMode), streamMode });
    }
    await t.stream(workflow, 1, thread("default"));
    await streams(t, workflow, 1, thread("several"), ["updates", "values", "tasks", "checkpoints"]);
  }),

  scenario("invoke with a stream mode, and with keys of the state", async (lg, t) => {
    const { workflow } = adding(lg, t);
    for (const streamMode of ["updates", "values"]) {
      await t.invoke(workflow, 1, { ...thread(streamMode), streamMode });
    }
    await t.invoke(workflow, 1, { ...thread("keys"), outputKeys: ["__end__", "__previous__"] });
  }),

  scenario("custom chunks of an entrypoint and of its tasks, in order", async (lg, t) => {
    const say = lg.task("say", async (text: string) => {
      lg.getWriter()?.(`task: ${text}`);
      return text;
    });
    const workflow = lg.entrypoint("workflow", async (text: string, config) => {
      config.writer?.("before");
      await say(text);
      config.writer?.("after");
      return text;
    });
    await streams(t, workflow, "hello", {}, ["custom", "updates"]);
  }),

  scenario("custom chunks of tasks that tasks call stand at who called them", async (lg, t) => {
    const say = lg.task("say", async (text: string) => {
      lg.getWriter()?.(text);
      return text;
    });
    const outer = lg.task("outer", async (text: string) => {
      lg.getConfig().writer?.("outer");
      return say(text);
    });
    const modes = { streamMode: "custom", subgraphs: true };
    await t.stream(lg.entrypoint("workflow", outer), "deep", modes);
    const node = new lg.StateGraph(trailState(lg))
      .addNode("n", async (_state, { writer }) => {
        writer?.("before");
        return { trail: [await outer("in a node")] };
      })
      .addEdge(lg.START, "n")
      .compile();
    await t.stream(
      new lg.StateGraph(trailState(lg)).addNode("g", node).addEdge(lg.START, "g").compile(),
      {},
      modes,
    );
  }),
];
