/** Parsed JSON. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Gives the item that a reference stands for. */
export type Resolve = (lane: number, ord: number) => unknown;

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

/** Says which item an object already is, so that a reference is written in its place; or gives the text to write there. */
export type Reference = (value: object) => readonly [lane: number, ord: number] | string | undefined;

/**
 * Turns values into JSON text and back. Plain data as it is; a closed set of tags for what JSON
 * does not know. Never makes an object of a class that the stored bytes name.
 */
export interface Codec {
  /** @throws GraphError UNSTORABLE_VALUE, VALUE_TOO_DEEP or VALUE_TOO_LARGE, naming the path */
  encode(value: unknown, reference?: Reference): string;
  /** @param mayCut - whether values may keep parts of the text in memory, as JavaScript does with `slice`. Default: false */
  decode(text: string, mayCut?: boolean): unknown;
  /**
   * Whether numbers, booleans, null and texts of up to 32 characters are the same text as `defaultCodec`
   * makes of them, so that they need not be encoded before somebody reads them. Default: false.
   */
  readonly plainLater?: boolean;
  /** Like `decode`, of text that was parsed already. Consumes the tree. */
  revive(tree: Json, resolve?: Resolve): unknown;
}
