import { BaseMessage } from "@langchain/core/messages";

/** A value as the server gets it: messages as flat objects with their role. */
export function inputToJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inputToJson);
  if (BaseMessage.isInstance(value)) return { ...value.toDict().data, role: value.type };
  return mapped(value, inputToJson);
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
function mapped(record: object, map: (member: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, member]) => [key, map(member)]));
}
