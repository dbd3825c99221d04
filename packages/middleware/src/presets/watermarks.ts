import type { CompactionOptions } from "@skein/context";
import { compressing, nothingAround, summarizing, type Preset } from "./preset.ts";

/**
 * The upper mark says when; the counts of messages say when it is not worth while: a first summary of
 * fewer than 20, a later one of fewer than 10 or of less than half the summary's own length. Above the
 * budgets they are not asked.
 */
export const WATERMARKS = {
  trigger: {
    any: [
      { tokens: 50_000, messages: 20, first: true },
      { tokens: 50_000, newMessages: 10, ratio: 0.5, first: false },
    ],
  },
  target: { tokens: 30_000 },
  keep: { messages: 10 },
  budgets: { use: 0.6, summary: 0.26, recent: 0.65 },
  window: 128_000,
  startAbove: 10,
} as const satisfies CompactionOptions;

/** Tool outputs of more tokens are compressed, but for those of the newest turns. */
export const WATERMARKS_OUTPUTS = { limit: 200, keepTurns: 5 } as const;

export const watermarks: Preset = {
  about: "compacts at 50,000 tokens to below 30,000; budgets 0.26 and 0.65 of 0.6 of the window",
  numbers: WATERMARKS,
  context: (options) => [compressing(WATERMARKS_OUTPUTS, options), summarizing(WATERMARKS, options)],
  around: nothingAround,
};
