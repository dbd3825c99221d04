import type { AnyAgentMiddleware } from "@skein/agent";
import { requireKnownOptions } from "@skein/errors";
import { invalidOption } from "../shared/checks.ts";
import { PRESET_OPTIONS, type Preset, type PresetOptions } from "./preset.ts";
import { runLoops } from "./run-loops.ts";
import { slidingWindow } from "./sliding-window.ts";
import { development, humanInTheLoop, minimal, none, production } from "./stages.ts";
import { thresholds } from "./thresholds.ts";
import { watermarks } from "./watermarks.ts";

/** Every preset by its name. */
export const PRESETS = {
  thresholds,
  watermarks,
  "run-loops": runLoops,
  "sliding-window": slidingWindow,
  minimal,
  development,
  production,
  "human-in-the-loop": humanInTheLoop,
  none,
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
/** Names of all presets, to offer or to check. */
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

/**
 * The middleware of a preset, for `createAgent`. Without a model summaries are extracts, so every
 * preset works as it is.
 *
 * @throws GraphError INVALID_CONFIGURATION for a name or an option that there is not, and for options that can't
 *   work with the preset's numbers, such as a window that is smaller than they are
 *
 * @example
 * createAgent({ model, tools, middleware: presetMiddleware("watermarks", { model: small }) });
 */
export function presetMiddleware(name: PresetName, options: PresetOptions = {}): AnyAgentMiddleware[] {
  const preset = presetOf(name);
  requireKnownOptions(`presetMiddleware("${name}")`, options, PRESET_OPTIONS);
  return [...preset.context(options), ...preset.around(options)];
}

/**
 * The part of a preset that decides what the model sees, without limits, retries and approval.
 *
 * @throws GraphError INVALID_CONFIGURATION as {@link presetMiddleware}
 *
 * @example
 * createAgent({ model, tools, middleware: [...presetContext("production"), myOwnLimits] });
 */
export function presetContext(name: PresetName, options: PresetOptions = {}): AnyAgentMiddleware[] {
  const preset = presetOf(name);
  requireKnownOptions(`presetContext("${name}")`, options, PRESET_OPTIONS);
  return preset.context(options);
}

function presetOf(name: PresetName): Preset {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  throw invalidOption(`There is no preset "${String(name)}"; there are ${PRESET_NAMES.join(", ")}.`);
}
