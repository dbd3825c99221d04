import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { change, ROOT } from "./support/change-sets.ts";

/** Longer than what stands in a manifest. */
const said = (id: string): string => `${id}: ${"word ".repeat(80)}`;
const at = (id: string) => ({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } });
const head = { configurable: { thread_id: "t" } };

/** A run of one step. */
const runOn = async (saver: Saver, id: string): Promise<string | undefined> => {
  const sets = saver[CHANGE_SETS];
  const { claim, headId } = await sets.open(ROOT, { claim: "fail" });
  const next = { ...change(id, headId, { n: { op: "set", value: said(id) } }), release: true };
  await sets.commit(claim as Claim, next);
  return headId;
};

describe.each(ALL_SAVERS)("a thread is taken again as it was left, on $name (S1)", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  beforeEach(() => {
    storage = kind.open();
  });
  afterEach(() => storage.close());

  it.each<[string, (other: Saver) => Promise<unknown>, head: string | undefined, pending: boolean]>([
    ["that nobody touched", async () => {}, "2", false],
    ["that somebody else ran", (other) => runOn(other, "3"), "3", false],
    ["that a newer checkpoint was put to", (other) => putValue(other, "t", "3", "put"), "3", false],
    ["that an older checkpoint was put to", (other) => putValue(other, "t", "0", "put"), "2", false],
    ["whose head has got writes", (other) => other.putWrites(at("2"), [["n", 1]], "task"), "2", true],
    ["whose head was moved", (other) => other.moveHead("t", "1"), "1", false],
    ["that was deleted", (other) => other.deleteThread("t"), undefined, false],
    [
      "that was made anew",
      async (other) => {
        await other.deleteThread("t");
        await runOn(other, "7");
      },
      "7",
      false,
    ],
  ])("%s", async (_, act, expected, pending) => {
    const { saver } = storage;
    for (const id of ["1", "2"]) await runOn(saver, id);
    await act(storage.reopen());
    const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    expect(opened.headId).toBe(expected);
    expect(opened.checkpoint?.pendingWrites.length ?? 0).toBe(pending ? 1 : 0);
    await saver[CHANGE_SETS].release(opened.claim as Claim);
    expect(await runOn(saver, "8")).toBe(expected);
    const tuple = await storage.reopen().getTuple(head);
    expect(tuple?.checkpoint.id).toBe("8");
    expect(tuple?.checkpoint.channel_values["n"]).toBe(said("8"));
  });

  it("whose head was put again", async () => {
    const { saver } = storage;
    for (const id of ["1", "2"]) await runOn(saver, id);
    await putValue(storage.reopen(), "t", "2", "put again");
    const { claim, checkpoint } = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    expect(await checkpoint?.channels.get("n")?.load()).toBe("put again");
    await saver[CHANGE_SETS].release(claim as Claim);
  });

  it("not while somebody else holds it, or another run", async () => {
    const { saver } = storage;
    for (const id of ["1", "2"]) await runOn(saver, id);
    const other = storage.reopen()[CHANGE_SETS];
    const { claim } = await other.open(ROOT, { claim: "fail" });
    await expect(runOn(saver, "3")).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    await other.release(claim as Claim);
    const own = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await expect(runOn(saver, "3")).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    await saver[CHANGE_SETS].release(own.claim as Claim);
    expect(await runOn(saver, "3")).toBe("2");
  });
});
