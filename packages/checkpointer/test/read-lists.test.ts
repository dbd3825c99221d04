import { createRequire } from "node:module";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CHANGE_SETS, type Claim, type Segment } from "../src/index.ts";
import { SqliteSaver, type SqliteDatabase } from "../src/sqlite/index.ts";

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => SqliteDatabase;

const ROOT = { threadId: "t", namespace: "" };
const LENGTH = 600;
const message = (n: number, content = `text ${n}`): HumanMessage =>
  new HumanMessage({ id: `m${n}`, content });

/** Opens the head, lets `change` make of its list what is committed next, and says what it read. */
async function turn(
  saver: SqliteSaver,
  change: (list: BaseMessage[]) => readonly Segment[],
): Promise<BaseMessage[]> {
  const log = saver[CHANGE_SETS];
  const { checkpoint, claim, headId } = await log.open(ROOT, { claim: "fail" });
  const list = ((await checkpoint?.channels.get("list")?.load()) ?? []) as BaseMessage[];
  const at = Number(headId ?? 0) + 1;
  await log.commit(claim as Claim, {
    namespace: "",
    parentId: headId,
    expectedHead: headId,
    checkpoint: {
      id: String(at).padStart(4, "0"),
      ts: "2026-01-01T00:00:00.000Z",
      metadata: { source: "loop", step: at, parents: {} },
      channelVersions: { list: at },
      versionsSeen: {},
    },
    channels: new Map([["list", { op: "list", segments: change(list) }]]),
    writes: [],
    release: true,
  });
  return list;
}

/** The halves of a list in turn. */
const turned = <Element>(list: readonly Element[]): Element[] => [
  ...list.slice(LENGTH / 2),
  ...list.slice(0, LENGTH / 2),
];

const items = async (saver: SqliteSaver): Promise<number | undefined> =>
  (await saver.storageReport("t"))?.items;

describe("messages of a list that was read (C3, I7)", () => {
  let db: SqliteDatabase;
  beforeEach(async () => {
    db = new Database(":memory:");
    const all = Array.from({ length: LENGTH }, (_, n) => message(n));
    await turn(new SqliteSaver(db), () => [{ add: all }]);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    db.close();
  });

  it("cost no entry each while nobody asks for them", async () => {
    const set = vi.spyOn(WeakMap.prototype, "set");
    await turn(new SqliteSaver(db), () => [{ keep: [0, LENGTH] }, { add: [message(LENGTH)] }]);
    expect(set.mock.calls.filter(([key]) => key instanceof HumanMessage).length).toBeLessThan(20);
  });

  it.each([
    ["at once", Number.POSITIVE_INFINITY, 0],
    ["after many others were looked for", Number.POSITIVE_INFINITY, 50],
    ["when the list was too large to be kept", 0, 0],
  ])("are the items that they were when they come back %s", async (_when, cacheBytes, others) => {
    const saver = new SqliteSaver(db, { cacheBytes });
    const added = Array.from({ length: others }, (_, n) => message(LENGTH + n));
    const before = await items(saver);
    await turn(saver, (list) => [{ add: [...added, ...turned(list)] }]);
    expect(await items(saver)).toBe((before ?? 0) + others);
    const read = await turn(new SqliteSaver(db), () => [{ keep: [0, 1] }]);
    const ids = [...added, ...turned(Array.from({ length: LENGTH }, (_, n) => message(n)))].map(
      ({ id }) => id,
    );
    expect(read.map(({ id }) => id)).toEqual(ids);
  });

  it("are so for the run that read them, though another list takes their place meanwhile", async () => {
    const saver = new SqliteSaver(db);
    let held: BaseMessage[] = [];
    await turn(saver, (list) => {
      held = list;
      return [{ keep: [0, 10] }];
    });
    const before = await items(saver);
    await turn(saver, () => [{ add: held }]);
    expect(await items(saver)).toBe(before);
  });

  it("are stored anew when their text was edited in place before anybody asked", async () => {
    const saver = new SqliteSaver(db);
    await turn(saver, (list) => {
      (list[7] as BaseMessage).content = "edited";
      return [{ add: list }];
    });
    const read = await turn(new SqliteSaver(db), () => [{ keep: [0, 1] }]);
    expect(read.map(({ content }) => content)).toEqual(
      Array.from({ length: LENGTH }, (_, n) => (n === 7 ? "edited" : `text ${n}`)),
    );
  });
});

it("messages that another codec wrote in other words are not stored again (C3)", async () => {
  const db = new Database(":memory:");
  const thread = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  const put = (saver: SqliteSaver, list: readonly BaseMessage[], at: number) =>
    saver.put(
      { configurable: { ...thread.configurable, ...(at > 1 && { checkpoint_id: `000${at - 1}` }) } },
      {
        v: 4,
        id: `000${at}`,
        ts: "2026-01-01T00:00:00.000Z",
        channel_values: { messages: list },
        channel_versions: { messages: at },
        versions_seen: {},
      },
      { source: "loop", step: at, parents: {} },
      { messages: at },
    );
  await put(
    new SqliteSaver(db),
    [1, 2, 3, 4, 5].map((n) => message(n)),
    1,
  );
  db.prepare(`UPDATE items SET body = replace(body, ',"k"', ',"additional_kwargs":{},"k"')`).run();
  const saver = new SqliteSaver(db);
  const before = (await items(saver)) ?? 0;
  const tuple = await saver.getTuple(thread);
  const messages = tuple?.checkpoint.channel_values["messages"] as BaseMessage[];
  await put(saver, [...messages, message(6)], 2);
  expect(await items(saver)).toBe(before + 1);
  // what was edited is still another one
  const edited = messages.map((one) => new HumanMessage({ id: one.id as string, content: one.text }));
  (edited[4] as HumanMessage).name = "Ada";
  await put(saver, [...edited, message(6)], 3);
  expect(await items(saver)).toBe(before + 2);
  db.close();
});
