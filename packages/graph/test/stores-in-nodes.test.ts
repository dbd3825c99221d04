import { BaseStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import { InMemoryStore } from "@skein/checkpointer/store";
import { describe, expect, it } from "vitest";
import { Annotation, getStore, START, StateGraph } from "../src/index.ts";

const State = Annotation.Root({ n: Annotation<number>() });
const NAMESPACE = ["notes"];

function asking(use: (store: BaseStore) => unknown, store: BaseStore) {
  return new StateGraph(State)
    .addNode("asks", async (_state, config) => {
      await use(config.store as BaseStore);
      return { n: 1 };
    })
    .addEdge(START, "asks")
    .compile({ store });
}

const writes = (store: BaseStore): void => void store.put(NAMESPACE, "slow", { n: 1 });

/** Never answers what is asked of "slow", be it a question or a write. */
class Slow extends InMemoryStore {
  asked = 0;
  override async batch<Operations extends Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    this.asked += 1;
    if (operations.some((one) => "key" in one && one.key === "slow")) await new Promise(() => {});
    return super.batch(operations);
  }
}

describe("a store in a node", () => {
  it("has what the store has, and is the same wherever it is looked for", async () => {
    const store = new InMemoryStore({ ttl: { defaultTtl: 5 } });
    const found: unknown[] = [];
    const graph = asking(async (given) => {
      found.push(given instanceof InMemoryStore, given.constructor === InMemoryStore, getStore() === given);
      await given.put(NAMESPACE, "a", { n: 1 });
      found.push(await given.listNamespaces(), await (given as InMemoryStore).sweepExpiredItems());
    }, store);
    await graph.invoke({});
    expect(found).toEqual([true, true, true, [NAMESPACE], 0]);
  });

  it("keeps times to live that are given with an item", async () => {
    let now = 0;
    const store = new InMemoryStore({ now: () => now });
    const put = (given: BaseStore) =>
      (given as InMemoryStore).put(NAMESPACE, "a", { n: 1 }, false, { ttl: 1 });
    await asking(put, store).invoke({});
    expect((await store.get(NAMESPACE, "a"))?.value).toEqual({ n: 1 });
    now = 60_001;
    expect(await store.get(NAMESPACE, "a")).toBeNull();
  });

  it("does not hold a run that has given up on it, nor what is asked in a later turn", async () => {
    const store = new Slow();
    const graph = asking(async (given) => {
      const slow = given.get(NAMESPACE, "slow");
      // a timer may go off before the turn in which that is asked
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.race([slow, given.get(NAMESPACE, "quick")]);
    }, store);
    expect(await graph.invoke({})).toEqual({ n: 1 });
    expect(store.asked).toBe(2);
  });

  it("does not hold a run that fails or is cancelled before it has stored what was written", async () => {
    const failing = asking((given) => {
      writes(given);
      throw new Error("user: no");
    }, new Slow());
    await expect(failing.invoke({})).rejects.toThrow("user: no");
    const cancel = new AbortController();
    const store = new Slow();
    // by then the run waits for nothing else
    store.batch = () => new Promise(() => void setTimeout(() => cancel.abort(), 100));
    expect(await asking(writes, store).invoke({}, { signal: cancel.signal })).toEqual({ n: 1 });
  });

  it("takes what is set on it, also where only the store may", async () => {
    class Counting extends InMemoryStore {
      #count = 0;
      get count(): number {
        return this.#count;
      }
      set count(count: number) {
        this.#count = count;
      }
    }
    const store = new Counting();
    await asking((given) => ((given as Counting).count += 2), store).invoke({});
    expect(store.count).toBe(2);
  });

  it("answers after the run", async () => {
    let late: BaseStore | undefined;
    await asking((given) => (late = given), new InMemoryStore()).invoke({});
    expect(await late?.get(NAMESPACE, "a")).toBeNull();
  });
});
