import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, MemorySaver } from "../src/index.ts";
import { ALL_SAVERS, SAVERS, type Saver } from "./savers.ts";
import { commitValue, putValue } from "./steps.ts";

const ROOT = { threadId: "t", namespace: "" };
const ID = (n: number): string => String(n).padStart(4, "0");
const FILL = "x".repeat(100);

async function load(saver: Saver, checkpointId?: string): Promise<unknown> {
  const address = checkpointId === undefined ? ROOT : { ...ROOT, checkpointId };
  return (await saver[CHANGE_SETS].open(address)).checkpoint?.channels.get("n")?.load();
}

/** Commits a value on top of the head, or of an older checkpoint, as a run of its own. */
async function commit(saver: Saver, id: string, value: unknown, parentId?: string): Promise<void> {
  const sets = saver[CHANGE_SETS];
  const { claim, headId } = await sets.open(ROOT, { claim: "fail" });
  if (parentId === undefined) await commitValue(saver, claim as Claim, id, headId, value);
  else {
    await sets.commit(claim as Claim, {
      namespace: "",
      parentId,
      expectedHead: headId,
      checkpoint: {
        id,
        ts: "x",
        metadata: { source: "fork", step: 0, parents: {} },
        channelVersions: { n: Number(id) },
        versionsSeen: {},
      },
      channels: new Map([["n", { op: "set", value }]]),
      writes: [],
    });
  }
  await sets.release(claim as Claim);
}

const stored = async (saver: Saver): Promise<number> => (await saver.storageReport("t"))?.itemBytes as number;

const record = (n: number, change: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...Object.fromEntries(Array.from({ length: n }, (_, i) => [`key ${i}`, `${i} ${FILL}`])),
  ...change,
});

const key = fc.oneof(
  fc.constantFrom("a", "b", "10", "2", "__proto__", "constructor", "$", "", '"', "\u0000"),
  fc.string({ maxLength: 3 }),
);
const part = fc.oneof(fc.constant(`${FILL}${FILL}`), fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined));
const steps = fc.array(
  fc.record({
    value: fc.array(fc.tuple(key, part), { maxLength: 25 }),
    keep: fc.boolean(),
    act: fc.constantFrom("go on", "reopen", "fork", "load"),
  }),
  { minLength: 2, maxLength: 12 },
);

describe.each(SAVERS)("records under $name", (kind) => {
  it("are read as they were written, at every checkpoint, in their order, through forks and reopening", async () => {
    const run = fc.asyncProperty(steps, async (all) => {
      const storage = kind.open();
      let { saver } = storage;
      const values: unknown[] = [];
      let last: object = {};
      for (const [i, { value, keep, act }] of all.entries()) {
        last = Object.fromEntries([...(keep ? Object.entries(last) : []), ...value]);
        if (act === "reopen") saver = storage.reopen();
        if (act === "load") await load(saver);
        await commit(saver, ID(i + 1), last, act === "fork" && i > 1 ? ID(i - 1) : undefined);
        values.push(last);
      }
      const again = storage.reopen();
      for (const [i, value] of values.entries()) {
        const found = (await load(again, ID(i + 1))) as object;
        expect(found).toEqual(value);
        expect(Object.keys(found)).toEqual(Object.keys(value as object));
      }
      await storage.close();
    });
    await fc.assert(run, { numRuns: 40 });
  });
});

describe.each(ALL_SAVERS)("records under $name", (kind) => {
  it("are stored as what changed, also by a process that has only read them, and by a plain put", async () => {
    const storage = kind.open();
    await commit(storage.saver, ID(1), record(50));
    await commit(storage.saver, ID(2), record(50, { "key 7": "new" }));
    const before = await stored(storage.saver);
    await commit(storage.saver, ID(3), record(50, { "key 7": "new", "key 8": "new" }));
    const other = storage.reopen();
    await load(other);
    await commit(other, ID(4), record(50, { "key 7": "new", "key 8": "newer", more: 1 }));
    expect(await stored(other)).toBeLessThan(before + 200);
    const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: ID(4) } };
    const tuple = await other.getTuple(config);
    const value = { ...(tuple?.checkpoint.channel_values["n"] as object), more: 2 };
    await other.put(
      config,
      { ...tuple!.checkpoint, id: ID(5), channel_values: { n: value }, channel_versions: { n: 9 } },
      { source: "update", step: 0, parents: {} },
      { n: 9 },
    );
    expect(await stored(other)).toBeLessThan(before + 300);
    expect(await load(storage.reopen())).toEqual(value);
    await storage.close();
  });

  it("survive a prune, an erasure, a copy and an export", async () => {
    const storage = kind.open();
    const { saver } = storage;
    for (let n = 1; n <= 6; n += 1) await commit(saver, ID(n), record(30, { [`key ${n}`]: n }));
    await saver.copyThread("t", "copy");
    await saver.prune("t", { keepLast: 1 });
    await commit(saver, ID(7), record(30, { "key 6": 6, "key 7": 7 }));
    const target = new MemorySaver();
    await target.importThread(saver.exportThread("t"));
    for (const from of [saver, storage.reopen(), target])
      expect(await load(from)).toEqual(record(30, { "key 6": 6, "key 7": 7 }));
    const copy = await saver.getTuple({ configurable: { thread_id: "copy" } });
    expect(copy?.checkpoint.channel_values["n"]).toEqual(record(30, { "key 6": 6 }));
    await storage.close();
  });
});

describe("a record that is put once", () => {
  it("is one item, as any other value", async () => {
    const saver = new MemorySaver();
    await putValue(saver, "t", ID(1), record(50));
    expect((await saver.storageReport("t"))?.items).toBe(1);
  });
});
