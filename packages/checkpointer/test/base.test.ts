import {
  AsyncBatchedStore as TheirBatchedStore,
  BaseCheckpointSaver as TheirSaver,
  type BaseStore as TheirStore,
  type CheckpointTuple,
  compareChannelVersions,
  DeltaSnapshot as TheirSnapshot,
  InMemoryStore as LangGraphStore,
  isDeltaSnapshot as theyRecognise,
  MemorySaver as LangGraphMemory,
  type Operation,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import {
  AsyncBatchedStore,
  BaseCheckpointSaver,
  BaseStore,
  copyCheckpoint,
  DeltaSnapshot,
  emptyCheckpoint,
  isDeltaSnapshot,
  newCheckpointId,
} from "@skein/checkpointer/base";
import { MemorySaver } from "@skein/checkpointer/memory";
import { InMemoryStore } from "@skein/checkpointer/store";
import { describe, expect, it } from "vitest";
import { highestVersion, SIGNAL_SLOTS } from "../src/base/checkpoint.ts";

/** A saver as users write one: what it has it was given. */
class Given extends BaseCheckpointSaver {
  readonly tuples: ReadonlyMap<string, CheckpointTuple>;
  constructor(tuples: ReadonlyMap<string, CheckpointTuple> = new Map()) {
    super();
    this.tuples = tuples;
  }
  override async getTuple(config: { configurable?: Record<string, unknown> }) {
    return this.tuples.get(String(config.configurable?.["checkpoint_id"]));
  }
  override async *list(): AsyncGenerator<CheckpointTuple> {
    yield* this.tuples.values();
  }
  override async put() {
    return {};
  }
  override async putWrites() {}
  override async deleteThread() {}
}

const at = (id: string) => ({ configurable: { thread_id: "t", checkpoint_id: id } });

/** A stored checkpoint under its id. */
function tuple(
  id: string,
  parent: string | undefined,
  channels: object,
  pendingWrites: [string, string, unknown][],
): readonly [string, CheckpointTuple] {
  const checkpoint = { ...emptyCheckpoint(), id, channel_values: { ...channels } };
  const found: CheckpointTuple = { config: at(id), checkpoint, pendingWrites };
  return [id, parent === undefined ? found : { ...found, parentConfig: at(parent) }];
}

/** Three checkpoints, and what the first of them has as its parent. */
const threeUnder = (parent: string) =>
  new Map([
    tuple("1", parent, {}, [["t1", "list", 1]]),
    tuple("2", "1", {}, [["t2", "list", 2]]),
    tuple("3", "2", {}, [["t3", "list", 3]]),
  ]);

/** The writes that a channel of one of them is replayed from. */
async function walked(parent: string, from: string): Promise<unknown[] | undefined> {
  const of = { config: at(from), channels: ["list"] };
  const { list } = await new Given(threeUnder(parent)).getDeltaChannelHistory(of);
  return list?.writes.map(([, , n]) => n);
}

describe("the base of savers", () => {
  it("is instanceof whatever keeps the contract, its own subclasses only what extends them", () => {
    expect(new LangGraphMemory()).toBeInstanceOf(BaseCheckpointSaver);
    expect(new MemorySaver()).toBeInstanceOf(BaseCheckpointSaver);
    expect(new Given()).toBeInstanceOf(BaseCheckpointSaver);
    expect(new Given()).toBeInstanceOf(Given);
    expect(new LangGraphMemory()).not.toBeInstanceOf(Given);
    expect(new InMemoryStore()).not.toBeInstanceOf(BaseCheckpointSaver);
    for (const no of [null, undefined, true, {}, { getTuple: "put" }]) {
      expect(no).not.toBeInstanceOf(BaseCheckpointSaver);
    }
  });

  it("serializes as LangGraph's savers do, bytes and all", async () => {
    const value = {
      at: new Map([["a", new Set([1])]]),
      nothing: undefined,
      whole: new DeltaSnapshot([1, new Map()]),
    };
    const theirs = { ...value, whole: new TheirSnapshot([1, new Map()]) };
    const [[type, ours], [theirType, bytes]] = await Promise.all([
      new Given().serde.dumpsTyped(value),
      new LangGraphMemory().serde.dumpsTyped(theirs),
    ]);
    expect(type).toBe(theirType);
    expect(new TextDecoder().decode(ours)).toBe(new TextDecoder().decode(bytes));
    const back = (await new Given().serde.loadsTyped(type, ours)) as { whole: unknown };
    expect(back.whole).toBeInstanceOf(TheirSnapshot);
    expect(isDeltaSnapshot(back.whole)).toBe(true);
    expect(theyRecognise(value.whole)).toBe(true);
  });

  it("walks to what a delta channel is replayed from as LangGraph's base does", async () => {
    const tuples = new Map([
      tuple("1", undefined, {}, [["t1", "late", "root"]]),
      tuple("2", "1", { list: ["whole"] }, [
        ["t3", "list", 3],
        ["t2", "list", 2],
        ["t2", "other", "-"],
        ["t2", "list", 2.5],
      ]),
      tuple("3", "2", { falsy: undefined }, [
        ["t4", "list", 4],
        ["t4", "falsy", 0],
      ]),
      tuple("4", "3", {}, [["t5", "list", "of the checkpoint itself"]]),
    ]);
    const options = {
      config: { configurable: { checkpoint_id: "4" } },
      channels: ["list", "late", "falsy", "none"],
    };
    const saver = new Given(tuples);
    const expected = await TheirSaver.prototype.getDeltaChannelHistory.call(saver, options);
    expect(await saver.getDeltaChannelHistory(options)).toEqual(expected);
    expect(expected["list"]).toEqual({
      seed: ["whole"],
      writes: [
        ["t2", "list", 2],
        ["t2", "list", 2.5],
        ["t3", "list", 3],
        ["t4", "list", 4],
      ],
    });
    expect(await saver.getDeltaChannelHistory({ ...options, channels: [] })).toEqual({});
  });

  it("the walk ends at a checkpoint that is its own parent, and where parents go in a circle", async () => {
    expect(await walked("1", "3")).toEqual([1, 2]);
    expect(await walked("1", "1")).toEqual([]);
    expect(await walked("3", "3")).toEqual([1, 2]);
  });

  it("counts versions, and says what to do about texts", () => {
    const saver = new Given();
    expect([saver.getNextVersion(undefined), saver.getNextVersion(4)]).toEqual([1, 5]);
    expect(() => saver.getNextVersion("a" as never)).toThrow(/getNextVersion/);
    expect(JSON.stringify({ saver })).toBe('{"saver":"[Given]"}');
  });

  it("compares versions and numbers the slots of signals as LangGraph does", () => {
    expect(Object.fromEntries(SIGNAL_SLOTS)).toEqual(WRITES_IDX_MAP);
    for (const versions of [
      [1, 3, 2],
      ["2", "10", "1"],
      [2, "10"],
      ["b", 1],
    ] as (string | number)[][]) {
      const sorted = versions.toSorted(compareChannelVersions);
      expect(highestVersion(versions)).toBe(sorted.at(-1));
    }
    expect(highestVersion([])).toBeUndefined();
  });
});

describe("checkpoints", () => {
  it("have ids in the order in which they were made, with the step in them", () => {
    const ids = Array.from({ length: 100 }, (_, step) => newCheckpointId(step));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(100);
    expect(ids[7]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-8007-[0-9a-f]{12}$/);
  });

  it("are copied down to their records, not to the values of their channels", () => {
    const value = { of: "a channel" };
    const original = {
      ...emptyCheckpoint(),
      channel_values: { a: value },
      versions_seen: { node: { a: 1 } },
    };
    const copy = copyCheckpoint(original);
    expect(copy).toEqual(original);
    copy.versions_seen["node"] = { ...copy.versions_seen["node"], a: 2 };
    copy.channel_values["b"] = 1;
    expect(original).toEqual({
      ...original,
      channel_values: { a: value },
      versions_seen: { node: { a: 1 } },
    });
    expect(copy.channel_values["a"]).toBe(value);
  });
});

/** A store that says what it was asked, and nothing else. */
class Asked extends BaseStore {
  readonly batches: Operation[][] = [];
  override async batch(operations: Operation[]): Promise<never> {
    this.batches.push(operations);
    if (operations.some((operation) => "key" in operation && operation.key === "bad"))
      throw new Error("bad key");
    return operations.map((operation) => ("key" in operation ? operation.key : [])) as never;
  }
}

/** Every call that a base makes a batch of, by the methods of one class on an object of another. */
const calls = (store: TheirStore, of: TheirStore) => [
  of.get.call(store, ["a"], "k"),
  of.put.call(store, ["a"], "k", { v: 1 }),
  of.put.call(store, ["a"], "k", { v: 1 }, ["v"]),
  of.delete.call(store, ["a"], "k"),
  of.search.call(store, ["a"]),
  of.search.call(store, ["a"], { filter: { v: 1 }, limit: 3, query: "q" }),
  of.listNamespaces.call(store),
  of.listNamespaces.call(store, { prefix: ["a"], suffix: ["*"], maxDepth: 2, limit: 5 }),
];

describe("the base of stores", () => {
  it("is instanceof whatever keeps the contract", () => {
    expect(new LangGraphStore()).toBeInstanceOf(BaseStore);
    expect(new InMemoryStore()).toBeInstanceOf(BaseStore);
    expect(new TheirBatchedStore(new LangGraphStore())).toBeInstanceOf(BaseStore);
    expect(new Asked()).not.toBeInstanceOf(AsyncBatchedStore);
    expect(new LangGraphMemory()).not.toBeInstanceOf(BaseStore);
  });

  it("asks of a batch what LangGraph's base asks", async () => {
    const ours = new Asked();
    const theirs = new Asked();
    const base = Object.getPrototypeOf(LangGraphStore.prototype) as TheirStore;
    await Promise.all(calls(ours, ours));
    await Promise.all(calls(theirs, base));
    expect(ours.batches).toEqual(theirs.batches);
  });

  it("stores nothing in what is no namespace", async () => {
    const store = new Asked();
    for (const namespace of [[], [""], ["a.b"], ["langgraph", "a"], [1], "text"]) {
      await expect(store.put(namespace as string[], "k", {})).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }
    expect(store.batches).toEqual([]);
  });
});

describe("AsyncBatchedStore", () => {
  it("makes one batch of the calls of a turn, begins with start and ends with stop", async () => {
    const inner = new Asked();
    const store = new AsyncBatchedStore(new AsyncBatchedStore(inner));
    const early = store.get(["a"], "early");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([store.isRunning, inner.batches.length]).toEqual([false, 0]);
    store.start();
    expect(await Promise.all([early, store.get(["a"], "k"), store.search(["a"])])).toEqual([
      "early",
      "k",
      [],
    ]);
    await Promise.all([store.put(["a"], "p", { v: 1 }, false), store.delete(["a"], "d")]);
    expect(inner.batches.map((batch) => batch.length)).toEqual([3, 2]);
    expect(inner.batches[1]?.[0]).toEqual({ namespace: ["a"], key: "p", value: { v: 1 }, index: false });
    await store.stop();
    let answered = false;
    void store.get(["a"], "late").then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([answered, JSON.stringify(store)]).toEqual([
      false,
      '{"store":"[LangGraphStore]","running":false,"waiting":1}',
    ]);
  });

  it("a batch that fails fails its calls, and the next one goes on", async () => {
    const store = new AsyncBatchedStore(new Asked());
    store.start();
    const failed = await Promise.allSettled([store.get(["a"], "bad"), store.get(["a"], "good")]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await store.get(["a"], "good")).toBe("good");
    await expect(store.batch([])).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  });

  it("LangGraph's takes the store out of ours", async () => {
    const inner = new Asked();
    const theirs = new TheirBatchedStore(new AsyncBatchedStore(inner));
    theirs.start();
    expect(await theirs.get(["a"], "k")).toBe("k");
    await theirs.stop();
    expect(inner.batches).toHaveLength(1);
  });
});
