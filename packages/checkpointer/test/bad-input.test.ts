import { describe, expect, it } from "vitest";
import { AsyncBatchedStore, emptyCheckpoint } from "../src/base/index.ts";
import { diffCheckpoints, indexed, MemorySaver, rankTexts } from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { InMemoryStore } from "../src/store/index.ts";

const NONE = [undefined, null, 5, Number.NaN, {}, [null], Symbol("s"), 10n, () => 1, true];
const refused = expect.objectContaining({
  name: "GraphError",
  code: "INVALID_CONFIGURATION",
}) as unknown as Error;
const thread = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const url = "postgres://localhost:1/none";

describe.each([
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
])("what can't be meant of a saver in %s (issue 3, bad input)", (_, open) => {
  const put = (parts: object, metadata: unknown = { source: "loop", step: 0, parents: {} }) =>
    open().put(thread, { ...emptyCheckpoint(), ...parts }, metadata as never, {});
  const calls: readonly [string, () => unknown][] = [
    ...NONE.map((none): [string, () => unknown] => [
      `getDeltaChannelHistory(${typeof none})`,
      () => open().getDeltaChannelHistory(none as never),
    ]),
    [
      "channels that are a text",
      () => open().getDeltaChannelHistory({ config: thread, channels: "a" as never }),
    ],
    ["a checkpoint of a version that is a symbol", () => put({ v: Symbol("s") })],
    ["a checkpoint of no time", () => put({ ts: 5 })],
    ["a checkpoint that saw null", () => put({ versions_seen: null })],
    ["no metadata", () => put({}, null)],
    ["a page of threads behind none", () => open().listThreads({ before: {} as never })],
    ["a page of threads behind a text", () => open().listThreads({ before: "t" as never })],
    ["a search in a mode that there is not", () => open().search(thread, "x", { mode: "some" as never })],
    ["a cursor that is a symbol", () => open().search(thread, "x", { cursor: Symbol("s") as never })],
    ["a misspelt option of search", () => open().search(thread, "x", { limt: 5 } as never)],
    ["a misspelt option of history", () => open().history(thread, { limit: 1, befor: 5 } as never)],
    [
      "a page of a search that holds nothing, and so leads nowhere",
      () => open().search(thread, "x", { limit: 0 }),
    ],
    ["a page of a history that holds nothing", () => open().history(thread, { limit: 0 })],
    ["a history before no number", () => open().history(thread, { limit: 1, before: "5" as never })],
    ["a history before NaN", () => open().history(thread, { limit: 1, before: Number.NaN })],
    ["a misspelt option of importThread", () => open().importThread([], { to: "u" } as never)],
    ["an import under no id", () => open().importThread([], { as: "" })],
    ["a copy without an id", () => open().copyThread("t", "")],
    ["a number of prune that is a text", () => open().prune("t", { keepLast: "2" as never })],
    ["a misspelt option of prune", () => open().prune("t", { keepLast: 1, maxage: 5 } as never)],
    ["a time of prune that is none", () => open().prune("t", { maxAge: 5, now: Number.NaN })],
    ["boundaries that are a text", () => open().prune("t", { keepTurnBoundaries: "no" as never })],
    ["a time to live that is a symbol", () => open().sweep({ ttl: Symbol("s") as never })],
    ["a time of sweep that is none", () => open().sweep({ ttl: 5, now: Number.NaN })],
    ["a time of sweep that no calendar has", () => open().sweep({ ttl: 5, now: 1e300 })],
    ["a time of sweep as a BigInt", () => open().sweep({ ttl: 5, now: 10n as never })],
    ["a pause as a BigInt", async () => open().startSweeper({ ttl: 5, every: 10n as never })],
    ["a hook that is a text", async () => open().startSweeper({ ttl: 5, onError: "log" as never })],
    ["diffCheckpoints of a symbol", () => diffCheckpoints(open(), "t", Symbol("s") as never, "x")],
    ["diffCheckpoints of no thread", () => diffCheckpoints(open(), Symbol("s") as never, "x", "y")],
  ];
  it.each(calls)("%s", async (__, call) => {
    await expect(Promise.resolve().then(call)).rejects.toEqual(refused);
  });

  it("metadata of another writer need not name parents", async () => {
    await expect(put({}, { source: "loop", step: 0 })).resolves.toBeDefined();
  });

  it("versions that are no numbers count from one, as LangGraph's do", () => {
    for (const none of [undefined, null, {}, Symbol("s"), 10n, true])
      expect(open().getNextVersion(none as never)).toBe(1);
    expect(open().getNextVersion(4)).toBe(5);
  });
});

describe("what can't be meant of texts, stores and schemas", () => {
  const calls: readonly [string, () => unknown][] = [
    ...NONE.flatMap((none): [string, () => unknown][] => [
      [`indexed(${typeof none})`, () => indexed(none as never)],
      [`rankTexts(${typeof none})`, () => rankTexts(none as never, [])],
      [`rankTexts among ${typeof none}`, () => rankTexts("x", none as never)],
      [`rankTexts among [${typeof none}]`, () => rankTexts("x", [none as never])],
      [`new AsyncBatchedStore(${typeof none})`, () => new AsyncBatchedStore(none as never)],
    ]),
    ["a schema that is a symbol", () => PostgresSaver.fromConnString(url, { schema: Symbol("s") as never })],
    ["a schema as a BigInt", () => PostgresSaver.fromConnString(url, { schema: 10n as never })],
    ["a codec that is an object", () => new InMemoryStore({ codec: {} as never })],
    ["a clock that is a time", () => new InMemoryStore({ now: 5 as never })],
    ["a hook that is a text", () => new InMemoryStore({ onSweepError: "log" as never })],
    ["a time to live that is a number", () => new InMemoryStore({ ttl: 5 as never })],
  ];
  it.each(calls)("%s", (_, call) => {
    expect(call).toThrow(refused);
  });
});
