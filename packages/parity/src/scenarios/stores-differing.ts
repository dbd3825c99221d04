import { BaseStore } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { trailState } from "./kit.ts";
import { Asked, Late, turn } from "./stores.ts";

const NAMESPACE = ["notes"];

/** What a node makes of a store. */
async function inNode<T>(lg: LangGraph, store: BaseStore, use: (store: BaseStore) => Promise<T>): Promise<T> {
  const answers: T[] = [];
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("n", async (_state, config) => {
      answers.push(await use(config.store as BaseStore));
      return { last: "n" };
    })
    .addEdge(lg.START, "n")
    .compile({ store });
  await graph.invoke({});
  return answers[0] as T;
}

export const storesInNodes: readonly Difference[] = [
  {
    id: "stores-in-nodes",
    name: "what a node puts without an index stays without one",
    there: [{ key: "a", namespace: NAMESPACE, value: { n: 1 } }],
    here: [{ index: false, key: "a", namespace: NAMESPACE, value: { n: 1 } }],
    async run(lg) {
      const store = new Asked();
      await inNode(lg, store, (given) => given.put(NAMESPACE, "a", { n: 1 }, false));
      return store.batches[0];
    },
  },
  {
    id: "stores-in-nodes",
    name: "a batch that a node makes",
    there: "refused: Error",
    here: [null],
    run: (lg) => inNode(lg, new Asked(), (given) => given.batch([{ namespace: NAMESPACE, key: "a" }])),
  },
  {
    id: "stores-in-nodes",
    name: "of what is asked within a turn only that fails which is wrong",
    there: ["rejected", "rejected"],
    here: ["fulfilled", "rejected"],
    run: (lg) =>
      inNode(lg, new Asked(), async (given) => {
        const asked = ["good", "bad"].map((key) => given.get(NAMESPACE, key));
        return (await Promise.allSettled(asked)).map(({ status }) => status);
      }),
  },
  {
    id: "stores-in-nodes",
    name: "a call that fails does not wait until what its nodes wrote is stored",
    there: { slow: true },
    here: null,
    async run(lg) {
      const store = new Late();
      const fails = inNode(lg, store, (given) => {
        void given.put(NAMESPACE, "a", { slow: true });
        throw new Error("user: no");
      });
      void store.begun.then(turn).then(turn).then(store.let);
      await fails.catch(() => {});
      return (await store.get(NAMESPACE, "a"))?.value ?? null;
    },
  },
];
