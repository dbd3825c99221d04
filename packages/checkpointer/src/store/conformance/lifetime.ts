import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { GetOptions, PutOptions } from "../core/types.ts";
import type { OpenOptions, StoreSpec } from "./types.ts";

/** What a store with lifetimes has. */
interface LivingStore extends BaseStore {
  put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options?: PutOptions,
  ): Promise<void>;
  get(namespace: string[], key: string, options?: GetOptions): ReturnType<BaseStore["get"]>;
  sweepExpiredItems(): Promise<number>;
}

interface Clock {
  minutes: number;
}

/** A spec with a clock of its own, which it sets. */
function spec(
  name: string,
  ttl: NonNullable<OpenOptions["ttl"]>,
  test: (store: LivingStore, clock: Clock) => Promise<void>,
): StoreSpec {
  const clock: Clock = { minutes: 0 };
  const start = Date.UTC(2026, 0, 1);
  return {
    group: "lifetime",
    name,
    needs: "ttl",
    options: { ttl, now: () => start + clock.minutes * 60_000 },
    async test(store) {
      clock.minutes = 0;
      await test(store as LivingStore, clock);
    },
  };
}

const isThere = async (store: LivingStore, key: string, options: GetOptions = { refreshTtl: false }) =>
  (await store.get(["a"], key, options)) !== null;

export const lifetimeSpecs: readonly StoreSpec[] = [
  spec("an item ends when its time is over, swept or not", { defaultTtl: 10 }, async (store, clock) => {
    await store.put(["a"], "default", {});
    await store.put(["a"], "short", {}, undefined, { ttl: 1 });
    await store.put(["a", "b"], "ever", {}, undefined, { ttl: null });
    clock.minutes = 2;
    assert.deepEqual([await isThere(store, "short"), await isThere(store, "default")], [false, true]);
    clock.minutes = 11;
    assert.deepEqual(
      (await store.search(["a"])).map(({ key }) => key),
      ["ever"],
    );
    assert.deepEqual(await store.listNamespaces(), [["a", "b"]]);
    assert.equal(await store.sweepExpiredItems(), 2);
    assert.equal(await store.sweepExpiredItems(), 0);
  }),
  spec("an item lives to the end of its time, sweeper or not", { defaultTtl: 10 }, async (store, clock) => {
    await store.put(["a"], "k", {});
    clock.minutes = 10 - 1 / 60_000;
    assert.equal(await store.sweepExpiredItems(), 0);
    assert.equal(await isThere(store, "k"), true);
    clock.minutes = 10;
    assert.equal(await isThere(store, "k"), false);
    assert.equal(await store.sweepExpiredItems(), 1);
  }),
  spec("an item that is read lives on for its whole time", { defaultTtl: 10 }, async (store, clock) => {
    await store.put(["a"], "got", {});
    await store.put(["a"], "found", { f: 1 });
    await store.put(["a"], "left", {});
    clock.minutes = 8;
    await store.get(["a"], "got");
    await store.search(["a"], { filter: { f: 1 } });
    clock.minutes = 17;
    assert.deepEqual(
      [await isThere(store, "got"), await isThere(store, "found"), await isThere(store, "left")],
      [true, true, false],
    );
  }),
  spec("a read may leave its time as it is", { defaultTtl: 10 }, async (store, clock) => {
    await store.put(["a"], "k", {});
    clock.minutes = 8;
    assert.equal(await isThere(store, "k", { refreshTtl: false }), true);
    clock.minutes = 11;
    assert.equal(await isThere(store, "k"), false);
  }),
  spec(
    "refreshing may be off, and asked for",
    { defaultTtl: 10, refreshOnRead: false },
    async (store, clock) => {
      await store.put(["a"], "k", {});
      clock.minutes = 8;
      assert.equal(await isThere(store, "k", {}), true);
      clock.minutes = 9;
      assert.equal(await isThere(store, "k", { refreshTtl: true }), true);
      clock.minutes = 18;
      assert.equal(await isThere(store, "k", {}), true);
      clock.minutes = 20;
      assert.equal(await isThere(store, "k", {}), false);
    },
  ),
  spec(
    "a put begins the time anew; after the end it makes a new item",
    { defaultTtl: 10 },
    async (store, clock) => {
      await store.put(["a"], "k", { n: 1 });
      await store.put(["a"], "second", {}, undefined, { ttl: null });
      clock.minutes = 8;
      await store.put(["a"], "k", { n: 2 });
      clock.minutes = 12;
      const item = await store.get(["a"], "k", { refreshTtl: false });
      assert.equal((item?.updatedAt.getTime() as number) - (item?.createdAt.getTime() as number), 8 * 60_000);
      clock.minutes = 30;
      await store.put(["a"], "k", { n: 3 });
      const anew = await store.get(["a"], "k");
      assert.deepEqual([anew?.value, anew?.createdAt], [{ n: 3 }, anew?.updatedAt]);
      assert.deepEqual(
        (await store.search(["a"])).map(({ key }) => key),
        ["second", "k"],
      );
      assert.equal(await store.sweepExpiredItems(), 0);
    },
  ),
  spec("a search for words does not find what has ended", { defaultTtl: 10 }, async (store, clock) => {
    await store.put(["a"], "k", { text: "ephemeral" });
    assert.equal((await store.search(["a"], { query: "ephemeral" })).length, 1);
    clock.minutes = 11;
    assert.deepEqual(await store.search(["a"], { query: "ephemeral" }), []);
    await store.sweepExpiredItems();
    assert.deepEqual(await store.search(["a"], { query: "ephemeral" }), []);
  }),
  spec("a time that outlives every clock is taken", {}, async (store, clock) => {
    await store.put(["a"], "k", {}, undefined, { ttl: Number.MAX_VALUE });
    clock.minutes = 60 * 24 * 365 * 1000;
    assert.equal(await isThere(store, "k"), true);
  }),
  spec("a clock may tell parts of a millisecond", { defaultTtl: 10 }, async (store, clock) => {
    clock.minutes = 0.123_456_7;
    await store.put(["a"], "k", { n: 1 });
    const item = await store.get(["a"], "k");
    assert.equal(item?.createdAt.getTime(), Date.UTC(2026, 0, 1) + 7407);
    assert.equal((await store.search(["a"])).length, 1);
    clock.minutes = 11.123_456_7;
    assert.equal(await store.sweepExpiredItems(), 1);
  }),
  spec("a time that is none is an error", {}, async (store) => {
    for (const ttl of [0, -1, Number.NaN, Infinity, "1"]) {
      await assert.rejects(async () => store.put(["a"], "k", {}, undefined, { ttl: ttl as number }));
    }
    assert.equal(await isThere(store, "k"), false);
  }),
];
