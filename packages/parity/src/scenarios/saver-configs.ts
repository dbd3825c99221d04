import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

type Method = "getTuple" | "put" | "putWrites" | "list";

/** Notes what stands in the configs that a saver is called with. */
function watched(saver: BaseCheckpointSaver): {
  saver: BaseCheckpointSaver;
  asked: () => Record<string, unknown>;
} {
  const seen = new Map<string, Set<string>>();
  for (const method of ["getTuple", "put", "putWrites", "list"] as const satisfies Method[]) {
    const own = saver[method].bind(saver) as (...args: unknown[]) => never;
    (saver as unknown as Record<Method, unknown>)[method] = (...args: [{ configurable?: object }]) => {
      const { tenant, checkpoint_ns = "" } = args[0].configurable as Record<string, string>;
      const graph = checkpoint_ns === "" ? "outer" : "inner";
      const found = seen.get(`${method} of ${graph}`) ?? new Set();
      seen.set(`${method} of ${graph}`, found.add(String(tenant)));
      return own(...args);
    };
  }
  const asked = (): Record<string, unknown> => {
    const noted = Object.fromEntries([...seen].map(([method, tenants]) => [method, [...tenants]]));
    seen.clear();
    return noted;
  };
  return { saver, asked };
}

export const saverConfigs = [true, false].map((isForeign) =>
  scenario(
    `${isForeign ? "LangGraph's" : "the engine's own"} saver finds what the caller put into configurable, when somebody watches it`,
    async (lg, t) => {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("ask", () => ({ trail: [String(lg.interrupt("?"))] }))
        .addEdge(lg.START, "ask")
        .compile();
      const { saver, asked } = watched(isForeign ? new MemorySaver() : new lg.MemorySaver());
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("one", leaves("one"))
        .addNode("sub", inner)
        .addEdge(lg.START, "one")
        .addEdge("one", "sub")
        .compile({ checkpointer: saver });
      for (const durability of ["async", "sync", "exit"] as const) {
        const config = { ...thread(durability, { tenant: `t-${durability}` }), durability };
        await graph.invoke({ last: "in" }, config);
        await graph.invoke(new lg.Command({ resume: "yes" }), config);
        t.note(`a run with ${durability}`, asked());
      }
      const config = thread("sync", { tenant: "reader" });
      await graph.getState(config);
      t.note("getState", asked());
      const states = [];
      for await (const state of graph.getStateHistory(config)) states.push(state);
      t.note("the history", asked());
      await graph.updateState(config, { last: "new" }, "one");
      t.note("an update", asked());
      const old = states.at(-2)?.config.configurable;
      await graph.invoke(null, { configurable: { ...old, tenant: "traveller" } });
      const { "put of outer": outer, "put of inner": within, "list of inner": found } = asked();
      t.note("from an old state", { outer, within, found });
    },
  ),
);
