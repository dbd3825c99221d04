export type { Preset, PresetOptions } from "./preset.ts";
export { PRESET_NAMES, presetContext, presetMiddleware, PRESETS, type PresetName } from "./presets.ts";
export { RUN_LOOPS } from "./run-loops.ts";
export { SLIDING_WINDOW } from "./sliding-window.ts";
export { DEVELOPMENT, MINIMAL, PRODUCTION, PRODUCTION_LIMITS } from "./stages.ts";
export { THRESHOLDS } from "./thresholds.ts";
export { WATERMARKS, WATERMARKS_OUTPUTS } from "./watermarks.ts";
