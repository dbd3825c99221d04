import type { CompactionOptions } from "@skein/context";
import { nothingAround, summarizing, type Preset } from "./preset.ts";

/** The summary is begun at half of the window and is there when the window is full. */
export const SLIDING_WINDOW = {
  trigger: { fraction: 0.8 },
  target: { fraction: 0.5 },
  keep: { messages: 1 },
  preserveSystem: true,
  background: true,
} as const satisfies CompactionOptions;

export const slidingWindow: Preset = {
  about: "slides over the newest messages, the first system message stays; summaries in the background",
  numbers: SLIDING_WINDOW,
  context: (options) => [summarizing(SLIDING_WINDOW, options)],
  around: nothingAround,
};
