import { HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createCodec } from "../src/codec/index.ts";

const codec = createCodec();
/** As it is written when a reference may stand for a part: by the writer of whatever can be stored. */
const wholly = (value: unknown): string => codec.encode(value, () => undefined);

const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, {}, [], -0, 1n, "\ud800", { a: 1 }, Object.create(null), new Date(0)),
);
const key = fc.oneof(fc.string(), fc.constantFrom("$", "__proto__", "constructor", "toJSON", "0"));

it("writes plain data, which takes a short way, as it writes it wholly", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, leaf), { maxLength: 10 }), (entries) => {
      const value = Object.fromEntries(entries);
      expect(codec.encode(value)).toBe(wholly(value));
    }),
  );
  fc.assert(fc.property(leaf, (value) => void expect(codec.encode(value)).toBe(wholly(value))));
});

it("keeps its limits on the short way", () => {
  const value = { a: "1234567890", b: {} };
  const length = codec.encode(value).length;
  expect(createCodec({ maxLength: length, maxDepth: 2 }).encode(value)).toBe(codec.encode(value));
  expect(() => createCodec({ maxLength: length - 1 }).encode(value)).toThrow(/at most/);
  expect(() => createCodec({ maxDepth: 1 }).encode(value)).toThrow(/nested more than 1/);
});

it("a message that was spread is data, alone as in a list", () => {
  const spread = { ...new HumanMessage({ content: "a", id: "m" }), content: "b" };
  expect(codec.encode(spread)).toBe(wholly(spread));
  expect(codec.decode(codec.encode(spread))).not.toBeInstanceOf(HumanMessage);
  const claims = Object.assign([1], { [Symbol.for("langchain.message")]: true, type: "human" });
  expect(codec.encode(claims)).toBe("[1]");
});

it("plain data with a toJSON is stored as what that gives, whether its own or not, enumerable or not", () => {
  const hidden = Object.defineProperty({ a: 1 }, "toJSON", { value: () => "other" });
  const own = { f() {}, toJSON: () => ({ b: new Date(0), at: [hidden] }) };
  for (const [value, given] of [
    [hidden, "other"],
    [own, { b: new Date(0), at: ["other"] }],
  ]) {
    for (const wrap of [
      (inner: unknown) => inner,
      (inner: unknown) => ({ in: inner }),
      (inner: unknown) => [inner],
      (inner: unknown) => new HumanMessage({ content: [inner] as never }),
    ]) {
      expect(codec.encode(wrap(value))).toBe(wholly(wrap(value)));
      expect(codec.encode(wrap(value))).toBe(codec.encode(wrap(given)));
    }
  }
  expect(codec.encode({ toJSON: "text" })).toBe('{"toJSON":"text"}');
  const itself = {
    a: 1,
    toJSON(): unknown {
      return this;
    },
  };
  expect(() => codec.encode({ itself })).toThrow('"itself.toJSON" holds a function');
});

it("a message may be nested as deep as the limit says, and no deeper", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  for (const maxDepth of [15, 16, 17, 18]) {
    const limited = createCodec({ maxDepth });
    for (const wrap of [(value: unknown) => value, (value: unknown) => [[value]]]) {
      for (const levels of [maxDepth - 4, maxDepth - 3, maxDepth - 2, maxDepth - 1, maxDepth]) {
        const value = wrap(new HumanMessage({ content: nested(levels) as never }));
        const refused = outcome(() => limited.encode(value, () => undefined));
        expect(outcome(() => limited.encode(value))).toEqual(refused);
      }
    }
  }
});

it("a message that is too large is refused at the same place", () => {
  const message = new HumanMessage({ content: ["x".repeat(40), "y".repeat(40)] as never, id: "m" });
  const value = { a: [message, message] };
  for (let maxLength = 1; maxLength < wholly(value).length; maxLength += 1) {
    const limited = createCodec({ maxLength });
    const refused = outcome(() => limited.encode(value, () => undefined));
    expect(outcome(() => limited.encode(value))).toEqual(refused);
  }
});

function outcome(encode: () => string): unknown {
  try {
    return encode();
  } catch (error) {
    return (error as { details: unknown }).details;
  }
}
