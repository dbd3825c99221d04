import { Encoder } from "./encode.ts";
import { decoded, Reviver, type Revivers } from "./decode.ts";
import { givenTags } from "./given.ts";
import { MessageReader } from "./message-read.ts";
import { MessageWriter } from "./message-write.ts";
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
 * Set, BigInt, RegExp, Error, URL, typed arrays and Buffer, undefined, lists with holes, NaN, the infinities, -0.
 * Other objects: what their `toJSON` returns, else their own enumerable
 * properties, as plain data. Functions, symbols, promises and weak collections are refused.
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
      const isLooked = typeof value === "object" && (reference !== undefined || limits.maxDepth < 2);
      const plain = isLooked ? undefined : plainText(value);
      if (plain !== undefined && plain.length <= limits.maxLength) return plain;
      return new Encoder(tags, messages, limits, reference).encode(value);
    },
    plainLater: limits.maxLength >= MOST_PLAIN,
    decode: (text) => decoded(text, revivers),
    revive: (tree, resolve) => new Reviver(revivers, resolve).revive(tree),
  };
}

/** No text of what is plain is longer. */
const MOST_PLAIN = 256;

/** Longest text that is written without a look at the limits of strings. */
const SHORT = 65_536;

/** Most members of an object that is tried. */
const FEW = 8;

/** What most channels hold, and metadata, as text; undefined for what is not JSON as it stands. */
function plainText(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? flatText(value) : leafText(value);
}

/** An object whose members have none. */
function flatText(value: object): string | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const keys = Object.keys(value);
  if (keys.length > FEW) return undefined;
  let text = "{";
  for (const key of keys) {
    const member = (value as Record<string, unknown>)[key];
    const written = isEmptyObject(member) ? "{}" : leafText(member);
    if (written === undefined || key === "$") return undefined;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${written}`;
  }
  return `${text}}`;
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}

function leafText(value: unknown): string | undefined {
  if (typeof value === "string") return value.length <= SHORT ? JSON.stringify(value) : undefined;
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0) ? String(value) : undefined;
  }
  return typeof value === "boolean" || value === null ? String(value) : undefined;
}

/** The codec of every saver that is not given another. */
export const defaultCodec: Codec = createCodec();
