import { GraphError, shown } from "@skein/errors";
import type { Json } from "../codec/types.ts";

/**
 * Splits chunks of text or bytes at line ends. Blank lines are passed over.
 *
 * @throws GraphError INVALID_INPUT for what is neither, and for bytes that are not UTF-8
 */
export async function* splitLines(
  source: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<string> {
  const isIterable = Symbol.asyncIterator in Object(source) || Symbol.iterator in Object(source);
  if (!isIterable) {
    throw new GraphError(
      "INVALID_INPUT",
      "importThread takes a stream or an iterable of text or bytes, such as a file's read stream. Nothing was stored.",
    );
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let lines = 0;
  let rest = "";
  for await (const chunk of source) {
    rest += typeof chunk === "string" ? chunk : decoded(decoder, lines, asBytes(chunk));
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      const line = rest.slice(start, end).trim();
      start = end + 1;
      if (line === "") continue;
      lines += 1;
      yield line;
    }
    rest = rest.slice(start);
  }
  rest = (rest + decoded(decoder, lines)).trim();
  if (rest !== "") yield rest;
}

/** @param bytes - undefined: no more come */
function decoded(decoder: InstanceType<typeof TextDecoder>, lines: number, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch (cause) {
    throw new GraphError(
      "INVALID_INPUT",
      `The exported thread has bytes behind line ${lines} that are not UTF-8. Nothing was imported. Give the lines as exportThread wrote them.`,
      { cause, details: { line: lines + 1 } },
    );
  }
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new GraphError(
    "INVALID_INPUT",
    `importThread reads texts and bytes; ${shown(chunk)} was among them. Nothing was stored.`,
  );
}

/** Reads fields of a line that came from outside, and says which line is wrong. */
export class Line {
  readonly #number: number;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(text: string, number: number) {
    this.#number = number;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (cause) {
      throw this.wrong("is no JSON", cause);
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      throw this.wrong("is no object");
    this.#fields = parsed as Record<string, unknown>;
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#fields, field);
  }

  text(field: string): string {
    const value = this.#fields[field];
    if (typeof value === "string") return value;
    throw this.wrong(`has no text "${field}"`);
  }

  /** A whole number of 0 or more. */
  count(field: string): number {
    const value = this.whole(field);
    if (value >= 0) return value;
    throw this.wrong(`has a negative "${field}"`);
  }

  whole(field: string): number {
    const value = this.#fields[field];
    if (Number.isSafeInteger(value)) return value as number;
    throw this.wrong(`has no whole number "${field}"`);
  }

  countOrNull(field: string): number | null {
    return this.#fields[field] === null ? null : this.count(field);
  }

  textOrNull(field: string): string | null {
    return this.#fields[field] === null ? null : this.text(field);
  }

  object(field: string): { [key: string]: Json } {
    const value = this.json(field);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    throw this.wrong(`has no object "${field}"`);
  }

  /** `[[channel, value], ...]`. */
  writes(field: string): [channel: string, value: Json][] {
    const value = this.json(field);
    if (Array.isArray(value) && value.every(isWrite)) return value;
    throw this.wrong(`has no writes "${field}"`);
  }

  /** Encoded value, as it was stored. */
  encoded(field: string): string {
    return JSON.stringify(this.json(field));
  }

  /** The same, parsed. */
  json(field: string): Json {
    if (!this.has(field)) throw this.wrong(`has no "${field}"`);
    return this.#fields[field] as Json;
  }

  wrong(what: string, cause?: unknown): GraphError {
    return new GraphError(
      "INVALID_INPUT",
      `Line ${this.#number} of the exported thread ${what}. Nothing was imported. Give the lines as exportThread wrote them.`,
      { cause, details: { line: this.#number } },
    );
  }
}

/** Whether the engine's stack was at its end: it walks what is parsed only so deep, and says so in its own words. */
export function isOverflow(error: unknown): boolean {
  return (
    error instanceof Error && /^(Maximum call stack size exceeded|too much recursion)/.test(error.message)
  );
}

function isWrite(value: Json): value is [string, Json] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
}
