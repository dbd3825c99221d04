import {
  AsyncBatchedStore,
  BaseStore,
  InMemoryStore,
  type Operation,
  type OperationResults,
} from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { trailState } from "./kit.ts";

/** Keeps what it is asked. */
export class Asked extends BaseStore {
  readonly batches: Operation[][] = [];
  readonly #inner = new InMemoryStore();

  override async batch<Operations extends Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    this.batches.push(operations);
    if (operations.some((one) => "key" in one && one.key === "bad")) throw new Error("user: bad key");
    return this.#inner.batch(operations);
  }
}

const NAMESPACE = ["notes"];
export const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Stores a value with `slow` when it is let. */
export class Late extends Asked {
  let!: () => void;
  began!: () => void;
  readonly #let = new Promise<void>((resolve) => (this.let = resolve));
  readonly begun = new Promise<void>((resolve) => (this.began = resolve));

  override async batch<Operations extends Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    if (operations.some((one) => "value" in one && one.value?.["slow"] === true)) {
      this.began();
      await this.#let;
    }
    return super.batch(operations);
  }
}

export const stores = [
  scenario("what nodes of a step ask of a store within a turn is one batch", async (lg, t) => {
    const store = new Asked();
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("i", async (_state, config) => {
        const found = await config.store?.get(NAMESPACE, "a");
        await lg.getStore()?.delete(NAMESPACE, "b");
        return { last: JSON.stringify(found?.value) };
      })
      .addEdge(lg.START, "i")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async (_state, config) => {
        await Promise.all([
          config.store?.put(NAMESPACE, "a", { n: 1 }),
          config.store?.put(NAMESPACE, "b", { n: 2 }),
        ]);
        return { last: "a" };
      })
      .addNode("b", async (_state, config) => {
        t.note("nothing", await config.store?.get(NAMESPACE, "none"));
        return {};
      })
      .addNode("c", async (_state, config) => {
        const some = { filter: { n: { $gt: 1 } }, limit: 5 };
        const found = await Promise.all([
          config.store?.get(NAMESPACE, "a"),
          config.store?.search(NAMESPACE),
          config.store?.search(NAMESPACE, some),
        ]);
        t.note(
          "found",
          JSON.parse(JSON.stringify(found), (key, value) => (key.endsWith("At") ? 0 : value)),
        );
        return { last: "c" };
      })
      .addNode("d", inner)
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .addEdge(["a", "b"], "c")
      .addEdge("c", "d")
      .compile({ store });
    await t.invoke(graph, {});
    t.note("batches", store.batches);
  }),

  ...[true, false].map((fails) =>
    scenario(`what a node that ${fails ? "fails" : "ends"} did not wait for is stored`, async (lg, t) => {
      const store = new Asked();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", (_state, config) => {
          void config.store?.put(NAMESPACE, "a", { n: 1 });
          if (fails) throw new Error("user: no");
          return { last: "a" };
        })
        .addEdge(lg.START, "a")
        .compile({ store });
      if (fails) await t.fails(() => graph.invoke({}));
      else await t.invoke(graph, {});
      t.note("stored", (await store.get(NAMESPACE, "a"))?.value);
    }),
  ),

  scenario("what is asked after a write finds it, and what is written after it counts", async (lg, t) => {
    const store = new Late();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async (_state, config) => {
        void config.store?.put(NAMESPACE, "a", { slow: true, n: 1 });
        await store.begun;
        const found = config.store?.get(NAMESPACE, "a");
        for (let i = 0; i < 3; i += 1) await turn();
        const put = config.store?.put(NAMESPACE, "a", { n: 2 });
        for (let i = 0; i < 3; i += 1) await turn();
        store.let();
        await put;
        t.note("found", (await found)?.value);
        return {};
      })
      .addEdge(lg.START, "a")
      .compile({ store });
    await t.invoke(graph, {});
    t.note("stored", (await store.get(NAMESPACE, "a"))?.value);
  }),

  scenario("a call returns when what its nodes wrote is stored", async (lg, t) => {
    const store = new Late();
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("i", (_state, config) => {
        void config.store?.put(NAMESPACE, "a", { slow: true });
        return { last: "i" };
      })
      .addEdge(lg.START, "i")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", inner)
      .addEdge(lg.START, "a")
      .compile({ store });
    void store.begun.then(turn).then(turn).then(store.let);
    await t.invoke(graph, {});
    t.note("stored", (await store.get(NAMESPACE, "a"))?.value);
  }),

  scenario("a store that joins already, one that is frozen, one that answers nothing", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async (_state, config) => {
        await config.store?.put(NAMESPACE, "a", { n: 1 });
        return { last: JSON.stringify((await config.store?.get(NAMESPACE, "a"))?.value) };
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {}, { store: new AsyncBatchedStore(new InMemoryStore()) });
    const inner = new InMemoryStore();
    const frozen = Object.freeze({ batch: inner.batch.bind(inner), get: "none", put: "none" });
    await t.invoke(graph, {}, { store: frozen as never });
    await t.fails(() => graph.invoke({}, { store: { ...frozen, batch: async () => {} } as never }));
  }),

  scenario("a store's own error is the node's", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async (_state, config) => {
        await config.store?.get(NAMESPACE, "bad");
        return {};
      })
      .addEdge(lg.START, "a")
      .compile({ store: new Asked() });
    await t.fails(() => graph.invoke({}));
  }),
];
