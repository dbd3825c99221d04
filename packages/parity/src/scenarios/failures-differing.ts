import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

function fails(): never {
  throw new TypeError("user: bad");
}

/** What a thread is like after a failure, and what the failure is called. */
export const afterFailures: readonly Difference[] = [
  {
    id: "after-a-failure",
    name: "a thread whose step did not fit together can be read",
    there: "refused: TypeError",
    here: { values: { trail: [] }, next: ["n"] },
    async run(lg) {
      const State = lg.Annotation.Root({
        trail: lg.Annotation<string[]>({
          reducer: () => {
            throw new TypeError("user: bad reducer");
          },
          default: () => [],
        }),
      });
      const graph = new lg.StateGraph(State)
        .addNode("n", () => ({ trail: ["n"] }))
        .addEdge(lg.START, "n")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1")).catch(() => {});
      const { values, next } = await graph.getState(thread("1"));
      return { values, next };
    },
  },
  {
    id: "after-a-failure",
    name: "a condition that failed is asked again",
    there: [[], { trail: ["n"], total: 1 }],
    here: [["n"], { trail: ["n", "then"], total: 2 }],
    async run(lg) {
      let asked = 0;
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("n", leaves("n"))
        .addNode("then", leaves("then"))
        .addEdge(lg.START, "n")
        .addConditionalEdges("n", () => {
          asked += 1;
          if (asked === 1) throw new TypeError("user: bad condition");
          return "then";
        })
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1")).catch(() => {});
      const { next } = await graph.getState(thread("1"));
      return [next, await graph.invoke(null, thread("1"))];
    },
  },
  {
    id: "after-a-failure",
    name: "of two nodes that fail at once the first is the error",
    there: "refused: AggregateError",
    here: "refused: TypeError",
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("one", fails)
        .addNode("two", fails)
        .addEdge(lg.START, "one")
        .addEdge(lg.START, "two")
        .compile();
      return graph.invoke({});
    },
  },
  {
    id: "after-a-failure",
    name: "an update keeps what an error handler wrote beside a node that waits",
    there: [["by hand"], []],
    here: [["handled", "by hand"], ["handled"]],
    run: async (lg) => {
      const edited = async (values: object | null, asNode: string): Promise<string[]> => {
        const graph = new lg.StateGraph(trailState(lg))
          .addNode("bad", fails, { errorHandler: () => ({ trail: ["handled"] }) })
          .addNode("asks", () => ({ trail: [String(lg.interrupt("?"))] }))
          .addEdge(lg.START, "bad")
          .addEdge(lg.START, "asks")
          .compile({ checkpointer: new MemorySaver() });
        await graph.invoke({}, thread("1"));
        await graph.updateState(thread("1"), values as never, asNode as "asks");
        return (await graph.getState(thread("1"))).values.trail;
      };
      return [await edited({ trail: ["by hand"] }, "asks"), await edited(null, lg.END)];
    },
  },
];
