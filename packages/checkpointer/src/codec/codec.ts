import { GraphError } from "@skein/errors";
import { Encoder } from "./encode.ts";
import { reviveTree, type Json, type Resolve } from "./decode.ts";

/** A kind of object that a codec stores under a tag of its own. */
export interface CodecTag<Value = unknown> {
  /** Stands in the stored text. Not one of the codec's own tags. */
  readonly tag: string;
  /** Asked for objects that are neither plain, nor arrays, nor of a kind the codec knows. */
  matches(value: object): value is Value & object;
  /** The data to store: anything the codec can store. */
  encode(value: Value): unknown;
  /** Makes the value from its data. Must not trust it: bytes may come from anywhere. */
  decode(data: unknown): Value;
}

export interface CodecOptions {
  /** Further kinds of objects. Default: none. */
  readonly tags?: readonly CodecTag[];
  /** Levels of nesting that are stored and read. Default: 1,000. */
  readonly maxDepth?: number;
  /** Most characters of one encoded value. Default: 268,435,456 (256 Mi). */
  readonly maxLength?: number;
}

/** Says which item an object already is, so that a reference is written in its place. */
export type Reference = (value: object) => readonly [lane: number, ord: number] | undefined;

/**
 * Turns values into JSON text and back. Plain data as it is; a closed set of tags for what JSON
 * does not know. Never makes an object of a class that the stored bytes name.
 */
export interface Codec {
  /** @throws GraphError UNSTORABLE_VALUE, VALUE_TOO_DEEP or VALUE_TOO_LARGE, naming the path */
  encode(value: unknown, reference?: Reference): string;
  decode(text: string): unknown;
  /** Like `decode`, of text that was parsed already. Consumes the tree. */
  revive(tree: Json, resolve?: Resolve): unknown;
}

/**
 * Makes a codec. What it stores, beyond JSON: LangChain messages (by role), Documents, Date, Map,
 * Set, BigInt, RegExp, Error, URL, typed arrays and Buffer, undefined, NaN, the infinities, -0.
 * Other objects: what their `toJSON` returns, else their own enumerable
 * properties, as plain data. Functions, symbols, promises and weak collections are refused.
 *
 * @example
 * const codec = createCodec();
 * codec.decode(codec.encode(new Map([["a", new Date(0)]])));
 */
export function createCodec(options: CodecOptions = {}): Codec {
  const tags = options.tags ?? [];
  const maxDepth = options.maxDepth ?? 1000;
  const maxLength = options.maxLength ?? 268_435_456;
  const byName = new Map(tags.map((tag) => [tag.tag, tag]));
  const revive = (tree: Json, resolve?: Resolve): unknown => reviveTree(tree, byName, maxDepth, resolve);
  return {
    encode(value, reference) {
      const text = new Encoder(tags, maxDepth, reference).value(value);
      if (text.length <= maxLength) return text;
      throw new GraphError(
        "VALUE_TOO_LARGE",
        `A value of ${text.length} characters is larger than the ${maxLength} that are stored at most. ` +
          "Keep it outside the state (a file, a store) and put a reference into the state.",
        { details: { length: text.length, maxLength } },
      );
    },
    decode: (text) => revive(parse(text)),
    revive,
  };
}

/** Parses stored JSON text. @throws GraphError STORAGE_CORRUPT */
export function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new GraphError(
      "STORAGE_CORRUPT",
      "A stored value is not the JSON text that was written. The storage was damaged or written to by another program; restore it from a backup.",
      { cause },
    );
  }
}

/** The codec of every saver that is not given another. */
export const defaultCodec: Codec = createCodec();
