export { compressOutput, type Compressed } from "./compress.ts";
export { shortenedMark, type ShortenedMark, type Shortening } from "./mark.ts";
export { toolResults, type ToolResultAt } from "./results.ts";
export {
  planClearing,
  planCompression,
  planOffloading,
  type ClearingRule,
  type CompressionRule,
  type OffloadingRule,
  type Shortened,
} from "./shorten.ts";
export { fitTokens, headAndTail, type TextCounter } from "./text.ts";
