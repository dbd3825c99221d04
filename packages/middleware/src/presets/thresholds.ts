import type { CompactionOptions } from "@skein/context";
import { nothingAround, summarizing, type Preset } from "./preset.ts";

/** With a trigger of 3,000 tokens half of it is what a compaction leaves at most, so that it does not fire at once again. */
export const THRESHOLDS = {
  trigger: [{ messages: 30 }, { tokens: 3_000 }],
  keep: { messages: 20 },
  max: { tokens: 4_000 },
  preserveSystem: true,
} as const satisfies CompactionOptions;

export const thresholds: Preset = {
  about: "30 messages or 3,000 tokens, the last 20 stay, never above 4,000",
  numbers: THRESHOLDS,
  context: (options) => [summarizing(THRESHOLDS, options)],
  around: nothingAround,
};
