export {
  createCodec,
  defaultCodec,
  type Codec,
  type CodecOptions,
  type CodecTag,
  type Reference,
} from "./codec.ts";
export type { Json, Resolve } from "./decode.ts";
