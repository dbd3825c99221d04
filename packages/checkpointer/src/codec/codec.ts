import { Encoder } from "./encode.ts";
import { decoded, Reviver, type Revivers } from "./decode.ts";
import { givenTags } from "./given.ts";
import { MessageReader } from "./message-read.ts";
import { MessageWriter } from "./message-write.ts";
import { DEEPEST, simpleText } from "./simple.ts";
import type { Codec, CodecTag } from "./types.ts";

/** What a codec stores beyond the built-in kinds, and what it refuses. */
export interface CodecOptions {
  /** Further kinds of objects. Default: none. */
  readonly tags?: readonly CodecTag[];
  /** Levels of nesting that are stored and read. Default: 1,000. */
  readonly maxDepth?: number;
  /** Most characters of one encoded value. Default: 268,435,456 (256 Mi). */
  readonly maxLength?: number;
}

/**
 * Makes a codec. What it stores, beyond JSON: LangChain messages (by role), Documents, Date, Map,
 * Set, BigInt, RegExp, Error, URL, URLSearchParams, Headers, typed arrays and Buffer, undefined, lists with holes, NaN, the infinities, -0.
 * Other objects: what their `toJSON` returns, else their own enumerable
 * properties, as plain data. Refused are functions, symbols, and objects of the platform whose content nobody
 * can see: promises, weak collections, streams, iterators, signals.
 *
 * @example
 * const codec = createCodec();
 * codec.decode(codec.encode(new Map([["a", new Date(0)]])));
 */
export function createCodec(given?: CodecOptions | null): Codec {
  const options = given ?? {};
  const tags = givenTags(options.tags);
  const messages = new MessageWriter();
  const limits = { maxDepth: options.maxDepth ?? 1000, maxLength: options.maxLength ?? 268_435_456 };
  const revivers: Revivers = {
    tags: new Map(tags.map((tag) => [tag.tag, tag])),
    messages: new MessageReader(),
    maxDepth: limits.maxDepth,
  };
  return {
    encode: (value, reference) => {
      // what a reference may stand for, or what may be nested too deep, is looked at as a whole
      const isTried = reference === undefined && limits.maxDepth > DEEPEST;
      const text = isTried || typeof value !== "object" ? simpleText(value) : undefined;
      if (text !== undefined && text.length <= limits.maxLength) return text;
      return new Encoder(tags, messages, limits, reference).encode(value);
    },
    plainLater: limits.maxLength >= MOST_PLAIN,
    decode: (text, mayCut) => decoded(text, revivers, mayCut),
    revive: (tree, resolve) => new Reviver(revivers, resolve).revive(tree),
  };
}

/** No text of what is plain is longer. */
const MOST_PLAIN = 256;

/** The codec of every saver that is not given another. */
export const defaultCodec: Codec = createCodec();
