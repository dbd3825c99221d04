import { type BaseCheckpointSaver, InMemoryCache, MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import { type Difference, scenario } from "../scenario.ts";
import { late, leaves, oneNode, thread, trailState } from "./kit.ts";

const never = (): Promise<never> => new Promise(() => {});

/** A saver of which one method does something else. */
function saverBut(method: "getTuple" | "put" | "putWrites", act: () => Promise<never>): BaseCheckpointSaver {
  return Object.assign(new MemorySaver(), { [method]: act });
}

/** A signal, and the reason that it is aborted for in a moment. */
function aborting(): { readonly signal: AbortSignal; readonly reason: Error } {
  const stop = new AbortController();
  const reason = new Error("user: enough");
  setTimeout(() => stop.abort(reason), 20);
  return { signal: stop.signal, reason };
}

/** A private memory of a node, by a name of its own. */
const memory = (config: { configurable?: object }, name: string) => ({
  ...config,
  configurable: { ...config.configurable, checkpoint_ns: name },
});

/** A node that does something with its config, in a graph that keeps threads; its text is left in `last`. */
const asking = (
  lg: LangGraph,
  saver: BaseCheckpointSaver,
  ask: (config: { configurable?: object }) => Promise<unknown>,
) =>
  new lg.StateGraph(trailState(lg))
    .addNode("asks", async (_state, config) => ({ last: JSON.stringify(await ask(config)) }))
    .addEdge(lg.START, "asks")
    .compile({ checkpointer: saver });

/** What fails late or never answers, and nodes that ask graphs with their own config. */
export const hangs = [
  ...(["put", "putWrites"] as const).flatMap((method) =>
    (["sync", "exit"] as const).map((durability) =>
      scenario(`a node fails, and then the saver's ${method}: durability ${durability}`, async (lg, t) => {
        const failure = new RangeError("user: of the node");
        let full = false;
        const saver = new MemorySaver();
        const own = saver[method].bind(saver) as (...given: unknown[]) => Promise<never>;
        saver[method] = async (...given: unknown[]) => {
          await late(1);
          if (full) throw new Error("user: disk full");
          return own(...given);
        };
        const graph = new lg.StateGraph(trailState(lg))
          .addNode("fine", leaves("fine"))
          .addNode("bad", async () => {
            full = true;
            await late(1);
            throw failure;
          })
          .addEdge(lg.START, "fine")
          .addEdge("fine", "bad")
          .compile({ checkpointer: saver });
        const config = { ...thread("1"), durability };
        t.note("same", (await t.fails(() => graph.invoke({}, config))) === failure);
      }),
    ),
  ),

  scenario("an abort frees a call whose saver never answers", async (lg, t) => {
    const graph = oneNode(lg).compile({ checkpointer: saverBut("getTuple", never) });
    for (const durability of ["sync", "async", "exit"] as const) {
      const { signal, reason } = aborting();
      const config = { ...thread("1"), signal, durability };
      t.note(durability, (await t.fails(() => graph.invoke({}, config))) === reason);
    }
    const error = await graph.invoke({}, { ...thread("1"), timeout: 20 }).catch((e: Error) => e);
    t.note("timeout", (error as Error).name);
  }),

  scenario("an abort frees the reader of a stream whose saver never answers", async (lg, t) => {
    const graph = oneNode(lg).compile({ checkpointer: saverBut("getTuple", never) });
    const { signal } = aborting();
    await t.streamFails(graph, {}, { ...thread("1"), signal });
  }),

  scenario("an abort frees a call whose cache never answers", async (lg, t) => {
    for (const method of ["get", "set"] as const) {
      const cache = Object.assign(new InMemoryCache(), { [method]: never });
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("kept", leaves("kept"), { cachePolicy: true })
        .addEdge(lg.START, "kept")
        .compile({ cache });
      const { signal, reason } = aborting();
      t.note(method, (await t.fails(() => graph.invoke({}, { signal }))) === reason);
    }
  }),

  scenario("an abort frees a call whose callbacks never answer", async (lg, t) => {
    for (const method of ["handleChainStart", "handleChainEnd"] as const) {
      const { signal, reason } = aborting();
      const callbacks = [{ awaitHandlers: true, [method]: never }];
      const config = { signal, callbacks } as never;
      t.note(method, (await t.fails(() => oneNode(lg).compile().invoke({}, config))) === reason);
    }
  }),

  scenario("a call that was aborted before it was made stores nothing", async (lg, t) => {
    const saver = t.saver();
    const graph = oneNode(lg).compile({ checkpointer: saver });
    const signal = AbortSignal.abort(new Error("user: too late"));
    await t.fails(() => graph.invoke({}, { ...thread("1"), signal }));
    await t.saved(saver, "1");
    await t.invoke(graph, {}, thread("1"));
  }),

  scenario("a graph that a node called, asked for its state with the node's config", async (lg, t) => {
    const child = oneNode(lg).compile();
    const graph = asking(lg, t.saver(), async (config) => {
      await child.invoke({ last: "in" }, config);
      const { values, next } = await child.getState(config);
      const steps: unknown[] = [];
      for await (const state of child.getStateHistory(config)) steps.push(state.metadata?.step);
      return [values, next, steps];
    });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, {}, thread("1"));
  }),

  scenario("a graph that a node has updated the state of, with its own config", async (lg, t) => {
    const child = oneNode(lg).compile();
    const graph = asking(lg, t.saver(), async (config) => {
      await child.updateState(config, { trail: ["update"] }, "real");
      const { values } = await child.getState(config);
      return [values, await child.invoke({ trail: ["in"] }, config)];
    });
    await t.invoke(graph, {}, thread("1"));
  }),

  scenario("a node asks its own graph with its config: below the task nothing is stored", async (lg, t) => {
    const graph = asking(lg, t.saver(), async (config) => {
      const { values, next, tasks } = await graph.getState(config);
      return [values, next, tasks];
    });
    await t.invoke(graph, {}, thread("1"));
  }),

  scenario("a graph with a saver of its own, called and asked in a node", async (lg, t) => {
    const child = oneNode(lg).compile({ checkpointer: t.saver() });
    const graph = asking(lg, t.saver(), async (config) => {
      await child.invoke({ last: "in" }, config);
      return [(await child.getState(config)).values, (await child.getState(thread("1"))).values];
    });
    await t.invoke(graph, {}, thread("1"));
  }),

  scenario("a node that keeps a memory under a name of its own", async (lg, t) => {
    const child = oneNode(lg).compile();
    const saver = t.saver();
    const graph = asking(lg, saver, async (config) => {
      const first = await child.invoke({}, memory(config, "mine"));
      const second = await child.invoke({}, memory(config, "mine"));
      return [first.trail, second.trail, (await child.getState(memory(config, "mine"))).values];
    });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, {}, thread("2"));
    await t.history(graph, thread("1"));
  }),

  scenario("a question in a memory under a name of its own", async (lg, t) => {
    const child = new lg.StateGraph(trailState(lg))
      .addNode("real", () => ({ trail: [String(lg.interrupt("well?"))] }))
      .addEdge(lg.START, "real")
      .compile();
    const graph = asking(lg, t.saver(), async (config) => child.invoke({}, memory(config, "mine")));
    for (const answer of ["one", "two"]) {
      await t.invoke(graph, {}, thread("1"));
      await t.invoke(graph, new lg.Command({ resume: answer }), thread("1"));
    }
  }),
];

/** Where a call and its thread stand that was aborted when its work was done. */
export const doneWhenAborted: readonly Difference[] = [
  {
    id: "after-a-failure",
    name: "a node that aborts its run and returns has finished",
    there: [["a"], ["a", "b"], 2],
    here: [["b"], ["a", "b"], 1],
    async run(lg) {
      const stop = new AbortController();
      let ran = 0;
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          ran += 1;
          stop.abort(new Error("user: stop"));
          return { trail: ["a"] };
        })
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, { ...thread("1"), signal: stop.signal }).catch(() => {});
      const { next } = await graph.getState(thread("1"));
      return [next, (await graph.invoke(null, thread("1"))).trail, ran];
    },
  },
  {
    id: "after-a-failure",
    name: "an abort while the last step is stored",
    there: "refused: Error",
    here: { trail: ["real"], total: 1 },
    async run(lg) {
      const stop = new AbortController();
      const saver = new MemorySaver();
      const put = saver.put.bind(saver);
      saver.put = async (config, checkpoint, metadata) => {
        await late(5);
        if (metadata.step === 1) stop.abort(new Error("user: stop"));
        await late(5);
        return put(config, checkpoint, metadata);
      };
      const graph = oneNode(lg).compile({ checkpointer: saver });
      return graph.invoke({}, { ...thread("1"), signal: stop.signal });
    },
  },
];
