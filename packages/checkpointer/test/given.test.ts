import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemorySaver, migrateThread } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, chat, contents } from "./turns.ts";

const refused = { code: "INVALID_CONFIGURATION" };
const NO_IDS: readonly unknown[] = [undefined, null, {}, []];

describe.each(ALL_SAVERS)("what a program without types gives to $name", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ saver, close } = kind.open());
    await chat(saver, "t", 1);
  });
  afterEach(() => close());

  it("no id of a message erases nothing: everything without an id is not the message", async () => {
    await saver.putWrites(at("t", 2), [["n", { role: "x", content: "kept" }]], "task");
    for (const id of [...NO_IDS, "", 5]) {
      await expect(saver.eraseMessage(at("t"), id as string)).rejects.toMatchObject(refused);
    }
    const texts = "x" as unknown as string[];
    await expect(saver.eraseMessage(at("t"), "h2", { texts })).rejects.toMatchObject(refused);
    expect((await saver.getTuple(at("t")))?.pendingWrites).toEqual([
      ["task", "n", { role: "x", content: "kept" }],
    ]);
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1"]);
  });

  it("no id of a thread makes, copies and deletes none", async () => {
    for (const given of NO_IDS) {
      const id = given as string;
      await expect(saver.copyThread("t", id)).rejects.toMatchObject(refused);
      await expect(saver.copyThread(id, "u")).rejects.toMatchObject(refused);
      await expect(saver.deleteThread(id)).rejects.toMatchObject(refused);
      await expect(saver.moveHead("t", id)).rejects.toMatchObject(refused);
      await expect(migrateThread(saver, new MemorySaver(), { threadId: id })).rejects.toMatchObject(refused);
    }
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  });

  it("wrong options, counts and texts are said to be wrong", async () => {
    for (const given of [undefined, null]) {
      const none = given as never;
      await expect(saver.prune("t", none)).rejects.toMatchObject(refused);
      await expect(saver.history(at("t"), none)).rejects.toMatchObject(refused);
      await expect(saver.sweep(none)).rejects.toMatchObject(refused);
      await expect(saver.search(at("t"), none)).rejects.toMatchObject(refused);
      await expect(saver.importThread(none)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
    for (const limit of [-1, 1.5, Number.NaN, "3" as unknown as number]) {
      await expect(saver.listThreads({ limit })).rejects.toMatchObject(refused);
      await expect(saver.history(at("t"), { limit })).rejects.toMatchObject(refused);
      await expect(saver.search(at("t"), "question", { limit })).rejects.toMatchObject(refused);
    }
    expect(await saver.listThreads({ limit: Number.POSITIVE_INFINITY })).toHaveLength(1);
    // a timer that is told a longer time goes off at once
    for (const every of [0, Number.NaN, 2 ** 31]) {
      expect(() => saver.startSweeper({ ttl: 1e12, every })).toThrow(/between two sweeps/);
    }
  });
});
