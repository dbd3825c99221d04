import { isDeepStrictEqual } from "node:util";
import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultCodec } from "../src/index.ts";

const roundTrip = (value: unknown): unknown => defaultCodec.decode(defaultCodec.encode(value));

const lastIndex = (regexp: RegExp, at: number): RegExp => Object.assign(regexp, { lastIndex: at });
const sparse = (): unknown[] => {
  const list: unknown[] = [1, undefined];
  list[5] = "five";
  list.length = 8;
  return list;
};
const aggregate = (): AggregateError =>
  new AggregateError([new TypeError("one"), "two"], "both", { cause: new Error("deep", { cause: 1 }) });
const memory = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 255, 0, 0, 0, 0, 0, 248, 127]).buffer;

/** Every kind of value that is not plain JSON, by name. */
const VALUES: readonly (readonly [string, () => unknown])[] = [
  ["undefined", () => undefined],
  ["undefined in an object", () => ({ a: undefined, b: 1 })],
  ["undefined in a list", () => [undefined, 1, undefined]],
  ["holes in a list", sparse],
  ["a list of nothing but holes", () => Array.from({ length: 3 }).fill(0, 3)],
  ["NaN", () => Number.NaN],
  ["Infinity", () => Infinity],
  ["-Infinity", () => -Infinity],
  ["-0", () => -0],
  ["the least and greatest numbers", () => [Number.MIN_VALUE, Number.MAX_VALUE, 2 ** 53 + 2]],
  ["bigints", () => [0n, -(2n ** 100n)]],
  ["a date", () => new Date(1_700_000_000_123)],
  ["an invalid date", () => new Date(Number.NaN)],
  [
    "a map with keys of every kind",
    () =>
      new Map<unknown, unknown>([
        [1, undefined],
        [{ a: 1 }, new Map()],
      ]),
  ],
  ["a set", () => new Set([new Set(["a"]), Number.NaN, undefined])],
  ["a regular expression", () => /a\/b[\]]\n/giu],
  ["a regular expression in use", () => lastIndex(/a/g, 7)],
  ["an error", () => new RangeError("r", { cause: { code: 1n } })],
  ["an aggregate error", aggregate],
  ["an error with fields of its own", () => Object.assign(new SyntaxError("s"), { at: new Date(1) })],
  ["a URL", () => new URL("https://user:word@example.com:81/a%20b?c=d#e")],
  ["a document", () => new Document({ pageContent: "p", metadata: { at: new Date(1) }, id: "d" })],
  ["a document without an id", () => new Document({ pageContent: "", metadata: {} })],
  ["an ArrayBuffer", () => memory.slice(0)],
  ["a DataView", () => new DataView(memory.slice(0))],
  ["a Buffer", () => Buffer.from("ä")],
  ["an Int8Array", () => new Int8Array(memory.slice(0))],
  ["a Uint8Array", () => new Uint8Array(memory.slice(0))],
  ["a Uint8ClampedArray", () => new Uint8ClampedArray(memory.slice(0))],
  ["an Int16Array", () => new Int16Array(memory.slice(0))],
  ["a Uint16Array", () => new Uint16Array(memory.slice(0))],
  ["an Int32Array", () => new Int32Array(memory.slice(0))],
  ["a Uint32Array", () => new Uint32Array(memory.slice(0))],
  ["a Float32Array", () => new Float32Array([1.5, Number.NaN, -0, Infinity])],
  ["a Float64Array", () => new Float64Array(memory.slice(0))],
  ["a BigInt64Array", () => new BigInt64Array(memory.slice(0))],
  ["a BigUint64Array", () => new BigUint64Array(memory.slice(0))],
  ["part of a larger memory", () => new Uint16Array(memory.slice(0), 2, 3)],
  ["no bytes", () => new Uint8Array()],
];

const BLOCKS = [
  { type: "text", text: "look" },
  { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
  { type: "image", source_type: "base64", mime_type: "image/png", data: "AAAA" },
  { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
  { type: "tool_use", id: "c", name: "f", input: { a: [1] } },
];
const ANSWER = {
  id: "a",
  name: "bot",
  content: BLOCKS,
  tool_calls: [{ id: "c", name: "f", args: { at: [1, { b: null }] }, type: "tool_call" }],
  invalid_tool_calls: [{ id: "d", name: "g", args: "{", error: "no JSON", type: "invalid_tool_call" }],
  usage_metadata: {
    input_tokens: 1,
    output_tokens: 2,
    total_tokens: 3,
    input_token_details: { cache_read: 1 },
    output_token_details: { reasoning: 1 },
  },
  response_metadata: { model: "m", when: new Date(5) },
  additional_kwargs: { refusal: "no" },
} as unknown as AIMessageFields;
const RESULT = {
  content: "r",
  tool_call_id: "c",
  status: "error",
  name: "f",
  artifact: { raw: new Map([[1, new Uint8Array([1])]]) },
  metadata: { page: 2 },
} as const;

/** A message of every class, with everything that it can hold. */
const MESSAGES: readonly (() => BaseMessage)[] = [
  () => new HumanMessage("hi"),
  () => new HumanMessage({ id: "h", name: "eve", content: BLOCKS as never }),
  () => new AIMessage("plain"),
  () => new AIMessage(ANSWER),
  () => new SystemMessage({ content: "s", additional_kwargs: { cache_control: { type: "ephemeral" } } }),
  () => new ToolMessage(RESULT),
  () => new ToolMessage({ content: BLOCKS as never, tool_call_id: "c", status: "success" }),
  () => new FunctionMessage({ content: "f", name: "fn" }),
  () => new ChatMessage({ content: "c", role: "critic" }),
  () => new RemoveMessage({ id: "9" }),
  () => new HumanMessageChunk({ content: "h", id: "1" }),
  () => new AIMessageChunk(ANSWER as never),
  () =>
    new AIMessageChunk({
      content: "part",
      tool_call_chunks: [{ index: 0, id: "c", name: "f", args: '{"a":', type: "tool_call_chunk" }],
    }),
  () => new SystemMessageChunk("s"),
  () => new ToolMessageChunk(RESULT),
  () => new FunctionMessageChunk({ content: "f", name: "fn" }),
  () => new ChatMessageChunk({ content: "c", role: "critic" }),
];

describe("what the codec stores, one by one", () => {
  it.each(VALUES)("%s comes back as it was, alone and inside of others", (name, make) => {
    for (const value of [make(), { a: [make()] }, new Map([["m", make()]]), [[make()], make()]]) {
      const back = roundTrip(value);
      expect(back).toEqual(value);
      // compares classes, -0, holes, causes and positions as well; in Node 20 an invalid date equals nothing there
      expect(name === "an invalid date" || isDeepStrictEqual(back, value)).toBe(true);
    }
  });

  it.each(MESSAGES.map((make): [string, () => BaseMessage] => [make().constructor.name, make]))(
    "%s comes back whole, as an instance of its class",
    (_, make) => {
      const back = roundTrip([make()]) as [BaseMessage];
      expect(back[0].constructor).toBe(make().constructor);
      expect(back).toEqual([make()]);
      expect(back[0].toDict()).toEqual(make().toDict());
    },
  );

  it("takes primitives out of their boxes, as JSON does", () => {
    const boxed = [Object("text"), Object(1), Object(-0), Object(false), Object(1n)] as unknown[];
    expect(roundTrip(boxed)).toEqual(["text", 1, -0, false, 1n]);
  });

  it("stores whatever an object's toJSON gives, be it the object itself", () => {
    class Self {
      readonly a = [1];
      toJSON(): unknown {
        return this;
      }
    }
    expect(roundTrip({ s: new Self() })).toEqual({ s: { a: [1] } });
  });
});

describe("what the codec stores, in any combination", () => {
  const special = fc.constantFrom(...VALUES).map(([, make]) => make());
  const message = fc.constantFrom(...MESSAGES).map((make) => make());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.jsonValue(),
      special,
      message,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("$", "__proto__", "v", "0")), tie("tree"), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
      fc.array(fc.tuple(tie("tree"), tie("tree")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
      fc.array(tie("tree"), { maxLength: 3 }).map((values) => new Set(values)),
      tie("tree").map((cause) => new Error("e", { cause })),
      fc.array(tie("tree"), { maxLength: 2 }).map((errors) => new AggregateError(errors, "many")),
      tie("tree").map((artifact) => new ToolMessage({ content: "", tool_call_id: "c", artifact })),
      tie("tree").map((at) => new Document({ pageContent: "p", metadata: { at } })),
    ),
  }));

  it("comes back as it was, and is written the same way again", () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = defaultCodec.encode(value);
        const back = defaultCodec.decode(text);
        expect(back).toEqual(value);
        expect(defaultCodec.encode(back)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("names the path of the one thing that cannot be stored", () => {
    const hostile = fc.constantFrom<() => unknown>(
      () => () => 1,
      () => Symbol("s"),
      () => Promise.resolve(),
      () => new WeakMap(),
      () => new WeakSet(),
      () => new Blob(["x"]),
      () => new SharedArrayBuffer(1),
    );
    const steps = fc.array(fc.oneof(fc.stringMatching(/^[a-z]{1,4}$/), fc.nat({ max: 3 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(hostile, steps, tree, (make, path, beside) => {
        let value = make();
        for (const step of path.toReversed()) {
          if (typeof step === "string") value = { [step]: value, BESIDE: beside };
          else value = [...Array.from({ length: step }, () => beside), value];
        }
        expect(() => defaultCodec.encode(value)).toThrow(
          expect.objectContaining({ code: "UNSTORABLE_VALUE", details: { path } }),
        );
      }),
      { numRuns: 200 },
    );
  });
});
