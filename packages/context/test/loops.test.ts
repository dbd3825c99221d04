import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createTokenCounter,
  countOrphans,
  planClearing,
  planCompression,
  planLoopView,
  planOffloading,
  repair,
  runLoops,
  type Shortened,
} from "../src/index.ts";
import { assistant, calls, result, thread, user } from "./threads.ts";

const counter = createTokenCounter();
const applied = (
  messages: readonly BaseMessage[],
  { replace, remove = [] }: { replace: readonly BaseMessage[]; remove?: readonly string[] },
): BaseMessage[] => {
  const by = new Map(replace.map((message) => [message.id, message]));
  return messages.filter(({ id }) => !remove.includes(id as string)).map((one) => by.get(one.id) ?? one);
};

const stays = (message: BaseMessage): boolean =>
  message.type === "system" || message.additional_kwargs["lc_source"] !== undefined;

describe("run loops (D1)", () => {
  it("a loop opens with a user message and closes with an answer without calls", () => {
    const list = [user("a"), calls("1", "2"), result("1"), result("2"), assistant("b"), user("c"), user("d")];
    for (const [at, message] of list.entries()) message.additional_kwargs["timestamp"] = 100 + at;
    const { before, loops } = runLoops(list);
    expect(before).toEqual([]);
    expect(
      loops.map(({ user, answer, calls, messages }) => [
        user.text,
        answer?.text,
        calls.length,
        messages.length,
      ]),
    ).toEqual([
      ["a", "b", 2, 5],
      ["c", undefined, 0, 2],
    ]);
    expect(loops[0]?.calls[0]).toMatchObject({
      id: "1",
      name: "search",
      input: { q: "1" },
      time: 101,
      loopId: list[0]?.id,
    });
    expect(loops.map(({ id, startedAt, endedAt }) => [id, startedAt, endedAt])).toEqual([
      [list[0]?.id, 100, 104],
      [list[5]?.id, 105, undefined],
    ]);
  });
});

describe("over generated threads", () => {
  it("loops and what stands before them are the list (D7)", () => {
    fc.assert(
      fc.property(thread, (messages) => {
        const { before, loops } = runLoops(messages);
        expect([...before, ...loops.flatMap((loop) => loop.messages)]).toEqual(messages);
      }),
      { numRuns: 30 },
    );
  });
  it("the view of loops is idempotent, valid after repair, and says what it leaves out", () => {
    fc.assert(
      fc.property(thread, fc.nat(4), (messages, loops) => {
        const rule = { loops, characters: 40, maxAge: Infinity, now: 0, counter };
        const view = planLoopView(messages, rule);
        const shown = applied(messages, view);
        expect(planLoopView(shown, rule)).toMatchObject({ remove: [], replace: [] });
        expect(countOrphans(repair(shown).messages)).toBe(0);
        const all = runLoops(messages).loops;
        expect(view.omitted).toEqual(all.slice(0, Math.max(0, all.length - 1 - loops)).map(({ id }) => id));
        expect(runLoops(shown).loops.at(-1)?.messages).toEqual(all.at(-1)?.messages);
      }),
      { numRuns: 30 },
    );
  });
  it("leaves out what ended too long ago by the injected clock, and summaries never (D3)", () => {
    const time = fc.option(fc.nat(100));
    fc.assert(
      fc.property(thread, fc.array(time, { minLength: 1 }), fc.nat(4), (messages, times, loops) => {
        for (const [at, message] of messages.entries()) {
          const timestamp = times[at % times.length];
          if (timestamp !== null) message.additional_kwargs = { timestamp };
          if (at % 7 === 3) message.additional_kwargs["lc_source"] = "summarization";
        }
        const rule = { loops, characters: 40, maxAge: 50, now: 110, counter };
        const past = runLoops(messages).loops.slice(0, -1);
        const left = past.filter(({ startedAt, endedAt = startedAt, messages: own }, at) => {
          const isOld = endedAt !== undefined && 110 - endedAt > 50;
          return (isOld || at < past.length - loops) && !own.every(stays);
        });
        const view = planLoopView(messages, rule);
        expect(view.omitted).toEqual(left.map(({ id }) => id));
        const gone = left.flatMap((loop) => loop.messages.filter((message) => !stays(message)));
        expect(view.remove).toEqual(expect.arrayContaining(gone.map(({ id }) => id)));
        const kept = messages.filter(stays).map(({ id }) => id);
        const touched = new Set([...view.remove, ...view.replace.map(({ id }) => id)]);
        expect(kept.filter((id) => touched.has(id))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
  it("shortening changes no call, no id and no order, saves what it says, and is done once", () => {
    const plans: readonly ((messages: readonly BaseMessage[]) => Shortened)[] = [
      (messages) => planCompression(messages, { limit: 20, keepTurns: 1, saveAtLeast: 0, counter }),
      (messages) => planOffloading(messages, { limit: 40, keep: 20, counter }),
      (messages) =>
        planClearing(messages, {
          keep: { messages: 1 },
          placeholder: "[cleared]",
          clearToolInputs: true,
          saveAtLeast: 0,
          counter,
        }),
    ];
    fc.assert(
      fc.property(thread, fc.constantFrom(...plans), (messages, plan) => {
        const shortened = plan(messages);
        const shown = applied(messages, shortened);
        expect(shown.map(({ id, type }) => [id, type])).toEqual(messages.map(({ id, type }) => [id, type]));
        expect(countOrphans(shown)).toBe(countOrphans(messages));
        expect(counter.messages(shown)).toBe(counter.messages(messages) - shortened.savedTokens);
        expect(plan(shown).replace).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
