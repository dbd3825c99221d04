import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** What is stored, and what is not. */
export const whatIsStored: readonly Difference[] = [
  {
    id: "what-is-stored",
    name: "an optional key of a StateSchema that nobody has set",
    there: [true, ["item", "n"]],
    here: [false, ["n"]],
    async run(lg) {
      let found = false;
      const State = new lg.StateSchema({ n: z.number().default(0), item: z.string().optional() });
      const graph = new lg.StateGraph(State)
        .addNode("node", (state: object) => {
          found = "item" in state;
          return { n: 1 };
        })
        .addEdge(lg.START, "node")
        .compile();
      const output = await graph.invoke({ n: 1 });
      return [found, Object.keys(output).toSorted()];
    },
  },
  {
    id: "what-is-stored",
    name: "a graph within one that is not stored",
    there: 2,
    here: 1,
    async run(lg) {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("n", leaves("n"))
        .addEdge(lg.START, "n")
        .compile();
      const middle = new lg.StateGraph(trailState(lg))
        .addNode("inner", inner)
        .addEdge(lg.START, "inner")
        .compile({ checkpointer: false });
      const saver = new MemorySaver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("middle", middle)
        .addEdge(lg.START, "middle")
        .compile({ checkpointer: saver });
      await graph.invoke({}, thread("1"));
      const namespaces = new Set<unknown>();
      for await (const { config } of saver.list(thread("1")))
        namespaces.add(config.configurable?.["checkpoint_ns"]);
      return namespaces.size;
    },
  },
];
