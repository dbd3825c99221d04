export { compressOutput, type Compressed } from "./compress.ts";
export { shortenedMark, type ShortenedMark, type Shortening } from "./mark.ts";
export { toolResults, type ToolResultAt } from "./results.ts";
export { planClearing, type ClearingRule } from "./clear.ts";
export { planCompression, planOffloading, type CompressionRule, type OffloadingRule } from "./shorten.ts";
export type { Shortened } from "./steps.ts";
export { fitTokens, headAndTail, type TextCounter } from "./text.ts";
