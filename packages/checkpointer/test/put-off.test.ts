import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { taken } from "../src/core/taken.ts";
import { CHANGE_SETS, type ChannelChange, type Claim, defaultCodec } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { change, contents, ROOT } from "./support/change-sets.ts";

/** Longer than what stands in a manifest. */
const said = (id: string): string => `${id}: ${"word ".repeat(80)}`;
const question = (id: string): HumanMessage => new HumanMessage({ id, content: said(id) });
const at = (id: string) => ({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } });
const head = { configurable: { thread_id: "t" } };

/** Of the root graph, the newest first. */
const ids = async (from: Saver): Promise<string[]> => {
  const found: string[] = [];
  for await (const { checkpoint } of from.list(head)) found.push(checkpoint.id);
  return found;
};
const messagesOf = async (from: Saver, id: string): Promise<unknown> =>
  contents((await from.getTuple(at(id)))?.checkpoint.channel_values["messages"]);

const expectStored = async (from: Saver): Promise<void> => {
  expect(await ids(from)).toEqual(["3", "2", "1"]);
  const start = (await from.getTuple(at("2")))?.checkpoint.channel_values["start"] as {
    messages: BaseMessage[];
  };
  expect(contents(start.messages)).toEqual([said("q1")]);
  expect(await messagesOf(from, "3")).toEqual([said("q0"), said("q1")]);
};

const SAVERS = ALL_SAVERS.filter(({ name }) => name !== "MemorySaver");

describe.each(SAVERS)("a commit that another one follows, on $name (C6)", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  let saver: Saver;
  let claim: Claim;
  const asked = question("q1");

  const commit = async (
    id: string,
    parentId: string | undefined,
    channels: Record<string, ChannelChange>,
    more: object = {},
  ): Promise<void> => saver[CHANGE_SETS].commit(claim, { ...change(id, parentId, channels), ...more });
  const take = async (): Promise<Claim> =>
    (await saver[CHANGE_SETS].open(ROOT, { claim: "fail" })).claim as Claim;
  /** The input of a run, put off. */
  const input = (): Promise<void> =>
    commit("2", "1", { start: { op: "set", value: { messages: [asked] } } }, { followed: true });
  /** Its first step. */
  const step = (): Promise<void> =>
    commit("3", "2", {
      start: { op: "clear" },
      messages: { op: "list", segments: [{ keep: [0, 1] }, { add: [asked] }] },
    });
  beforeEach(async () => {
    storage = kind.open();
    ({ saver } = storage);
    asked.additional_kwargs = {};
    claim = await take();
    // names and lanes are stored when they come first, by a commit that goes alone
    await commit("1", undefined, {
      start: { op: "set", value: { before: said("before") } },
      messages: { op: "list", segments: [{ add: [question("q0")] }] },
    });
  });
  afterEach(() => storage.close());

  it("is stored with it, each message once", async () => {
    await input();
    expect(await ids(storage.reopen())).toEqual(["1"]);
    await step();
    await expectStored(storage.reopen());
    let exported = "";
    for await (const line of saver.exportThread("t")) exported += line;
    expect(exported.split("q1: ").length - 1).toBe(1);
  });

  it.each<[string, () => unknown]>([
    ["a checkpoint is read", () => saver.getTuple(at("2"))],
    ["another namespace is opened", () => saver[CHANGE_SETS].open({ threadId: "t", namespace: "sub" })],
    ["a page is read", () => saver.history(head, { limit: 1 })],
    ["it is searched", () => saver.search(head, "q0")],
    ["writes are put", () => saver.putWrites(at("1"), [["messages", "x"]], "task")],
  ])("comes before what is asked meanwhile: %s", async (_, ask) => {
    await input();
    await ask();
    expect(await ids(storage.reopen())).toEqual(["2", "1"]);
    await step();
    await expectStored(storage.reopen());
  });

  it("is stored when the thread is given back, and when the saver is closed", async () => {
    await input();
    await saver[CHANGE_SETS].release(claim);
    expect(await ids(storage.reopen())).toEqual(["2", "1"]);
    claim = await take();
    await commit("3", "2", { start: { op: "clear" } }, { followed: true });
    expect(await ids(storage.reopen())).toEqual(["2", "1"]);
    const other = storage.reopen();
    await (saver as SqliteSaver).close();
    expect(await ids(other)).toEqual(["3", "2", "1"]);
  });

  it("fails with it where the thread was taken by somebody else, and nothing of either is there", async () => {
    await input();
    const other = storage.reopen();
    const taken = await other[CHANGE_SETS].open(ROOT, { claim: "take" });
    await expect(step()).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    await other[CHANGE_SETS].release(taken.claim as Claim);
    expect(await ids(other)).toEqual(["1"]);
    // what was remembered of it is forgotten
    expect(await messagesOf(saver, "1")).toEqual([said("q0")]);
    claim = await take();
    await input();
    await step();
    await expectStored(other);
  });

  it("tells the run of a failure, not who came between", async () => {
    await input();
    const other = storage.reopen();
    await other[CHANGE_SETS].open(ROOT, { claim: "take" });
    expect(await messagesOf(saver, "1")).toEqual([said("q0")]);
    await expect(step()).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    expect(await ids(other)).toEqual(["1"]);
  });

  it("a release tells of it, too", async () => {
    await input();
    await storage.reopen()[CHANGE_SETS].open(ROOT, { claim: "take" });
    await expect((async () => saver[CHANGE_SETS].release(claim))()).rejects.toMatchObject({
      code: "THREAD_CONFLICT",
    });
  });

  it("is planned anew where somebody else has taken its number, and says what it said", async () => {
    await input();
    // a program may edit in place what it has handed over
    asked.additional_kwargs = { seen: true };
    await putValue(storage.reopen(), "t", "0", "from another program");
    await step();
    const other = storage.reopen();
    expect(await ids(other)).toEqual(["3", "2", "1", "0"]);
    expect(await messagesOf(other, "3")).toEqual([said("q0"), said("q1")]);
    const start = (await other.getTuple(at("2")))?.checkpoint.channel_values["start"] as {
      messages: BaseMessage[];
    };
    expect(start.messages[0]?.additional_kwargs).toEqual({});
  });

  it.each<[string, number]>([
    ["that would go with it", 1],
    ["that has to go alone", 4],
  ])("is stored where the next one cannot be, one %s", async (_, count) => {
    await input();
    const add = Array.from({ length: count }, (_, i) => ({
      id: `m${i}`,
      call: i === count - 1 && (() => i),
    }));
    const list = commit("3", "2", { messages: { op: "list", segments: [{ keep: [0, 1] }, { add }] } });
    await expect(list).rejects.toMatchObject({ code: "UNSTORABLE_VALUE" });
    expect(await ids(storage.reopen())).toEqual(["2", "1"]);
    await step();
    await expectStored(storage.reopen());
  });

  it("is stored first where the next one cannot go with it", async () => {
    await input();
    const many = [asked, question("q2"), question("q3"), question("q4")];
    await commit("3", "2", {
      start: { op: "clear" },
      messages: { op: "list", segments: [{ keep: [0, 1] }, { add: many }] },
    });
    expect(await messagesOf(storage.reopen(), "3")).toEqual(["q0", "q1", "q2", "q3", "q4"].map(said));
  });
});

const value = (text: string): ChannelChange => ({ op: "set", value: [text] });

it("a commit that was put off and finds the disk full is told to the run as that", async () => {
  const { default: Database } = await import("libsql");
  const db = new Database(":memory:");
  const saver = new SqliteSaver(db as never);
  const sets = saver[CHANGE_SETS];
  const { claim } = await sets.open(ROOT, { claim: "fail" });
  await sets.commit(claim as Claim, change("1", undefined, { start: value(said("before")) }));
  const [size] = db.prepare("PRAGMA page_count").raw().get() as [number];
  db.exec(`PRAGMA max_page_count = ${size}`);
  const large = { ...change("2", "1", { start: value("x".repeat(100_000)) }), followed: true };
  await sets.commit(claim as Claim, large);
  expect((await saver.getTuple(head))?.checkpoint.id).toBe("1");
  const step = async (): Promise<void> =>
    sets.commit(claim as Claim, change("3", "2", { start: { op: "clear" } }));
  await expect(step()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  await expect((async () => sets.release(claim as Claim))()).resolves.toBeUndefined();
  db.exec("PRAGMA max_page_count = 1000000");
  const again = await sets.open(ROOT, { claim: "fail" });
  expect(again.headId).toBe("1");
  await sets.commit(again.claim as Claim, large);
  await sets.commit(again.claim as Claim, change("3", "2", { start: { op: "clear" } }));
  expect((await saver.getTuple(head))?.checkpoint.id).toBe("3");
});

it("visits no hole of a list that consists of thousands of millions, which would hold up the process", () => {
  const list: unknown[] = [];
  list[4_000_000_000] = 1;
  const { said, lists } = taken(defaultCodec, {
    channels: new Map(),
    writes: [{ taskId: "task", writes: [["v", list]] }],
  });
  expect([lists.size, said.get(list)?.text]).toEqual([0, defaultCodec.encode(list)]);
});
