import { AIMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { isSame } from "../src/ids/same.ts";

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

test.each<[string, unknown, unknown]>([
  ["a bigint and its digits", { a: 1n }, { a: "1" }],
  ["two bigints", { a: 1n }, { a: 2n }],
  ["a bigint and a number", { a: 1n }, { a: 1 }],
  ["a set and a list", new Set([1]), [1]],
  ["a map and its entries", new Map([[1, 2]]), [[1, 2]]],
  ["a set and a map", new Set([[1, 2]]), new Map([[1, 2]])],
  ["two sets", { a: new Set([1]) }, { a: new Set([2]) }],
  ["two maps", { a: new Map([["k", 1]]) }, { a: new Map([["k", 2]]) }],
  ["two errors", new Error("a"), new Error("b")],
  ["errors of two kinds", new TypeError("a"), new RangeError("a")],
  [
    "errors of two codes",
    Object.assign(new Error("a"), { code: 1 }),
    Object.assign(new Error("a"), { code: 2 }),
  ],
  ["two regular expressions", { a: /a/ }, { a: /b/ }],
  ["a list and an object", [], {}],
  ["a longer list", [1], [1, 2]],
  ["null and nothing", { a: null }, {}],
  ["nothing and null", {}, { a: null }],
  ["a member more", { a: 1 }, { a: 1, b: 2 }],
  ["an object and null", {}, null],
  ["a text and a number", { a: "1" }, { a: 1 }],
  ["what leads back to itself", cycle, { self: { self: {} } }],
])("%s are two", (_pair, a, b) => {
  expect(isSame(a, b)).toBe(false);
  expect(isSame(b, a)).toBe(false);
});

test.each<[string, unknown, unknown]>([
  ["minus zero and zero", -0, 0],
  ["no numbers", NaN, NaN],
  ["what JSON stores in the place of no number", { a: NaN }, { a: null }],
  ["bigints", { a: 1n }, { a: 1n }],
  ["sets", { a: new Set([{ b: 1n }]) }, { a: new Set([{ b: 1n }]) }],
  ["maps", new Map([["k", { b: 1 }]]), new Map([["k", { b: 1 }]])],
  ["errors", new Error("a"), new Error("a")],
  ["regular expressions", [/a/g], [/a/g]],
  ["a member that is undefined and none", { a: undefined }, {}],
  ["another order of members", { a: 1, b: 2 }, { b: 2, a: 1 }],
  ["dates", { at: new Date(5) }, { at: new Date(5) }],
  ["a date and what JSON stores of it", { at: new Date(5) }, { at: new Date(5).toJSON() }],
  ["messages", [new AIMessage({ id: "1", content: "x" })], [new AIMessage({ id: "1", content: "x" })]],
])("%s are the same", (_pair, a, b) => {
  expect(isSame(a, b)).toBe(true);
  expect(isSame(b, a)).toBe(true);
});
