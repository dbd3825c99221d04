import { type GraphError, thrownMessage } from "@skein/errors";
import { builtin, opaqueName, unboxed } from "./builtins.ts";
import { isMessage } from "./message-kinds.ts";
import type { MessageWriter } from "./message-write.ts";
import { DEEPEST, isPlainObject, simpleMessage } from "./simple.ts";
import { tooDeep, tooLarge, unstorable, type Path } from "./refused.ts";
import { isSparse } from "./sparse.ts";
import type { CodecTag, Reference } from "./types.ts";

/** A list or an object whose members are being written. */
interface Frame {
  /** The value that it is, or is written for: a circle leads back to it. */
  readonly source: object;
  /** Whose members are written: the value itself, the fields of its tag, or what its toJSON gave. */
  readonly members: object;
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  /** Fields of a tag that are undefined are left out. */
  readonly isTagged: boolean;
  /** Empty for what a toJSON gave, which has no place of its own in the path. */
  readonly end: string;
  comma: string;
  /** How many members were begun. */
  at: number;
}

/** What is written at most; see `CodecOptions`. */
export interface Limits {
  readonly maxDepth: number;
  readonly maxLength: number;
}

/** A character of a string takes up to six of JSON text; strings of this length stay possible ones. */
const SAFE_LENGTH = 80_000_000;

/**
 * Writes one value as JSON text. A tagged value is an object whose first key is "$".
 *
 * What is open stands on a stack of its own, not on the engine's: no nesting overflows it.
 */
export class Encoder {
  readonly #tags: readonly CodecTag[];
  readonly #messages: MessageWriter;
  readonly #limits: Limits;
  readonly #reference: Reference | undefined;
  readonly #open: Frame[] = [];
  #text = "";
  /** The error of this encoder's own: what a getter throws may look like one. */
  #refused: GraphError | undefined;

  constructor(
    tags: readonly CodecTag[],
    messages: MessageWriter,
    limits: Limits,
    reference: Reference | undefined,
  ) {
    this.#tags = tags;
    this.#messages = messages;
    this.#limits = limits;
    this.#reference = reference;
  }

  encode(value: unknown): string {
    try {
      this.#write(value);
      for (let frame = this.#open.at(-1); frame !== undefined; frame = this.#open.at(-1)) {
        if (frame.keys === undefined) this.#elements(frame, frame.members as readonly unknown[]);
        else this.#members(frame, frame.keys);
      }
      this.#checkLength(0);
      return this.#text;
    } catch (error) {
      if (error === this.#refused) throw error;
      // a getter, a toJSON, a proxy, a tag of the program's own
      const what = `a value that throws when it is read (${thrownMessage(error)})`;
      throw unstorable(this.#path(), what, error);
    }
  }

  /** Writes list elements up to the first that has members, or the list's end. */
  #elements(frame: Frame, list: readonly unknown[]): void {
    while (frame.at < list.length) {
      const at = frame.at;
      frame.at = at + 1;
      this.#text += frame.comma;
      frame.comma = ",";
      const run = this.#reference === undefined ? undefined : this.#run(list, at);
      if (run === undefined) {
        if (this.#write(list[at])) return;
      } else {
        frame.at = at + run.count;
        this.#text += `{"$":"item","l":${run.lane},"o":${run.ord},"n":${run.count}}`;
      }
    }
    this.#close(frame);
  }

  /** Writes properties up to the first that has members, or the object's end. */
  #members(frame: Frame, keys: readonly string[]): void {
    while (frame.at < keys.length) {
      const key = keys[frame.at] as string;
      frame.at += 1;
      const value = (frame.members as Record<string, unknown>)[key];
      if (value === undefined && frame.isTagged) continue;
      this.#text += `${frame.comma}${frame.isTagged ? `"${key}"` : JSON.stringify(key)}:`;
      frame.comma = ",";
      if (this.#write(value)) return;
    }
    this.#close(frame);
  }

  #close(frame: Frame): void {
    this.#text += frame.end;
    this.#open.pop();
  }

  /** Writes a value, or opens it. @returns whether it was opened: its members come next */
  #write(value: unknown): boolean {
    switch (typeof value) {
      case "string":
        this.#text += this.#quoted(value);
        return false;
      case "number":
        this.#text += number(value);
        return false;
      case "boolean":
        this.#text += value ? "true" : "false";
        return false;
      case "undefined":
        this.#text += '{"$":"undefined"}';
        return false;
      case "bigint":
        this.#text += `{"$":"bigint","v":"${value}"}`;
        return false;
      case "object":
        if (value !== null) return this.#object(value);
        this.#text += "null";
        return false;
      default:
        throw this.#unstorable(`a ${typeof value}`);
    }
  }

  #quoted(value: string): string {
    this.#checkLength(value.length);
    if (value.length <= SAFE_LENGTH) return JSON.stringify(value);
    try {
      return JSON.stringify(value);
    } catch {
      throw this.#tooLarge(value.length);
    }
  }

  #object(value: object): boolean {
    const item = this.#reference?.(value);
    if (item !== undefined) {
      this.#text += typeof item === "string" ? item : `{"$":"item","l":${item[0]},"o":${item[1]}}`;
      return false;
    }
    this.#checkNesting(value);
    this.#checkLength(0);
    if (Array.isArray(value)) return this.#list(value);
    return isPlainObject(value) ? (this.#given(value) ?? this.#plain(value)) : this.#instance(value);
  }

  #list(list: readonly unknown[]): boolean {
    if (isSparse(list)) {
      return this.#tagged(list, "sparse", { v: Object.entries(list), length: list.length });
    }
    return this.#enter(list, list, undefined, "[", "]");
  }

  /** Opens what an object's toJSON gives in its place; undefined where there is none, or gives the object. */
  #given(value: object): true | undefined {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== "function") return undefined;
    const data: unknown = toJSON.call(value, this.#path(this.#open.slice(-1)).join(""));
    return data === value ? undefined : this.#enter(value, [data], undefined, "", "");
  }

  #plain(value: object): boolean {
    // data that has a key "$" itself is wrapped, so that it cannot be taken for a tag
    return Object.hasOwn(value, "$")
      ? this.#enter(value, value, Object.keys(value), '{"$":"=","v":{', "}}")
      : this.#enter(value, value, Object.keys(value), "{", "}");
  }

  #instance(value: object): boolean {
    if (isMessage(value)) {
      const written = this.#messages.written(value);
      const text = this.#isFree() ? simpleMessage(written) : undefined;
      if (text !== undefined && this.#text.length + text.length <= this.#limits.maxLength) {
        this.#text += text;
        return false;
      }
      const { tag, members, keys, tail } = written;
      return this.#tagged(value, tag, members, keys, `${tail}}`);
    }
    for (const tag of this.#tags) {
      if (tag.matches(value)) return this.#tagged(value, tag.tag, { v: tag.encode(value) });
    }
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) this.#checkLength(value.byteLength);
    const known = builtin(value);
    if (known !== undefined) return this.#tagged(value, known[0], known[1]);
    const primitive = unboxed(value);
    if (primitive !== undefined) return this.#write(primitive);
    const given = this.#given(value);
    if (given !== undefined) return given;
    const opaque = opaqueName(value);
    if (opaque !== undefined) throw this.#unstorable(`a ${opaque}`);
    return this.#plain(value);
  }

  /** Whether what comes next can be no item, and nested as it likes. */
  #isFree(): boolean {
    return this.#reference === undefined && this.#open.length + DEEPEST < this.#limits.maxDepth;
  }

  #tagged(
    source: object,
    tag: string,
    members: object,
    keys: readonly string[] = Object.keys(members),
    end = "}",
  ): boolean {
    this.#text += `{"$":"${tag}"`;
    this.#open.push({ source, members, keys, isTagged: true, end, comma: ",", at: 0 });
    return true;
  }

  #enter(
    source: object,
    members: object,
    keys: readonly string[] | undefined,
    start: string,
    end: string,
  ): true {
    this.#text += start;
    this.#open.push({ source, members, keys, isTagged: false, end, comma: "", at: 0 });
    return true;
  }

  /** Neighbours that are items with neighbouring ordinals: a list handed back whole costs what one item costs. */
  #run(value: readonly unknown[], start: number): { lane: number; ord: number; count: number } | undefined {
    const first = this.#itemOf(value[start]);
    if (first === undefined) return undefined;
    const [lane, ord] = first;
    let count = 1;
    for (; start + count < value.length; count += 1) {
      const next = this.#itemOf(value[start + count]);
      if (next === undefined || next[0] !== lane || next[1] !== ord + count) break;
    }
    return count === 1 ? undefined : { lane, ord, count };
  }

  #itemOf(value: unknown): readonly [number, number] | undefined {
    const item = typeof value === "object" && value !== null ? this.#reference?.(value) : undefined;
    return typeof item === "string" ? undefined : item;
  }

  /**
   * Circles are looked for at depths that are powers of two, from 8 on: whoever walks one comes by such a depth
   * before the text has become twice as deep as it had to, and no object pays for a search.
   */
  #checkNesting(value: object): void {
    const depth = this.#open.length;
    if (depth < this.#limits.maxDepth && (depth < 8 || (depth & (depth - 1)) !== 0)) return;
    if (this.#open.some(({ source }) => source === value)) throw this.#circle(value);
    if (depth >= this.#limits.maxDepth) throw this.#told(tooDeep(this.#path(), this.#limits.maxDepth));
  }

  #checkLength(more: number): void {
    if (this.#text.length + more > this.#limits.maxLength) throw this.#tooLarge(more);
  }

  /** Keys from the root to what is being written. */
  #path(frames: readonly Frame[] = this.#open): Path {
    const path: (string | number)[] = [];
    for (const { keys, at, end } of frames) if (end !== "") path.push(keys?.[at - 1] ?? at - 1);
    return path;
  }

  #circle(value: object): GraphError {
    const sources = [...this.#open.map(({ source }) => source), value];
    const met = new Set<object>();
    const again = sources.findIndex((source) => met.size === met.add(source).size);
    const path = this.#path(this.#open.slice(0, again));
    return this.#told(unstorable(path, "a reference to an object that contains it"));
  }

  #unstorable(what: string): GraphError {
    return this.#told(unstorable(this.#path(), what));
  }

  #tooLarge(more: number): GraphError {
    return this.#told(tooLarge(this.#path(), this.#text.length + more, this.#limits.maxLength));
  }

  #told(error: GraphError): GraphError {
    this.#refused = error;
    return error;
  }
}

function number(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '{"$":"number","v":"-0"}' : String(value);
  return `{"$":"number","v":"${value}"}`;
}
