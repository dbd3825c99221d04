import type { CompactionOptions } from "@skein/context";
import type { PresetName } from "@skein/middleware/presets";

/** The names, complete by type: `skein --help` must not load what they stand for. */
const NAMES: Record<PresetName, true> = {
  thresholds: true,
  watermarks: true,
  "run-loops": true,
  "sliding-window": true,
  minimal: true,
  development: true,
  production: true,
  "human-in-the-loop": true,
  none: true,
};
export const PRESET_NAMES = Object.keys(NAMES) as PresetName[];

/** For chats about a folder, whose tool outputs are long. */
export const DEFAULT_PRESET: PresetName = "development";

/** A window of messages and where it overflows; what is left out follows from the other. */
export function windowed(window: number | undefined, trigger: number | undefined): CompactionOptions {
  const keep = window ?? Math.max(1, (trigger ?? 0) - 2);
  return { trigger: { messages: trigger ?? keep + 2 }, keep: { messages: keep }, summaryTokens: 500 };
}
