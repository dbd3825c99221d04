import { BaseMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";

/**
 * A value as the server gets it: messages as flat objects with their role, dates as ISO text.
 *
 * @param path - where it stands, for the message
 * @throws GraphError INVALID_INPUT for what JSON would lose: circles, a BigInt, a Map, a Set, a date that is none
 */
export function inputToJson(value: unknown, path = "input", above: readonly object[] = []): unknown {
  if (typeof value === "bigint") throw unsendable(path, "a BigInt; give a number or a text");
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) throw unsendable(path, "an object that stands around it; give a tree");
  if (value instanceof Map) throw unsendable(path, "a Map; give a plain object");
  if (value instanceof Set) throw unsendable(path, "a Set; give an array");
  if (value instanceof Date) return dateText(value, path);
  const within = [...above, value];
  if (Array.isArray(value)) {
    return value.map((element, index) => inputToJson(element, `${path}[${index}]`, within));
  }
  const record = BaseMessage.isInstance(value) ? { ...value.toDict().data, role: value.type } : value;
  return mapped(record, (member, key) => inputToJson(member, `${path}.${key}`, within));
}

function dateText(date: Date, path: string): string {
  if (Number.isNaN(date.getTime())) throw unsendable(path, "an invalid Date");
  return date.toISOString();
}

function unsendable(path: string, what: string): GraphError {
  return new GraphError("INVALID_INPUT", `Nothing was sent to the server: "${path}" is ${what}.`, {
    details: { path },
  });
}

/** What JSON cannot hold is left out or told in words: circles, and integers without bounds as text. */
export function plainJson(value: unknown, above: readonly object[] = []): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[Circular]";
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return value;
  const path = [...above, value];
  if (Array.isArray(value)) return value.map((element) => plainJson(element, path));
  return mapped(value, (member) => plainJson(member, path));
}

/** By own keys that are texts: what stands under a symbol is nobody else's. */
function mapped(record: object, map: (member: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, member]) => [key, map(member, key)]));
}
