import { AIMessage, AIMessageChunk, BaseMessage, ToolMessage } from "@langchain/core/messages";

/** What a recording consists of: JSON, so that two recordings compare by value. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const isUuid = (value: unknown): boolean =>
  typeof value === "string" && value.replace(UUID, "") === "" && value !== "";
/** Interrupt ids are a 128-bit hash in hex. */
const HASH = /\b[0-9a-f]{32}\b/g;
/** Frames of a stack name the files of an engine. */
const FRAME = /\n\s+at .*/g;
const TIMESTAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A value as JSON: class instances by their fields, messages and errors by what users see of them. */
export function plain(value: unknown): Plain {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value.replace(FRAME, "");
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `<${value}>`;
  if (typeof value === "bigint") return `<bigint ${value}>`;
  if (typeof value !== "object") return `<${typeof value}>`;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Error) return plainError(value);
  if (value instanceof Date) return { $date: value.toISOString() };
  if (value instanceof Map) return { $map: [...value].map(plain) };
  if (value instanceof Set) return { $set: [...value].map(plain) };
  if (BaseMessage.isInstance(value)) return plainMessage(value);
  if ((value as { lg_name?: unknown }).lg_name === "Overwrite") {
    return { $overwrite: plain((value as { value?: unknown }).value) };
  }
  // as LangGraph reads one back from a saver
  if (Object.keys(value).join() === "__overwrite__") return { $overwrite: plain(Object.values(value)[0]) };
  return plainFields(value);
}

function plainFields(value: object): Plain {
  const fields: { [key: string]: Plain } = {};
  for (const [key, field] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (field === undefined || typeof field === "function" || isInternal(value, key)) continue;
    fields[key] = plain(key === "configurable" ? publicOf(field as object) : field);
  }
  return fields;
}

/** LangGraph leaves its running machinery in some configs that it hands out; programs read other names. */
function publicOf(configurable: object): object {
  return Object.fromEntries(Object.entries(configurable).filter(([key]) => !key.startsWith("__pregel_")));
}

/** The listeners of a run stand in its config, LangGraph's own among them. */
function isInternal(owner: object, key: string): boolean {
  return key === "callbacks" && "configurable" in owner;
}

function plainMessage(message: BaseMessage): Plain {
  return plainFields({
    $message: message.type,
    chunk: AIMessageChunk.isInstance(message) || undefined,
    id: message.id,
    name: message.name,
    content: message.content,
    tool_calls: AIMessage.isInstance(message) ? message.tool_calls : undefined,
    tool_call_id: ToolMessage.isInstance(message) ? message.tool_call_id : undefined,
    status: ToolMessage.isInstance(message) ? message.status : undefined,
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
  });
}

/**
 * Class name and code of an error. Its words are compared only where a scenario threw them itself
 * (they start with "user:"): the engines explain themselves in their own words.
 */
export function plainError(error: unknown): Plain {
  if (!(error instanceof Error)) return { $thrown: plain(error) };
  const code = (error as { lc_error_code?: string }).lc_error_code;
  return {
    $error: error.name,
    code: code ?? null,
    message: error.message.startsWith("user:") ? error.message : null,
  };
}

/**
 * Names for ids, given in order of their first appearance, so that recordings agree on *which* ids are
 * the same and not on what they are.
 */
export class Ids {
  readonly #names = new Map<string, string>();

  /** The value with names for ids; those that have none yet get one. */
  rename(value: Plain): Plain {
    return this.#replaced(value, (id) => {
      const name = this.#names.get(id) ?? `<id ${this.#names.size + 1}>`;
      this.#names.set(id, name);
      return name;
    });
  }

  /** The value as text in which ids without a name are alike; for ordering what has no order by contract. */
  masked(value: Plain): string {
    return JSON.stringify(this.#replaced(value, (id) => this.#names.get(id) ?? "<id>"));
  }

  #replaced(value: Plain, nameOf: (id: string) => string): Plain {
    return mapStrings(value, (text) =>
      text.replace(TIMESTAMP, "<time>").replace(UUID, nameOf).replace(HASH, nameOf),
    );
  }
}

/** A copy in the order of the elements' texts, each made once. */
export function sortedBy<T>(elements: readonly T[], textOf: (element: T) => string): T[] {
  return elements
    .map((element) => ({ element, text: textOf(element) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ element }) => element);
}

function mapStrings(value: Plain, map: (text: string) => string): Plain {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((element) => mapStrings(element, map));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [map(key), mapStrings(field, map)]));
}
