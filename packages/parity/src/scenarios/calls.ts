import { RunnableLambda } from "@langchain/core/runnables";
import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

export const calls = [
  scenario("a store given to compile reaches nodes by argument and by getStore", async (lg, t) => {
    const store = new lg.InMemoryStore();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("write", async (_state, runtime) => {
        await runtime.store?.put(["notes"], "1", { text: "kept" });
        return {};
      })
      .addNode("read", async () => ({
        last: String((await lg.getStore()?.get(["notes"], "1"))?.value["text"]),
      }))
      .addEdge(lg.START, "write")
      .addEdge("write", "read")
      .compile({ store });
    await t.invoke(graph, {});
  }),

  scenario("a store reaches subgraphs", async (lg, t) => {
    const store = new lg.InMemoryStore();
    await store.put(["notes"], "1", { text: "from above" });
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("read", async (_state, runtime) => ({
        last: String((await runtime.store?.get(["notes"], "1"))?.value["text"]),
      }))
      .addEdge(lg.START, "read")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addEdge(lg.START, "sub")
      .compile({ store });
    await t.invoke(graph, {});
  }),

  scenario("context reaches nodes, conditions and subgraphs", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("in", (_state, runtime) => ({
        last: `${(runtime.context as { user?: string })?.user} inside`,
      }))
      .addEdge(lg.START, "in")
      .compile();
    const graph = new lg.StateGraph(trailState(lg), lg.Annotation.Root({ user: lg.Annotation<string>() }))
      .addNode("a", (_state, runtime) => ({ trail: [String(runtime.context?.user)] }))
      .addNode("sub", inner)
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", (_state, runtime) => (runtime.context?.user === "ada" ? "sub" : lg.END), [
        "sub",
        lg.END,
      ])
      .compile();
    await t.invoke(graph, {}, { context: { user: "ada" } });
    await t.invoke(graph, {}, { context: { user: "bob" } });
  }),

  scenario("withConfig twice: configs are merged, the call's own comes last", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, { configurable }) => ({
        last: JSON.stringify([configurable?.["x"], configurable?.["y"]]),
      }))
      .addEdge(lg.START, "a")
      .compile()
      .withConfig({ configurable: { x: 1, y: 1 } })
      .withConfig({ configurable: { y: 2 } });
    await t.invoke(graph, {});
    await t.invoke(graph, {}, { configurable: { x: 9 } });
  }),

  scenario("withConfig binds a recursion limit", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("again", leaves("again"))
      .addEdge(lg.START, "again")
      .addEdge("again", "again")
      .compile()
      .withConfig({ recursionLimit: 3 });
    await t.fails(() => graph.invoke({}));
  }),

  scenario("batch with a failure among its inputs", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (state) => {
        if (state.last === "bad") throw new Error("user: bad");
        return { trail: [state.last] };
      })
      .addEdge(lg.START, "a")
      .compile();
    t.note("batch", await graph.batch([{ last: "1" }, { last: "2" }], { maxConcurrency: 1 }));
    await t.fails(() => graph.batch([{ last: "1" }, { last: "bad" }]));
    const settled = await graph.batch([{ last: "1" }, { last: "bad" }], undefined, {
      returnExceptions: true,
    });
    t.note("settled", settled);
  }),

  scenario("a graph in a sequence of runnables", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    const chain = RunnableLambda.from((text: string) => ({ trail: [text] }))
      .pipe(graph as never)
      .pipe(RunnableLambda.from((state: { trail: string[] }) => state.trail.join("+")) as never);
    t.note("piped", await chain.invoke("in"));
  }),

  scenario("several threads at once do not see each other", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async (state) => {
        await late(3);
        return { trail: [`${state.last} a`] };
      })
      .addNode("b", (state) => ({ trail: [`${state.last} b`] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    const ids = ["1", "2", "3"];
    await Promise.all(ids.map((id) => graph.invoke({ last: id }, thread(id))));
    for (const id of ids) await t.state(graph, thread(id));
  }),

  scenario("getCurrentTaskInput and getConfig inside a node", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async () => {
        await Promise.resolve();
        t.note("input", lg.getCurrentTaskInput());
        t.note("thread", lg.getConfig().configurable?.["thread_id"]);
        return {};
      })
      .addNode("work", () => {
        t.note("sent", lg.getCurrentTaskInput());
        return {};
      })
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", () => new lg.Send("work", { item: 1 }), ["work"])
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
  }),

  scenario("what executionInfo says of a first attempt and of a second", async (lg, t) => {
    let failures = 1;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "a",
        (_state, { executionInfo }) => {
          t.note("attempt", [executionInfo?.nodeAttempt, executionInfo?.threadId]);
          failures -= 1;
          if (failures >= 0) throw new Error("user: flaky");
          return {};
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
      )
      .addEdge(lg.START, "a")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
  }),

  scenario("durability exit: an interrupted run is saved, and goes on", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "ask")
      .addEdge("ask", "b")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, { ...thread("1"), durability: "exit" });
    await t.saved(saver, "1");
    await t.invoke(graph, new lg.Command({ resume: "yes" }), { ...thread("1"), durability: "exit" });
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("durability exit: a failed run is saved as far as it came", async (lg, t) => {
    const saver = t.saver();
    let broken = true;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", () => {
        if (broken) throw new Error("user: broken");
        return { trail: ["b"] };
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, { ...thread("1"), durability: "exit" }));
    await t.saved(saver, "1");
    broken = false;
    await t.invoke(graph, null, { ...thread("1"), durability: "exit" });
    await t.saved(saver, "1");
  }),

  scenario("durability exit with a subgraph", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("in", () => ({ last: "in" }))
      .addNode("ask", () => ({ last: String(lg.interrupt("?")) }))
      .addEdge(lg.START, "in")
      .addEdge("in", "ask")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addEdge(lg.START, "sub")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, { ...thread("1"), durability: "exit" });
    await t.saved(saver, "1");
    await t.invoke(graph, new lg.Command({ resume: "yes" }), { ...thread("1"), durability: "exit" });
    await t.saved(saver, "1");
  }),

  scenario("a run that is drained stops after its step, and the thread goes on", async (lg, t) => {
    const saver = t.saver();
    const control = new lg.RunControl();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        control.requestDrain("deploy");
        return { trail: ["a"] };
      })
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, { ...thread("1"), control }));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a checkpointer and a store that are set after compiling", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async (_state, runtime) => {
        await runtime.store?.put(["notes"], "1", { text: "kept" });
        return { trail: ["a"] };
      })
      .addEdge(lg.START, "a")
      .compile();
    const store = new lg.InMemoryStore();
    graph.checkpointer = t.saver();
    graph.store = store;
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, {}, thread("1"));
    t.note("stored", (await store.get(["notes"], "1"))?.value);
    t.note("same", graph.store === store);
  }),

  scenario("inputKeys of a call choose what comes in", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { last: "in", total: 5 }, { inputKeys: ["last"] as never });
  }),

  scenario("a Command as input that goes to END, or updates what there is not, goes on", async (lg, t) => {
    const commands = [{ goto: lg.END }, { update: { unknown: 1 } }, { update: [["unknown", 1]] }];
    for (const [at, params] of commands.entries()) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: t.saver(), interruptBefore: ["b"] });
      const command = (): never => new lg.Command(params as never) as never;
      await t.steps(graph, command(), thread(`new ${at}`));
      await graph.invoke({}, thread(`waits ${at}`));
      await t.steps(graph, command(), thread(`waits ${at}`));
      await t.steps(graph, command(), thread(`waits ${at}`));
      await t.history(graph, thread(`waits ${at}`));
    }
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    for (const empty of [{}, { goto: [] }, { update: {} }, { update: [] }])
      await t.fails(() => graph.invoke(new lg.Command(empty as never) as never));
  }),
];
