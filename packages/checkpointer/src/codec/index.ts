export { createCodec, defaultCodec, type CodecOptions } from "./codec.ts";
export type { Codec, CodecTag, Json, Reference, Resolve } from "./types.ts";
