import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactionPolicy, createTokenCounter, repair, type CompactionOptions } from "../src/index.ts";
import { drive } from "./drive.ts";
import { thread } from "./threads.ts";

const CONFIGURATIONS: readonly CompactionOptions[] = [
  { trigger: { messages: 8 }, keep: { messages: 6 } },
  { trigger: { messages: 3 }, keep: { messages: 1 } },
  { trigger: { turns: 3 }, keep: { turns: 1 } },
  { trigger: { tokens: 600 }, keep: { messages: 20 } },
  { trigger: { tokens: 900 }, target: { tokens: 500 }, summaryTokens: 120, keep: { messages: 2 } },
  { trigger: { messages: 12 }, max: { tokens: 700 }, keep: { messages: 10 } },
  { trigger: { messages: 8 }, keep: { messages: 6 }, preserveSystem: false },
];

/** Cuts a thread where a model would be called: before each assistant message, and at the end. */
describe("a thread that is compacted as it grows (C4, C6)", () => {
  it.each(CONFIGURATIONS)(
    "%j: no orphan is made, nothing is lost, the same thread gives the same prompts",
    (options) => {
      const counter = createTokenCounter();
      const policy = compactionPolicy({ ...options, counter, now: () => 0 });
      fc.assert(
        fc.property(thread, (messages) => {
          const run = drive(messages, policy);
          expect(run.lost).toEqual([]);
          expect(run.orphansMade).toEqual([]);
          expect(run.invalidPrompts).toBe(0);
          expect(run.notSmaller).toBe(0);
          const again = drive(messages, compactionPolicy({ ...options, now: () => 0 }));
          expect(again.prompts).toEqual(run.prompts);
        }),
        { numRuns: 60 },
      );
    },
  );

  it("between two compactions each prompt is the one before plus a suffix (C3)", () => {
    const policy = compactionPolicy({ trigger: { messages: 12 }, keep: { messages: 6 }, now: () => 0 });
    fc.assert(
      fc.property(thread, (given) => {
        const valid = repair(given).messages as BaseMessage[];
        const { prompts, compactedAt } = drive(valid, policy);
        for (let at = 1; at < prompts.length; at++) {
          if (compactedAt.has(at)) continue;
          const [before, after] = [prompts[at - 1] as string[], prompts[at] as string[]];
          // A call that was open at the end got a placeholder there and its result here.
          const stable = before.findIndex((line) => line.includes("cancelled:"));
          expect(after.slice(0, stable === -1 ? before.length : stable)).toEqual(
            stable === -1 ? before : before.slice(0, stable),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
