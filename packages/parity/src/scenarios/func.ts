import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Invocable, Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

/**
 * Chunks of a run by mode, and of tasks their beginnings apart from their ends: LangGraph may tell
 * the end of a call after its caller has begun the next one.
 */
async function streams(
  t: Recorder,
  graph: Invocable,
  input: unknown,
  config: object,
  modes: readonly string[] = ["updates", "values", "tasks"],
): Promise<void> {
  const seen: Record<string, unknown[]> = {};
  for await (const element of await graph.stream(input, { ...config, streamMode: [...modes] })) {
    const [mode, chunk] = element as [string, object];
    const part = mode === "tasks" ? ("result" in chunk ? "tasks that ended" : "tasks that began") : mode;
    (seen[part] ??= []).push(chunk);
  }
  t.note("stream", seen);
}

/** A workflow that adds, with tasks. */
function adding(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const add = lg.task("add", async (a: number, b: number) => a + b);
  const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (start: number) => {
    const one = await add(start, 1);
    return { one, two: await add(one, 1) };
  });
  return { workflow, saver };
}

/** A workflow that works, asks in a task and goes on. */
function asking(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const runs: string[] = [];
  const work = lg.task("work", async (what: string) => {
    runs.push(what);
    return `${what} done`;
  });
  const ask = lg.task("ask", async (question: string) => {
    runs.push(question);
    return lg.interrupt<string, string>(question);
  });
  const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (what: string) => {
    const worked = await work(what);
    return [worked, await ask("go on?"), await work("rest")];
  });
  return { workflow, saver, runs };
}

const calling = [
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

const streaming = [
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
];

const memory = [
  scenario("getPreviousState is what the last run returned", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (text: string) =>
      [lg.getPreviousState<string | undefined>() ?? "-", text].join(" "),
    );
    await t.invoke(workflow, "a", thread("1"));
    await t.invoke(workflow, "b", thread("1"));
    await t.invoke(workflow, "c", thread("2"));
    await t.saved(saver, "1");
  }),

  scenario("without a checkpointer there is no previous state", async (lg, t) => {
    const workflow = lg.entrypoint("workflow", async (text: string) => [
      lg.getPreviousState() === undefined,
      text,
    ]);
    await t.invoke(workflow, "a");
    await t.invoke(workflow, "b");
  }),

  scenario("entrypoint.final returns one value and saves another", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) =>
      lg.entrypoint.final({ value: lg.getPreviousState<number | undefined>() ?? 0, save: n * 2 }),
    );
    await streams(t, workflow, 3, thread("1"));
    await t.invoke(workflow, 1, thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("entrypoint.final with one part only", async (lg, t) => {
    const saver = t.saver();
    const onlyValue = lg.entrypoint({ name: "value", checkpointer: saver }, async () =>
      lg.entrypoint.final({ value: [lg.getPreviousState() ?? null] }),
    );
    const onlySave = lg.entrypoint({ name: "save", checkpointer: saver }, async () =>
      lg.entrypoint.final({ save: [lg.getPreviousState() ?? null] }),
    );
    for (const [name, workflow] of [
      ["value", onlyValue],
      ["save", onlySave],
    ] as const) {
      await t.invoke(workflow, 1, thread(name));
      await t.invoke(workflow, 2, thread(name));
      await t.saved(saver, name);
    }
  }),

  scenario("a task sees the previous state, too", async (lg, t) => {
    const saver = t.saver();
    const look = lg.task("look", async () => lg.getPreviousState<number | undefined>() ?? "none");
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) =>
      lg.entrypoint.final({ value: await look(), save: n }),
    );
    await t.invoke(workflow, 1, thread("1"));
    await t.invoke(workflow, 2, thread("1"));
  }),

  scenario("inputs and outputs of every plain type", async (lg, t) => {
    const saver = t.saver();
    const echo = lg.entrypoint({ name: "echo", checkpointer: saver }, async (input: unknown) => input);
    for (const [index, input] of [0, false, "", "text", [1, 2], { a: null }].entries()) {
      await t.invoke(echo, input, thread(`${index}`));
      await t.state(echo, thread(`${index}`));
    }
  }),

  scenario("an entrypoint that returns null or nothing", async (lg, t) => {
    const saver = t.saver();
    const nothing = lg.entrypoint({ name: "nothing", checkpointer: saver }, async () => undefined);
    const empty = lg.entrypoint({ name: "empty", checkpointer: saver }, async () => null);
    await t.stream(nothing, 1, { ...thread("1"), streamMode: ["updates", "values"] });
    await t.state(nothing, thread("1"));
    await t.stream(empty, 1, { ...thread("2"), streamMode: ["updates", "values"] });
    await t.state(empty, thread("2"));
    await t.saved(saver, "2");
  }),

  scenario("updateState of an entrypoint sets what it returned, and its next run sees it", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (text: string) => [
      lg.getPreviousState() ?? null,
      text,
    ]);
    await t.invoke(workflow, "a", thread("1"));
    await workflow.updateState(thread("1"), "set by hand");
    await t.state(workflow, thread("1"));
    await t.invoke(workflow, "b", thread("1"));
    await workflow.updateState(thread("1"), "again", "workflow");
    await t.saved(saver, "1");
  }),

  scenario("the state of a thread that has not begun", async (lg, t) => {
    const { workflow } = adding(lg, t);
    const { next, tasks } = await workflow.getState(thread("unknown"));
    t.note("unknown", { next, tasks });
    await t.history(workflow, thread("unknown"));
  }),
];

const context = [
  scenario("store, context and configurable reach entrypoint and tasks", async (lg, t) => {
    const store = new lg.InMemoryStore();
    const remember = lg.task("remember", async (key: string) => {
      const config = lg.getConfig();
      await lg.getStore()?.put(["notes"], key, { by: config?.configurable?.["user"] });
      return config?.configurable?.["user"];
    });
    const workflow = lg.entrypoint({ name: "workflow", store }, async (key: string, config) => {
      const user = await remember(key);
      return { user, context: config.context, note: (await config.store?.get(["notes"], key))?.value };
    });
    await t.invoke(workflow, "k", { configurable: { user: "ada" }, context: { language: "en" } });
  }),

  scenario("the metadata and execution info that a task finds", async (lg, t) => {
    const saver = t.saver();
    const look = lg.task("look", async () => {
      const { metadata, executionInfo, configurable } = lg.getConfig() ?? {};
      const { nodeFirstAttemptTime: _time, ...info } = (executionInfo ?? {}) as unknown as Record<
        string,
        unknown
      >;
      return { metadata, info, namespace: configurable?.["checkpoint_ns"], input: lg.getCurrentTaskInput() };
    });
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => look());
    await t.invoke(workflow, "go", thread("1"));
  }),

  scenario("withConfig gives an entrypoint defaults", async (lg, t) => {
    const workflow = lg
      .entrypoint("workflow", async (_input: string, config) => [config.tags, config.configurable?.["user"]])
      .withConfig({ tags: ["x"], configurable: { user: "ada" } });
    await t.invoke(workflow, "go");
  }),
];

const stops = [
  scenario(
    "an interrupt in an entrypoint: seen, resumed, tasks before it are not run again",
    async (lg, t) => {
      const saver = t.saver();
      let runs = 0;
      const work = lg.task("work", async () => {
        runs += 1;
        return runs;
      });
      const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (text: string) => {
        const worked = await work();
        const answer = lg.interrupt<unknown, string>({ question: "go on?", worked });
        return { text, worked, answer };
      });
      await streams(t, workflow, "in", thread("1"));
      await t.state(workflow, thread("1"));
      await t.saved(saver, "1");
      await streams(t, workflow, new lg.Command({ resume: "yes" }), thread("1"));
      t.note("runs", runs);
      await t.saved(saver, "1");
    },
  ),

  scenario("an interrupt in a task: both the task and its caller wait", async (lg, t) => {
    const { workflow, saver, runs } = asking(lg, t);
    await t.invoke(workflow, "first", thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
    await t.invoke(workflow, new lg.Command({ resume: "yes" }), thread("1"));
    t.note("runs", runs);
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a task's interrupt answered by its id", async (lg, t) => {
    const { workflow, saver } = asking(lg, t);
    const { __interrupt__: waits } = (await t.invoke(workflow, "first", thread("1"))) as {
      __interrupt__: { id: string }[];
    };
    const id = String(waits[0]?.id);
    await t.invoke(workflow, new lg.Command({ resume: { [id]: "by id" } }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updates and values of an interrupted and a resumed task", async (lg, t) => {
    const { workflow } = asking(lg, t);
    await streams(t, workflow, "first", thread("1"));
    await streams(t, workflow, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("several questions in one entrypoint, one after the other", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (names: string[]) => {
      const answers: string[] = [];
      for (const name of names) answers.push(lg.interrupt<string, string>(name));
      return answers;
    });
    await t.invoke(workflow, ["a", "b"], thread("1"));
    await t.invoke(workflow, new lg.Command({ resume: "1" }), thread("1"));
    await t.saved(saver, "1");
    await t.invoke(workflow, new lg.Command({ resume: "2" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("several questions in several calls of one task", async (lg, t) => {
    const saver = t.saver();
    const ask = lg.task("ask", async (question: string) => lg.interrupt<string, string>(question));
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (names: string[]) => {
      const answers: string[] = [];
      for (const name of names) answers.push(await ask(name));
      return answers;
    });
    await t.invoke(workflow, ["a", "b"], thread("1"));
    await t.state(workflow, thread("1"));
    const second = await workflow.getState(thread("1"));
    await t.invoke(workflow, new lg.Command({ resume: { [idOf(second)]: "1" } }), thread("1"));
    await t.saved(saver, "1");
    const third = await workflow.getState(thread("1"));
    await t.invoke(workflow, new lg.Command({ resume: { [idOf(third)]: "2" } }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupted thread that gets a new input starts over", async (lg, t) => {
    const { workflow, saver } = asking(lg, t);
    await t.invoke(workflow, "first", thread("1"));
    await t.invoke(workflow, "second", thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("breakpoints before and after an entrypoint", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) => ({
      n: n + 1,
    }));
    await t.invoke(workflow, 1, { ...thread("1"), interruptBefore: ["workflow"] });
    await t.state(workflow, thread("1"));
    await t.invoke(workflow, null, thread("1"));
    await t.invoke(workflow, 1, { ...thread("2"), interruptAfter: "*" });
    await t.state(workflow, thread("2"));
    await t.saved(saver, "2");
  }),

  scenario("going back to the checkpoint before a run and running it again", async (lg, t) => {
    const { workflow, saver } = adding(lg, t);
    await t.invoke(workflow, 1, thread("1"));
    const [, before] = await t.history(workflow, thread("1"));
    await t.invoke(workflow, null, before?.config);
    await t.saved(saver, "1");
  }),
];

function idOf(state: unknown): string {
  const { tasks } = state as { tasks: readonly { interrupts: readonly { id?: string }[] }[] };
  return String(tasks[0]?.interrupts[0]?.id);
}

const generator = function* () {
  yield 1;
};

const failing = [
  scenario("a task that fails fails its caller and the run", async (lg, t) => {
    const bad = lg.task("bad", async () => {
      throw new Error("user: bad");
    });
    const workflow = lg.entrypoint("workflow", async () => {
      await bad();
      return "never";
    });
    await t.fails(() => workflow.invoke("go"));
    await t.streamFails(workflow, "go", { streamMode: ["updates", "values"] });
  }),

  scenario("an entrypoint that fails; finished tasks are not run again when it is retried", async (lg, t) => {
    const saver = t.saver();
    let runs = 0;
    let fails = true;
    const work = lg.task("work", async () => ++runs);
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => {
      const worked = await work();
      if (fails) throw new TypeError("user: not yet");
      return worked;
    });
    await t.fails(() => workflow.invoke("go", thread("1")));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
    fails = false;
    await t.invoke(workflow, null, thread("1"));
    t.note("runs", runs);
    await t.saved(saver, "1");
  }),

  scenario("a task's retry policy", async (lg, t) => {
    const saver = t.saver();
    let attempts = 0;
    const flaky = lg.task(
      { name: "flaky", retry: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
      async () => {
        attempts += 1;
        if (attempts < 3) throw new Error("user: flaky");
        return attempts;
      },
    );
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => flaky());
    await t.invoke(workflow, "go", thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("cached results of a task are used by later calls with equal arguments", async (lg, t) => {
    const cache = new InMemoryCache();
    const saver = t.saver();
    let runs = 0;
    const work = lg.task({ name: "work", cachePolicy: { ttl: 60 } }, async (n: number) => {
      runs += 1;
      return n * 2;
    });
    const workflow = lg.entrypoint(
      { name: "workflow", checkpointer: saver, cache },
      async (numbers: number[]) => {
        const doubled: number[] = [];
        for (const n of numbers) doubled.push(await work(n));
        return doubled;
      },
    );
    await streams(t, workflow, [1, 2, 1], thread("1"));
    await streams(t, workflow, [2, 3], thread("2"));
    t.note("runs", runs);
    await t.saved(saver, "2");
  }),

  scenario("a task's timeout, and an entrypoint's", async (lg, t) => {
    const slow = lg.task({ name: "slow", timeout: 10 }, async () => late(500));
    const waits = lg.entrypoint("waits", async () => slow());
    const limited = lg.entrypoint({ name: "limited", timeout: { runTimeout: 10 } }, async () => late(500));
    await t.fails(() => waits.invoke("go"));
    await t.fails(() => limited.invoke("go"));
  }),

  scenario("wrong calls: no input, no thread, generators, an outside call", async (lg, t) => {
    const { workflow } = adding(lg, t);
    await t.fails(() => workflow.invoke(undefined as never, thread("1")));
    await t.fails(() => workflow.invoke(1));
    await t.fails(() => lg.task("generator", generator as never));
    await t.fails(() => lg.entrypoint("generator", generator as never));
  }),
];

export const func = [...calling, ...streaming, ...memory, ...context, ...stops, ...failing];
