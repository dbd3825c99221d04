import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, checkpoint, ids } from "./support/puts.ts";
import { at as turn, chat, commitTurn, contents, idOf } from "./turns.ts";

/** What goes on from the third checkpoint of a chat. */
const later = async (from: Saver) => [
  await from.getTuple(turn("t", 4)),
  await from.getTuple(turn("t", 6)),
  (await from.getTuple(turn("t", 3)))?.pendingWrites,
];

describe.each(ALL_SAVERS)("$name: a checkpoint that is put again", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  let saver: Saver;
  beforeEach(() => {
    storage = kind.open();
    saver = storage.saver;
  });
  afterEach(() => storage.close());

  it("takes a checkpoint that is put again in place of the first, and its children keep theirs", async () => {
    const meta = { source: "loop" as const, step: 0, parents: {} };
    await saver.put(at(), checkpoint("1", { n: 1, list: ["a"] }), meta, { n: 1, list: 1 });
    await saver.put(at("1"), checkpoint("2", { n: 2, list: ["a"] }, 2), meta, { n: 2 });
    await saver.put(at(), checkpoint("1", { n: "again" }), { ...meta, step: 7 }, { n: 1 });
    const reopened = storage.reopen();
    expect(await reopened.getTuple(at("1"))).toMatchObject({
      checkpoint: { channel_values: { n: "again" } },
      metadata: { step: 7 },
    });
    expect((await reopened.getTuple(at()))?.checkpoint.channel_values["n"]).toBe(2);
    expect(await ids(reopened, at())).toEqual(["2", "1"]);
  });

  it("what another saver puts again is read, and gone on from", async () => {
    const meta = { source: "loop" as const, step: 0, parents: {} };
    const other = storage.reopen();
    await other.put(at(), checkpoint("1", { n: 1, list: ["first"] }), meta, { n: 1, list: 1 });
    expect((await saver.getTuple(at()))?.checkpoint.channel_values).toEqual({ n: 1, list: ["first"] });
    await other.put(at(), checkpoint("1", { n: 1, list: ["second"] }, 2), meta, { n: 1, list: 2 });
    expect((await saver.getTuple(at()))?.checkpoint.channel_values).toEqual({ n: 1, list: ["second"] });
    await saver.put(at("1"), checkpoint("2", { n: 2, list: ["second"] }, 3), meta, { n: 3 });
    for (const from of [saver, other, storage.reopen()])
      expect((await from.getTuple(at()))?.checkpoint.channel_values).toEqual({ n: 2, list: ["second"] });
  });

  it("puts a checkpoint again that a conversation goes on from, and what came after it stays as it was", async () => {
    await chat(saver, "t", 3);
    const before = await later(saver);
    await saver.put(
      turn("t", 2),
      checkpoint(idOf(3), { n: 1, messages: [{ id: "h4", content: "another question" }] }, 9),
      { source: "input", step: 1, parents: {} },
      { n: 9, messages: 9 },
    );
    for (const from of [saver, storage.reopen()]) {
      expect(await later(from)).toEqual(before);
      expect((await from.getTuple(turn("t", 3)))?.checkpoint.channel_values["n"]).toBe(1);
    }
    await commitTurn(saver, { thread: "t", n: 8, question: "question 4", answer: "answer 4" });
    expect(await contents(storage.reopen(), "t")).toHaveLength(8);
  });
});
