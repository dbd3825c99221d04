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
