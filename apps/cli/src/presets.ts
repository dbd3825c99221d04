import type { CompactionOptions } from "@skein/context";

/** When the context is compacted, and what stays. */
export type Compaction = Pick<
  CompactionOptions,
  "trigger" | "keep" | "target" | "max" | "window" | "summaryTokens"
>;

/**
 * `minimal` compacts all the time, to see it work; `development` is for chats about a folder, whose
 * tool outputs are long; `production` uses what a model with a window of 128,000 tokens has.
 */
const PRESETS = {
  minimal: { trigger: { messages: 8 }, keep: { messages: 6 } },
  development: {
    trigger: [{ messages: 40 }, { tokens: 32_000 }],
    keep: { messages: 20 },
    summaryTokens: 1_000,
  },
  production: {
    trigger: [{ fraction: 0.6 }, { messages: 400 }],
    keep: { messages: 40 },
    summaryTokens: 2_000,
  },
} as const satisfies Record<string, Compaction>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];
export const DEFAULT_PRESET: PresetName = "development";

export function preset(name: PresetName = DEFAULT_PRESET): Compaction {
  return PRESETS[name];
}

/** A window of messages and where it overflows; what is left out follows from the other. */
export function windowed(window: number | undefined, trigger: number | undefined): Compaction {
  const keep = window ?? Math.max(1, (trigger ?? 0) - 2);
  return { trigger: { messages: trigger ?? keep + 2 }, keep: { messages: keep }, summaryTokens: 500 };
}
