import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CHANGE_SETS, redo, undo, type Claim } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { at, chat, commitTurn, contents, idOf, stored } from "./turns.ts";

const dialogue = (...turns: number[]) => turns.flatMap((turn) => [`question ${turn}`, `answer ${turn}`]);

/** The i-th turn of a thread: an input, an answer, two steps more. */
const turn = (i: number) => ({ n: i * 4 - 2, question: `question ${i}`, answer: `answer ${i}`, more: 2 });

async function putLongValue(saver: Saver, id: string, parent: string, long: string): Promise<void> {
  const tuple = await saver.getTuple({ configurable: { thread_id: "t" } });
  await saver.put(
    { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: parent } },
    {
      v: 4,
      id,
      ts: "2026-01-01T01:00:00.000Z",
      channel_values: { ...tuple?.checkpoint.channel_values, long },
      channel_versions: { ...tuple?.checkpoint.channel_versions, long: Number(id) },
      versions_seen: {},
    },
    { source: "loop", step: 9, parents: {} },
    { long: Number(id) },
  );
}

describe.each(ALL_SAVERS)("$name", (kind) => {
  let saver: Saver;
  let reopen: () => Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, reopen, close } = kind.open()));
  afterEach(() => close());

  describe("prune", () => {
    it("keeps turn boundaries, and what stays reads as before, also when the thread goes on", async () => {
      // of the four checkpoints of a turn the first and the last stay
      for (let i = 1; i <= 30; i += 1) await commitTurn(saver, { thread: "t", ...turn(i) });
      const before = await contents(saver, "t", 40);
      const report = await saver.prune("t", { keepTurnBoundaries: true });
      expect(report).toMatchObject({ checkpointsRemoved: 60, checkpointsKept: 60 });
      expect(await stored(saver, "t")).toEqual(
        Array.from({ length: 30 }, (_, i) => [i * 4 + 1, i * 4 + 4]).flat(),
      );
      expect(await contents(saver, "t", 40)).toEqual(before);
      await commitTurn(saver, { thread: "t", ...turn(31) });
      expect(await contents(reopen(), "t")).toEqual(dialogue(...Array.from({ length: 31 }, (_, i) => i + 1)));
      expect((await saver.getTuple(at("t", 40)))?.parentConfig?.configurable).toMatchObject({
        checkpoint_id: idOf(37),
      });
      // turn by turn, as before
      await undo(saver, "t", 3);
      expect(await contents(saver, "t")).toEqual(dialogue(...Array.from({ length: 28 }, (_, i) => i + 1)));
      await redo(saver, "t", 2);
      expect(await contents(saver, "t")).toEqual(dialogue(...Array.from({ length: 30 }, (_, i) => i + 1)));
    });

    it("never breaks a fork: its point, its tip and what they need stay", async () => {
      await chat(saver, "t", 4);
      await commitTurn(saver, { thread: "t", n: 20, question: "other", answer: "branch", after: 4 });
      await saver.prune("t", { keepLast: 1 });
      expect(await stored(saver, "t")).toEqual([4, 8, 20]);
      expect(await contents(saver, "t", 8)).toEqual(dialogue(1, 2, 3, 4));
      expect(await contents(saver, "t", 20)).toEqual([...dialogue(1, 2), "other", "branch"]);
    });

    it("removes the items that nothing needs any more, and only these", async () => {
      await chat(saver, "t", 3);
      await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" });
      const before = await saver.storageReport("t");
      await putLongValue(saver, idOf(7), idOf(6), "x".repeat(1000));
      await putLongValue(saver, idOf(8), idOf(7), "y".repeat(1000));
      const report = await saver.prune("t", { keepLast: 1 });
      expect(report.itemsRemoved).toBe(1);
      expect((await saver.storageReport("t"))?.items).toBe((before?.items ?? 0) + 1);
      expect((await saver.getTuple(at("t")))?.checkpoint.channel_values["long"]).toBe("y".repeat(1000));
      expect(await contents(saver, "t")).toEqual(dialogue(1, 2, 3));
    });

    it("keeps an interrupt that nobody answered, and is refused while a run holds the thread", async () => {
      await chat(saver, "t", 2);
      await saver.putWrites(at("t", 4), [["__interrupt__", { value: "go on?" }]], "task");
      const { claim } = await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
      await expect(saver.prune("t", { keepLast: 1 })).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
      await saver[CHANGE_SETS].release(claim as Claim);
      await saver.prune("t", { keepLast: 1 });
      const tuple = await saver.getTuple(at("t"));
      expect(tuple?.pendingWrites).toEqual([["task", "__interrupt__", { value: "go on?" }]]);
    });

    it("keeps a question that a later turn has passed over, and none that was answered", async () => {
      await chat(saver, "t", 3);
      const asked = [["__interrupt__", { value: "go on?" }]] as [string, unknown][];
      // behind the one stands an input, behind the other the step that its answer led to
      for (const n of [2, 3]) await saver.putWrites(at("t", n), asked, "task");
      await saver.prune("t", { keepLast: 1 });
      expect(await stored(saver, "t")).toEqual([2, 6]);
      await saver.moveHead("t", idOf(2));
      expect((await saver.getTuple(at("t")))?.pendingWrites).toHaveLength(1);
      expect(await contents(saver, "t")).toEqual(dialogue(1));
    });

    it("keeps checkpoints that are young, and says what is wrong with its options", async () => {
      await chat(saver, "t", 5);
      const now = Date.UTC(2026, 0, 1, 0, 10);
      await saver.prune("t", { maxAge: 4 * 60_000, now });
      expect(await stored(saver, "t")).toEqual([5, 6, 7, 8, 9, 10]);
      await expect(saver.prune("t", {})).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
      for (const keepLast of [-1, 0.5, "5" as never])
        await expect(saver.prune("t", { keepLast })).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
      await expect(saver.prune("nobody", { keepLast: 1 })).rejects.toMatchObject({ code: "UNKNOWN_THREAD" });
    });

    it("is not undone by a saver that remembers the thread from before", async () => {
      const other = reopen();
      await chat(saver, "t", 6);
      expect(await contents(other, "t")).toHaveLength(12);
      await saver.prune("t", { keepLast: 1 });
      await commitTurn(other, { thread: "t", n: 14, question: "question 7", answer: "answer 7" });
      expect(await contents(saver, "t")).toEqual(dialogue(1, 2, 3, 4, 5, 6, 7));
    });
  });

  it("sweep deletes threads that nobody wrote to, unless a run holds them", async () => {
    const now = Date.now() + 3_600_000;
    await chat(saver, "old", 1);
    await chat(saver, "held", 1);
    const ts = new Date(now).toISOString();
    await commitTurn(saver, { thread: "new", n: 2, question: "q", answer: "a", ts });
    const { claim } = await saver[CHANGE_SETS].open({ threadId: "held", namespace: "" }, { claim: "fail" });
    expect(await saver.sweep({ ttl: 60_000, now })).toEqual(["old"]);
    await saver[CHANGE_SETS].release(claim as Claim);
    expect((await saver.listThreads()).map(({ threadId }) => threadId).toSorted()).toEqual(["held", "new"]);
    for (const wrong of [{ ttl: Number.NaN }, { ttl: 0, limit: Number.NaN }, { ttl: 0, limit: -1 }])
      await expect(saver.sweep(wrong)).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
    expect(await saver.sweep({ ttl: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  it("sweep keeps an old thread that was moved, copied or imported since", async () => {
    await chat(saver, "t", 2);
    const lines: string[] = [];
    for await (const line of saver.exportThread("t")) lines.push(line);
    const ts = new Date(Date.now() + 1000).toISOString();
    await commitTurn(saver, { thread: "t", n: 6, question: "q", answer: "a", ts });
    await saver.moveHead("t", idOf(2));
    await saver.copyThread("t", "copy");
    await saver.importThread(lines, { as: "imported" });
    expect(await saver.sweep({ ttl: 60_000 })).toEqual([]);
    const now = Date.now() + 61_000;
    expect((await saver.sweep({ ttl: 60_000, now })).toSorted()).toEqual(["copy", "imported", "t"]);
  });

  it.each([
    ["was put to", () => putValue(saver, "t", idOf(9), "new"), ["t"]],
    [
      "was given an answer",
      async () => {
        const { claim } = await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
        const at2 = { threadId: "t", namespace: "", checkpointId: idOf(2) };
        await saver[CHANGE_SETS].record(claim as Claim, at2, [{ taskId: "a", writes: [["note", "yes"]] }]);
        await saver[CHANGE_SETS].release(claim as Claim);
      },
      ["t"],
    ],
    ["was deleted", () => saver.deleteThread("t"), []],
  ] as const)("sweep leaves a thread alone that %s since it was listed", async (_, change, left) => {
    await chat(saver, "t", 1);
    const sets = saver[CHANGE_SETS];
    const open = vi.spyOn(sets, "open").mockImplementationOnce(async (...args) => {
      open.mockRestore();
      await change();
      return sets.open(...args);
    });
    expect(await saver.sweep({ ttl: 0, now: Date.now() + 60_000 })).toEqual([]);
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(left);
  });

  it("a sweeper sweeps until it is stopped", async () => {
    await chat(saver, "old", 1);
    const stop = saver.startSweeper({ ttl: 10, every: 5 });
    await expect.poll(() => saver.listThreads()).toEqual([]);
    stop();
    await chat(saver, "old", 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await saver.listThreads()).toHaveLength(1);
  });

  describe("moveHead and deleteBranch", () => {
    it("go back and forward, and a run goes on from there", async () => {
      await chat(saver, "t", 3);
      await saver.moveHead("t", idOf(2));
      expect(await contents(reopen(), "t")).toEqual(dialogue(1));
      await saver.moveHead("t", idOf(6));
      expect(await contents(saver, "t")).toEqual(dialogue(1, 2, 3));
      await saver.moveHead("t", idOf(4));
      await commitTurn(saver, { thread: "t", n: 10, question: "question 9", answer: "answer 9" });
      expect(await contents(saver, "t")).toEqual(dialogue(1, 2, 9));
      expect(await contents(saver, "t", 6)).toEqual(dialogue(1, 2, 3));
      expect(await stored(saver, "t")).toEqual([1, 2, 3, 4, 5, 6, 9, 10]);
      await expect(saver.moveHead("t", "nowhere")).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    });

    it("remove a branch and nothing of the others", async () => {
      await chat(saver, "t", 3);
      await commitTurn(saver, { thread: "t", n: 10, question: "question 9", answer: "answer 9", after: 4 });
      // the head is further back on it, or its tip
      for (const n of [9, 10]) {
        await saver.moveHead("t", idOf(n));
        const refused = { code: "INVALID_CONFIGURATION" };
        await expect(saver.deleteBranch("t", idOf(10))).rejects.toMatchObject(refused);
      }
      await expect(saver.deleteBranch("t", idOf(5))).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
      const report = await saver.deleteBranch("t", idOf(6));
      expect(report).toMatchObject({ checkpointsRemoved: 2, itemsRemoved: 2 });
      expect(await stored(saver, "t")).toEqual([1, 2, 3, 4, 9, 10]);
      expect(await contents(reopen(), "t")).toEqual(dialogue(1, 2, 9));
    });
  });
});
