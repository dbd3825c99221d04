import { GraphError } from "@skein/errors";
import type { Codec } from "../../codec/types.ts";
import type { Facets } from "./backend.ts";
import { sameData } from "./equal.ts";
import { latin, textBytes } from "./tuple.ts";

type Test = (value: unknown) => boolean;

/** Says whether a value passes. */
export type Filter = (value: Readonly<Record<string, unknown>>) => boolean;

/** Characters of a text that become a facet. */
const MAX_FACET = 200;

/**
 * A filter from the data that a caller gave. Fields are looked up by name as they are, dots
 * included, and only among the value's own.
 *
 * @param codec - what values are stored by, and compared by where they are of a class
 * @throws GraphError INVALID_INPUT for an operator that does not exist
 */
export function compileFilter(filter: unknown, codec: Codec): Filter {
  if (filter === undefined || filter === null) return () => true;
  if (typeof filter !== "object" || Array.isArray(filter)) {
    throw invalidFilter("", "A filter is an object of fields.");
  }
  const tests = Object.entries(filter).map(
    ([field, wanted]) => [field, compileField(field, wanted, codec)] as const,
  );
  return (value) =>
    tests.every(([field, test]) => test(Object.hasOwn(value, field) ? value[field] : undefined));
}

/** What of a filter an index of facets can decide: fields that have to equal a text, number or boolean. */
export function facetsOfFilter(filter: Readonly<Record<string, unknown>> | undefined): Facets {
  const equals = Object.entries(filter ?? {}).map(([field, wanted]) => [
    field,
    isOperators(wanted) ? wanted["$eq"] : wanted,
  ]);
  return facetsOf(Object.fromEntries(equals) as Record<string, unknown>);
}

/**
 * The fields of a value that an index may hold: texts, numbers and booleans. Long texts are cut and
 * what PostgreSQL's jsonb refuses is replaced, so different texts may have one facet: facets narrow
 * a search, values decide.
 */
export function facetsOf(value: Readonly<Record<string, unknown>>): Facets {
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, part]): [string, string | number | boolean][] => {
      // such a name cannot be stored as it is, and must not become another field's
      if (field !== storable(field)) return [];
      if (typeof part === "string") return [[field, storable(part)]];
      return typeof part === "boolean" || Number.isFinite(part) ? [[field, part as boolean | number]] : [];
    }),
  );
}

function storable(text: string): string {
  return text.slice(0, MAX_FACET).replaceAll(/[\0\p{Surrogate}]/gu, "\ufffd");
}

type Operator = (operand: unknown, field: string, codec: Codec) => Test;

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: (operand, _, codec) => (value) => sameData(value, operand, codec),
  $ne: (operand, _, codec) => (value) => !sameData(value, operand, codec),
  $gt: (operand) => ordered(operand, (order) => order > 0),
  $gte: (operand) => ordered(operand, (order) => order >= 0),
  $lt: (operand) => ordered(operand, (order) => order < 0),
  $lte: (operand) => ordered(operand, (order) => order <= 0),
  $in: (operand, field, codec) => oneOf(operand, codec, field, "$in"),
  $nin: (operand, field, codec) => {
    const inside = oneOf(operand, codec, field, "$nin");
    return (value) => !inside(value);
  },
  $exists: (operand, field) => {
    if (typeof operand !== "boolean") throw invalidFilter(field, "$exists takes true or false.");
    return (value) => (value !== undefined) === operand;
  },
};

function compileField(field: string, wanted: unknown, codec: Codec): Test {
  if (!isOperators(wanted)) return (value) => sameData(value, wanted, codec);
  const tests = Object.entries(wanted).map(([name, operand]) => {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (operator !== undefined) return operator(operand, field, codec);
    throw invalidFilter(
      field,
      `"${name}" is no operator (there are ${Object.keys(OPERATORS).join(", ")}). To compare with an object that has such a key, write {"$eq": ...}.`,
    );
  });
  return (value) => tests.every((test) => test(value));
}

/** An object with a key that begins with `$`: operators are asked for, well or badly. */
function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return false;
  const prototype: unknown = Object.getPrototypeOf(wanted);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.keys(wanted).some((key) => key.startsWith("$"));
}

function oneOf(operand: unknown, codec: Codec, field: string, name: string): Test {
  if (!Array.isArray(operand)) throw invalidFilter(field, `${name} takes a list.`);
  return (value) => operand.some((each) => sameData(value, each, codec));
}

function ordered(operand: unknown, holds: (order: number) => boolean): Test {
  return (value) => {
    const order = compare(value, operand);
    return order !== undefined && holds(order);
  };
}

/** Undefined for what has no order: lists, objects, null, what is missing, a text beside a number. */
function compare(a: unknown, b: unknown): number | undefined {
  const [x, y] = [sizeOf(a), sizeOf(b)];
  if (x !== undefined && y !== undefined) return Number(x > y) - Number(x < y);
  if (typeof a !== "string" || typeof b !== "string") return undefined;
  // by code point, as the databases' order is
  const [left, right] = [latin(textBytes(a)), latin(textBytes(b))];
  return Number(left > right) - Number(left < right);
}

/** Numbers, dates, and texts that are numbers. */
function sizeOf(value: unknown): number | bigint | undefined {
  if (typeof value === "bigint") return value;
  const size = typeof value === "string" && value.trim() === "" ? Number.NaN : value;
  if (typeof size !== "number" && typeof size !== "string" && !(size instanceof Date)) return undefined;
  const number = Number(size);
  return Number.isNaN(number) ? undefined : number;
}

function invalidFilter(field: string, what: string): GraphError {
  const where = field === "" ? "A search" : `A search by the field "${field}"`;
  return new GraphError("INVALID_INPUT", `${where} cannot be made. ${what} Nothing was read.`, {
    details: { field },
  });
}
