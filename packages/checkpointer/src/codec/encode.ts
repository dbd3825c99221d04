import { GraphError } from "@skein/errors";
import { builtin, isOpaque } from "./builtins.ts";
import { isMessage, messageFields } from "./messages.ts";
import type { CodecTag, Reference } from "./types.ts";

/** Writes one value as JSON text. A tagged value is an object whose first key is "$". */
export class Encoder {
  readonly #tags: readonly CodecTag[];
  readonly #maxDepth: number;
  readonly #reference: Reference | undefined;
  /** Keys from the root to what is being written; their number is the depth. */
  readonly #path: (string | number)[] = [];
  readonly #open: object[] = [];

  constructor(tags: readonly CodecTag[], maxDepth: number, reference: Reference | undefined) {
    this.#tags = tags;
    this.#maxDepth = maxDepth;
    this.#reference = reference;
  }

  value(value: unknown): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value);
      case "number":
        return number(value);
      case "boolean":
        return value ? "true" : "false";
      case "undefined":
        return '{"$":"undefined"}';
      case "bigint":
        return `{"$":"bigint","v":"${value}"}`;
      case "object":
        return value === null ? "null" : this.#object(value);
      default:
        throw this.#unstorable(`a ${typeof value}`);
    }
  }

  #object(value: object): string {
    const item = this.#reference?.(value);
    if (item !== undefined) return `{"$":"item","l":${item[0]},"o":${item[1]}}`;
    if (this.#open.length >= this.#maxDepth) throw this.#tooDeep(value);
    this.#open.push(value);
    let text: string;
    if (Array.isArray(value)) text = this.#array(value);
    else {
      const prototype: unknown = Object.getPrototypeOf(value);
      text =
        prototype === Object.prototype || prototype === null ? this.#plain(value) : this.#instance(value);
    }
    this.#open.pop();
    return text;
  }

  #array(value: readonly unknown[]): string {
    if (value.length === 0) return "[]";
    const path = this.#path;
    let text = "";
    for (let i = 0; i < value.length; i += 1) {
      const run = this.#reference === undefined ? undefined : this.#run(value, i);
      if (run !== undefined) {
        text += `,{"$":"item","l":${run.lane},"o":${run.ord},"n":${run.count}}`;
        i += run.count - 1;
        continue;
      }
      path.push(i);
      text += `,${this.value(value[i])}`;
      path.pop();
    }
    return `[${text.slice(1)}]`;
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
    return typeof value === "object" && value !== null ? this.#reference?.(value) : undefined;
  }

  #plain(value: object): string {
    // data that has a key "$" itself is wrapped, so that it cannot be taken for a tag
    return Object.hasOwn(value, "$")
      ? `{"$":"=","v":{${this.#members(value)}}}`
      : `{${this.#members(value)}}`;
  }

  #members(value: object): string {
    const path = this.#path;
    let text = "";
    for (const key of Object.keys(value)) {
      path.push(key);
      const member = `${JSON.stringify(key)}:${this.value((value as Record<string, unknown>)[key])}`;
      text = text === "" ? member : `${text},${member}`;
      path.pop();
    }
    return text;
  }

  #instance(value: object): string {
    if (isMessage(value)) return this.#fields(...messageFields(value));
    for (const tag of this.#tags) {
      if (tag.matches(value)) return this.#fields(tag.tag, { v: tag.encode(value) });
    }
    const known = builtin(value);
    if (known !== undefined) return this.#fields(known[0], known[1]);
    const toJSON: unknown = (value as { toJSON?: unknown }).toJSON;
    if (typeof toJSON === "function")
      return this.value(toJSON.call(value, this.#path.at(-1)?.toString() ?? ""));
    if (isOpaque(value)) throw this.#unstorable(`a ${value.constructor.name}`);
    return this.#plain(value);
  }

  /** @param fields - those that are undefined are left out */
  #fields(tag: string, fields: object): string {
    let text = `{"$":"${tag}"`;
    for (const key of Object.keys(fields)) {
      const field = (fields as Record<string, unknown>)[key];
      if (field === undefined) continue;
      this.#path.push(key);
      text += `,"${key}":${this.value(field)}`;
      this.#path.pop();
    }
    return `${text}}`;
  }

  #at(): string {
    return this.#path.length === 0
      ? "the value"
      : `"${this.#path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("")}"`;
  }

  #unstorable(what: string): GraphError {
    return new GraphError(
      "UNSTORABLE_VALUE",
      `${capital(this.#at())} holds ${what}, which cannot be stored. Keep it out of the state, give the object that holds it a toJSON method, or make the channel an UntrackedValue.`,
      { details: { path: [...this.#path] } },
    );
  }

  #tooDeep(value: object): GraphError {
    if (this.#open.includes(value)) return this.#unstorable("a reference to an object that contains it");
    const path = this.#path.slice(0, 8);
    return new GraphError(
      "VALUE_TOO_DEEP",
      `The value at "${path.join(".")}..." is nested more than ${this.#maxDepth} levels deep. Flatten it before it is put into the state.`,
      { details: { maxDepth: this.#maxDepth, path } },
    );
  }
}

function number(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '{"$":"number","v":"-0"}' : String(value);
  return `{"$":"number","v":"${value}"}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
