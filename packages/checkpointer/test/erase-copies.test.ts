import { GraphError } from "@skein/errors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, MemorySaver, type Claim } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, chat, contents } from "./turns.ts";

const THREADS = ["t", "c1", "c2"];
const SAID = ["question 1", "answer 1"];
const LEFT = ["[erased]", "answer 1"];

describe.each(ALL_SAVERS)("eraseMessage of $name over copies (B9)", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ saver, close } = kind.open());
    await chat(saver, "t", 1);
    await saver.copyThread("t", "c1");
    await saver.copyThread("t", "c2");
  });
  afterEach(() => close());

  const all = () => Promise.all(THREADS.map((thread) => contents(saver, thread)));
  const hold = async (threadId: string) =>
    (await saver[CHANGE_SETS].open({ threadId, namespace: "" }, { claim: "fail" })).claim as Claim;

  it.each(THREADS)("changes none while a run holds %s, and gives back the others", async (busy) => {
    const claim = await hold(busy);
    await expect(saver.eraseMessage(at("t"), "h2")).rejects.toMatchObject({
      code: "THREAD_CONFLICT",
      message: expect.stringMatching(`"${busy}" is busy.*Nothing was done`) as string,
    });
    expect(await all()).toEqual([SAID, SAID, SAID]);
    await saver[CHANGE_SETS].release(claim);
    for (const thread of THREADS) await saver[CHANGE_SETS].release(await hold(thread));
    const report = await saver.eraseMessage(at("t"), "h2");
    expect(report.threads.toSorted()).toEqual(THREADS.toSorted());
    expect(await all()).toEqual([LEFT, LEFT, LEFT]);
  });

  it("changes none when what was made of the message can't be rewritten in one of them", async () => {
    let asked = 0;
    const derived = {
      matches: ({ id }: Readonly<Record<string, unknown>>) => id === "a2",
      rewrite: () => {
        asked += 1;
        if (asked === 3) throw new Error("no model");
        return (value: object) => ({ ...value });
      },
    };
    await expect(saver.eraseMessage(at("t"), "h2", { derived: derived as never })).rejects.toThrow(
      "no model",
    );
    expect(await all()).toEqual([SAID, SAID, SAID]);
  });
});

it("eraseMessage says what was done when a copy is taken from it meanwhile, and finishes later", async () => {
  const saver = new MemorySaver();
  await chat(saver, "t", 1);
  await saver.copyThread("t", "c1");
  let rewritten = 0;
  let other: Claim | undefined;
  const derived = {
    matches: ({ id }: Readonly<Record<string, unknown>>) => id === "a2",
    rewrite: async () => {
      rewritten += 1;
      // the last look before the first change
      if (rewritten === 2) other = await taken(saver, "c1");
      return (value: object) => value;
    },
  };
  const error: unknown = await saver
    .eraseMessage(at("t"), "h2", { derived: derived as never })
    .catch((thrown: unknown) => thrown);
  expect(GraphError.is(error, "THREAD_CONFLICT")).toBe(true);
  const { message, details } = error as GraphError;
  expect(message).toMatch(/erased in "t", but not in "c1".*Erase it again to finish/);
  expect(details).toMatchObject({ threads: ["t"], threadId: "c1" });
  expect([await contents(saver, "t"), await contents(saver, "c1")]).toEqual([LEFT, SAID]);
  await saver[CHANGE_SETS].release(other as Claim);
  expect(await saver.eraseMessage(at("t"), "h2")).toMatchObject({ threads: ["t", "c1"] });
  expect([await contents(saver, "t"), await contents(saver, "c1")]).toEqual([LEFT, LEFT]);
});

const taken = async (saver: Saver, threadId: string) =>
  (await saver[CHANGE_SETS].open({ threadId, namespace: "" }, { claim: "take" })).claim;
