import * as fc from "fast-check";
import { expect, it } from "vitest";
import { millisecondsOf } from "../src/core/checkpoint-columns.ts";
import { mergedWrites, parseInline, printInline } from "../src/core/inline-writes.ts";
import { fromShortId, fromShortTime, shortId, shortTime } from "../src/core/short-id.ts";
import { parseStored, printCompact } from "../src/manifest/compact.ts";
import { Dictionary } from "../src/manifest/dictionary.ts";
import { parseManifest } from "../src/manifest/text.ts";
import { task } from "./support/formats.ts";
import { manifests, told } from "./support/manifests.ts";

it("short ids and times stand for what they were made of, and sort as it does", () => {
  const id = fc.oneof(fc.uuid(), fc.string({ unit: "binary" }));
  fc.assert(fc.property(id, (text) => void expect(fromShortId(shortId(text))).toBe(text)));
  const sorted = fc.tuple(fc.uuid(), fc.uuid());
  fc.assert(fc.property(sorted, ([a, b]) => void expect(shortId(a) < shortId(b)).toBe(a < b)));
  const times = fc.tuple(fc.nat({ max: 2 ** 47 }), fc.nat({ max: 2 ** 47 }));
  fc.assert(
    fc.property(times, ([a, b]) => {
      expect(fromShortTime(shortTime(a))).toBe(a);
      expect(shortTime(a) < shortTime(b)).toBe(a < b);
    }),
  );
});

it("a time is stored as a number where it is written as toISOString does, and nowhere else", () => {
  const written = fc.nat({ max: 253_402_300_799_999 }).map((time) => new Date(time).toISOString());
  const other = fc
    .tuple(written, fc.nat({ max: 23 }), fc.constantFrom(..."0123456789:.TZ -x"))
    .map(([ts, at, character]) => ts.slice(0, at) + character + ts.slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(written, other, fc.string()), (ts) => {
      const time = Date.parse(ts);
      const isWritten = time >= 0 && new Date(time).toISOString() === ts;
      expect(millisecondsOf(ts)).toBe(isWritten ? time : undefined);
    }),
    { numRuns: 2000 },
  );
});

it("a manifest with numbers for names says what it says with the names", () => {
  const names = new Dictionary();
  names.add([
    [1, "messages"],
    [2, "branch:to:a"],
  ]);
  const manifest = manifests({
    name: fc.constantFrom("messages", "branch:to:a", "a", "1", "new", "__proto__"),
    entry: fc.constantFrom(null, { kind: "inline" as const, text: '"x"' }),
    version: fc.oneof(fc.nat(), fc.string(), fc.constant(null)),
  });
  fc.assert(
    fc.property(manifest, (one) => {
      expect(told(parseStored(printCompact(one, names), names))).toEqual(told(one));
    }),
  );
  expect(parseStored('{"c":{"1":[1,5]},"v":1}', names)).toEqual(parseManifest('{"c":{"1":[1,5]},"v":1}'));
  expect(() => parseStored("[1,[3,0]]", names)).toThrow(expect.objectContaining({ code: "STORAGE_CORRUPT" }));
});

function writeOf(id: string, value: string) {
  const parts = ["n", value, "__proto__", "1"];
  return { task: id, slot: 0, body: `[["n",${value}],["__proto__",1]]`, parts };
}

it("of two writes for one place, the row counts", () => {
  const names = new Dictionary();
  const inline = parseInline(printInline([writeOf("a", "1"), writeOf(task(1), "[2]")], names) ?? "", names);
  expect(inline.map(({ task: id, body }) => [id, body])).toEqual([
    ["a", '[["n",1],["__proto__",1]]'],
    [task(1), '[["n",[2]],["__proto__",1]]'],
  ]);
  const row = { task: "a", slot: 0, body: "[]" };
  expect(mergedWrites([row], inline).map(({ task: id, body }) => [id, body])).toEqual([
    [task(1), '[["n",[2]],["__proto__",1]]'],
    ["a", "[]"],
  ]);
});
