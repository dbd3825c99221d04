import { Document } from "@langchain/core/documents";
import { DeltaSnapshot, isDeltaSnapshot } from "../base/delta-snapshot.ts";
import { fromBase64, isNodeBuffer, toBase64 } from "./base64.ts";
import { setOwn } from "./own.ts";
import { damaged } from "./parse.ts";

type Fields = Record<string, unknown>;

const ARRAYS: ReadonlyMap<string, new (memory: ArrayBuffer) => ArrayBufferView> = new Map(
  [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
    DataView,
  ].map((made) => [made.name, made]),
);

const ERRORS: ReadonlyMap<string, ErrorConstructor> = new Map(
  [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((made) => [made.name, made]),
);

/** What classes of the platform call themselves, whatever copy of them it is: `Headers` is loaded when it is named. */
function platformName(value: object): string | undefined {
  const name = (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return typeof name === "string" ? name : undefined;
}

/**
 * The name of an object whose content nobody can see, so that storing it would silently store nothing; undefined for
 * others. Such are most of the platform: promises, weak collections, iterators, signals, responses.
 */
export function opaqueName(value: object): string | undefined {
  const name = platformName(value);
  // of these, packages derive classes that have properties
  const isOpaque = value instanceof Promise || value instanceof ReadableStream;
  return name !== undefined && (isOpaque || Object.keys(value).length === 0) ? name : undefined;
}

// not node:util's isBoxedPrimitive: the memory saver runs in browsers
const BOXES = [Number, String, Boolean, BigInt, Symbol] as const;
const isBoxed = (value: object): boolean => BOXES.some((box) => value instanceof box);

/** The primitive that an object like `new String("a")` stands for; undefined for other objects. */
export function unboxed(value: object): unknown {
  return isBoxed(value) ? value.valueOf() : undefined;
}

/** Tag and fields of an object of a class that JSON does not know; undefined for other objects. */
export function builtin(value: object): readonly [tag: string, fields: Fields] | undefined {
  if (value instanceof Date) return ["date", { v: Number.isNaN(value.getTime()) ? null : value.getTime() }];
  if (value instanceof Map) return ["map", { v: [...value] }];
  if (value instanceof Set) return ["set", { v: [...value] }];
  if (value instanceof RegExp) return ["regexp", regexpFields(value)];
  if (value instanceof Error) return ["error", errorFields(value)];
  if (value instanceof URL) return ["url", { v: value.href }];
  if (ArrayBuffer.isView(value)) return ["bytes", bytesFields(value)];
  if (value instanceof ArrayBuffer) {
    return ["bytes", { of: "ArrayBuffer", v: Buffer.from(value).toString("base64") }];
  }
  if (isDocument(value))
    return ["document", { v: value.pageContent, metadata: value.metadata, id: value.id }];
  if (isDeltaSnapshot(value)) return ["delta_snapshot", { v: value.value }];
  const name = platformName(value);
  if (name === "URLSearchParams") return ["search_params", { v: String(value) }];
  if (name === "Headers") return ["headers", { v: [...(value as Headers)] }];
  return undefined;
}

function regexpFields({ source, flags, lastIndex }: RegExp): Fields {
  return { v: source, flags, at: lastIndex === 0 ? undefined : lastIndex };
}

function errorFields(error: Error): Fields {
  const own: Fields = {};
  for (const key of Object.keys(error)) {
    if (key !== "name" && key !== "message" && key !== "stack" && key !== "cause") {
      setOwn(own, key, (error as unknown as Fields)[key]);
    }
  }
  return {
    name: String(error.name),
    v: String(error.message),
    cause: error.cause,
    errors: error instanceof AggregateError ? [...error.errors] : undefined,
    own: Object.keys(own).length === 0 ? undefined : own,
  };
}

function bytesFields(view: ArrayBufferView): Fields {
  const name = isNodeBuffer(view) ? "Buffer" : view.constructor.name;
  return {
    of: name === "Buffer" || ARRAYS.has(name) ? name : "Uint8Array",
    v: toBase64(view),
  };
}

/** A Document of any copy of @langchain/core. */
function isDocument(value: object): value is Document {
  return (
    value.constructor?.name === "Document" &&
    typeof (value as Partial<Document>).pageContent === "string" &&
    typeof (value as Partial<Document>).metadata === "object"
  );
}

/** Makes the object of a tagged node whose fields were revived. Undefined for an unknown tag. */
export const REVIVERS: ReadonlyMap<string, (fields: Fields) => unknown> = new Map<
  string,
  (fields: Fields) => unknown
>([
  ["undefined", () => undefined],
  ["number", (f) => Number(f["v"])],
  ["bigint", (f) => BigInt(text(f["v"]))],
  ["date", (f) => new Date(f["v"] === null ? Number.NaN : Number(f["v"]))],
  ["map", (f) => new Map(list(f["v"]) as [unknown, unknown][])],
  ["set", (f) => new Set(list(f["v"]))],
  ["sparse", reviveSparse],
  ["regexp", reviveRegExp],
  ["error", reviveError],
  ["url", (f) => new URL(text(f["v"]))],
  ["search_params", (f) => new URLSearchParams(text(f["v"]))],
  ["headers", (f) => new Headers(list(f["v"]) as [string, string][])],
  ["bytes", reviveBytes],
  [
    "document",
    (f) =>
      new Document({
        pageContent: text(f["v"]),
        metadata: f["metadata"] as Fields,
        ...(f["id"] === undefined ? {} : { id: text(f["id"]) }),
      }),
  ],
  ["delta_snapshot", (f) => new DeltaSnapshot(f["v"])],
]);

function reviveSparse(fields: Fields): unknown[] {
  const length = fields["length"];
  if (typeof length !== "number" || length >>> 0 !== length) throw damaged("a length");
  const sparse: unknown[] = [];
  sparse.length = length;
  for (const [at, value] of list(fields["v"]) as [unknown, unknown][]) {
    const index = Number(at);
    if (index >>> 0 !== index || index >= length) throw damaged("an index");
    sparse[index] = value;
  }
  return sparse;
}

function reviveRegExp(fields: Fields): RegExp {
  const regexp = new RegExp(text(fields["v"]), text(fields["flags"]));
  regexp.lastIndex = Number(fields["at"] ?? 0);
  return regexp;
}

function reviveError(fields: Fields): Error {
  const name = text(fields["name"]);
  const message = text(fields["v"]);
  const error =
    fields["errors"] === undefined
      ? new (ERRORS.get(name) ?? Error)(message)
      : new AggregateError(list(fields["errors"]), message);
  if (error.name !== name) hide(error, "name", name);
  if (fields["cause"] !== undefined) hide(error, "cause", fields["cause"]);
  // the stack of the revival would name a place where nothing went wrong
  hide(error, "stack", `${name}: ${error.message}`);
  for (const [key, value] of Object.entries((fields["own"] ?? {}) as Fields)) {
    Object.defineProperty(error, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return error;
}

function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
}

function reviveBytes(fields: Fields): unknown {
  const bytes = fromBase64(text(fields["v"]));
  const of = text(fields["of"]);
  if (of === "Buffer") return bytes;
  // a copy: a small Buffer shares its memory with others, and may not be aligned
  const memory = Uint8Array.from(bytes).buffer;
  if (of === "ArrayBuffer") return memory;
  return new (ARRAYS.get(of) ?? Uint8Array)(memory);
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw damaged("text");
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw damaged("a list");
}
