import type { GraphError } from "@skein/errors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, chat, commitTurn, contents, idOf, stored } from "./turns.ts";

const take = async (saver: Saver, claim: "fail" | "take" = "fail"): Promise<Claim> =>
  (await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim })).claim as Claim;
const listed = async (saver: Saver) => (await saver.listThreads()).map(({ threadId }) => threadId);
const sorted = (writes: readonly unknown[]) => writes.map((write) => JSON.stringify(write)).toSorted();

describe.each(ALL_SAVERS)("rewind of $name (F6)", (kind) => {
  let saver: Saver;
  let reopen: () => Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, reopen, close } = kind.open()));
  afterEach(() => close());

  it("removes what stands between the head and an earlier checkpoint, and the thread goes on from that", async () => {
    await chat(saver, "t", 3);
    const claim = await take(saver);
    await saver.rewind(claim, idOf(2));
    await saver[CHANGE_SETS].release(claim);
    expect(await stored(saver, "t")).toEqual([1, 2]);
    await commitTurn(saver, { thread: "t", n: 20, question: "again", answer: "better" });
    expect(await contents(reopen(), "t")).toEqual(["question 1", "answer 1", "again", "better"]);
  });

  it("leaves another branch with all that it goes back to", async () => {
    await chat(saver, "t", 3);
    await commitTurn(saver, { thread: "t", n: 20, question: "other", answer: "branch", after: 4 });
    const claim = await take(saver);
    await saver.rewind(claim, idOf(2));
    await saver[CHANGE_SETS].release(claim);
    expect(await stored(saver, "t")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1"]);
    expect(await contents(reopen(), "t", 6)).toContain("answer 3");
  });

  it("of a thread that is taken back to before everything nothing is left, and it can begin anew", async () => {
    await chat(saver, "t", 2);
    const claim = await take(saver);
    await saver.rewind(claim, undefined);
    await saver[CHANGE_SETS].release(claim);
    expect(await listed(saver)).toEqual([]);
    expect(await saver.getTuple(at("t"))).toBeUndefined();
    await expect(saver.copyThread("t", "u")).rejects.toMatchObject({ code: "UNKNOWN_THREAD" });
    expect(await saver.storageReport("t")).toMatchObject({ items: 0, writeBytes: 0, manifestBytes: 0 });
    await chat(saver, "t", 1);
    expect(await contents(reopen(), "t")).toEqual(["question 1", "answer 1"]);
    expect(await listed(saver)).toEqual(["t"]);
  });

  it.each([true, false])(
    "leaves the checkpoint with its questions as before the last answer, if told to (%s)",
    async (isUnanswered) => {
      await chat(saver, "t", 2);
      const [once, twice, asking, done] = ["1", "2", "3", "4"].map(
        (n) => `00000000-0000-5000-8000-00000000000${n}`,
      );
      const command = "00000000-0000-0000-0000-000000000000";
      const asked: [string, unknown] = ["__interrupt__", { value: "sure?" }];
      const written: [task: string, channel: string, value: unknown][] = [
        [command as string, "__resume__", "yes"],
        [once as string, ...asked],
        [once as string, "__resume__", ["yes"]],
        [once as string, "note", "paid"],
        [twice as string, ...asked],
        [twice as string, "__resume__", ["who", ["yes"]]],
        [twice as string, "note", "paid"],
        [asking as string, ...asked],
        [asking as string, "__resume__", ["who"]],
        [done as string, "note", "done"],
      ];
      for (const [task, channel, value] of written)
        await saver.putWrites(at("t", 2), [[channel, value]], task);
      const before = await saver.getTuple(at("t", 2));
      const claim = await take(saver);
      await saver.rewind(claim, idOf(2), { unanswered: isUnanswered });
      await saver[CHANGE_SETS].release(claim);
      const { checkpoint, pendingWrites = [] } = (await reopen().getTuple(at("t"))) ?? {};
      expect(checkpoint).toEqual(before?.checkpoint);
      const left = [
        [once, ...asked],
        [twice, ...asked],
        [twice, "__resume__", ["who"]],
        [asking, ...asked],
        [asking, "__resume__", ["who"]],
        [done, "note", "done"],
      ];
      const told = pendingWrites.filter(([, channel]) => channel === "note" || channel.startsWith("__"));
      expect(sorted(told)).toEqual(sorted(isUnanswered ? left : written));
    },
  );

  it("changes nothing for who lost the thread meanwhile, or names what the head does not go back to", async () => {
    await chat(saver, "t", 2);
    await commitTurn(saver, { thread: "t", n: 20, question: "other", answer: "branch", after: 2 });
    const lost = await take(saver);
    const claim = await take(reopen(), "take");
    await expect(saver.rewind(lost, idOf(2))).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    // another run may have removed it since
    await expect(saver.rewind(lost, idOf(4))).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    await expect(saver.rewind(lost, undefined)).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    await expect(saver.rewind(claim, idOf(4))).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    expect(await stored(saver, "t")).toEqual([1, 2, 3, 4, 19, 20]);
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1", "other", "branch"]);
  });
});

it.each(ALL_SAVERS)(
  "what was opened before a rewind says that the thread changed, not that it is damaged ($name)",
  async ({ open }) => {
    const { saver, reopen, close } = open();
    await chat(saver, "t", 3);
    const reader = reopen();
    const opened = await reader[CHANGE_SETS].open({ threadId: "t", namespace: "" });
    const archive = opened.checkpoint?.channels.get("full_messages");
    await saver.rewind(await take(saver), undefined);
    const error = await (async () => archive?.load())().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "THREAD_CONFLICT" });
    // who only reads has no run, and stores nothing
    expect(String(error)).not.toMatch(/this run|stored now/);
    await close();
  },
);

const OLD = [1, 2, 3].flatMap((n) => [`question ${n}`, `answer ${n}`]);
const texts = (messages: unknown) => (messages as { content: string }[]).map(({ content }) => content);
const channel = async (reader: Saver, name: string) => {
  const { checkpoint } = await reader[CHANGE_SETS].open({ threadId: "t", namespace: "" });
  return checkpoint?.channels.get(name);
};
const goBackAndOn = async (saver: Saver) => {
  const claim = await take(saver);
  await saver.rewind(claim, idOf(2));
  await saver[CHANGE_SETS].release(claim);
  for (const n of [20, 30])
    await commitTurn(saver, { thread: "t", n, question: `new ${n}`, answer: `newer ${n}` });
};

/** Who has to be awaited reads an archive with its checkpoint; the others when somebody looks at it. */
const READING = ALL_SAVERS.map((kind) => ({
  ...kind,
  ofArchive: kind.name === "PostgresSaver" ? OLD : "THREAD_CONFLICT",
}));

describe.each(READING)(
  "what was read before others removed messages and wrote new ones, $name",
  ({ open, ofArchive }) => {
    const LISTS = ["messages", "full_messages"];

    it.each(LISTS)("never shows a new one in the place of a removed one (%s)", async (name) => {
      const { saver, reopen, close } = open();
      await chat(saver, "t", 3);
      const stale = await channel(reopen(), name);
      await goBackAndOn(saver);
      await expect((async () => stale?.load())()).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
      await close();
    });

    it("a tuple keeps the context, and its archive, if it was not read with it, says that the thread changed", async () => {
      const { saver, reopen, close } = open();
      await chat(saver, "t", 3);
      const values = (await reopen().getTuple(at("t")))?.checkpoint.channel_values ?? {};
      await goBackAndOn(saver);
      expect(texts(values["messages"])).toEqual(OLD);
      const archive = (async () => texts(values["full_messages"]))();
      expect(await archive.catch(({ code }: GraphError) => code)).toEqual(ofArchive);
      await close();
    });

    it.each(LISTS)("still shows what stayed (%s)", async (name) => {
      const { saver, reopen, close } = open();
      await chat(saver, "t", 3);
      const [stale, tuple] = [await channel(reopen(), name), await reopen().getTuple(at("t"))];
      await saver.prune("t", { keepLast: 1 });
      await commitTurn(saver, { thread: "t", n: 20, question: "new", answer: "newer" });
      expect(texts(await stale?.load())).toEqual(OLD);
      expect(texts(tuple?.checkpoint.channel_values[name])).toEqual(OLD);
      await close();
    });

    it("a list of checkpoints that is read slowly goes on with those that are left", async () => {
      const { saver, reopen, close } = open();
      await chat(saver, "t", 3);
      const list = reopen().list(at("t"))[Symbol.asyncIterator]();
      expect((await list.next()).value).toMatchObject({ checkpoint: { id: idOf(6) } });
      await goBackAndOn(saver);
      const left: unknown[] = [];
      for (let next = await list.next(); next.done !== true; next = await list.next()) {
        const { id, channel_values: values } = next.value.checkpoint;
        left.push([id, texts(values["messages"])]);
      }
      expect(left).toEqual([
        [idOf(2), OLD.slice(0, 2)],
        [idOf(1), OLD.slice(0, 1)],
      ]);
      await close();
    });
  },
);

describe.each(ALL_SAVERS)("who takes a thread from another, $name", ({ open }) => {
  it("finds it as that one left it, also what it did while the thread was being taken", async () => {
    const { saver, reopen, close } = open();
    await chat(saver, "t", 3);
    const holder = await take(saver);
    const other = reopen();
    // a second run under way: SQLite stores the writes of both together, a moment later
    await other[CHANGE_SETS].open({ threadId: "u", namespace: "" }, { claim: "fail" });
    const opening = other[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "take" });
    const [rewound, taken] = await Promise.allSettled([saver.rewind(holder, idOf(2)), opening]);
    const head = rewound.status === "fulfilled" ? idOf(2) : idOf(6);
    expect(taken).toMatchObject({ status: "fulfilled", value: { headId: head, checkpoint: { id: head } } });
    await close();
  });
});

it.each(ALL_SAVERS)("a thread that was only taken is not listed ($name)", async ({ open }) => {
  const { saver, close } = open();
  await chat(saver, "one", 1);
  await take(saver);
  await chat(saver, "two", 1);
  expect(await listed(saver)).toEqual(expect.arrayContaining(["one", "two"]));
  expect(await saver.listThreads({ limit: 2 })).toHaveLength(2);
  expect(await listed(saver)).toHaveLength(2);
  await close();
});

it.each(ALL_SAVERS)("a claim that no saver has made takes no thread back ($name)", async ({ open }) => {
  const { saver, close } = open();
  await chat(saver, "t", 2);
  const { threadId, epoch } = await take(saver);
  await expect(saver.rewind({ threadId, epoch }, idOf(2))).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
  });
  expect(await stored(saver, "t")).toEqual([1, 2, 3, 4]);
  await close();
});
