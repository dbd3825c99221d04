import type { BaseMessage } from "@langchain/core/messages";
import { requireMessages } from "../messages/given.ts";
import { invalidMessage, isObject, type Json } from "./parts.ts";
import { fromRecordedMessage, toRecorded, type RecordedMessage } from "./recorded.ts";

/** One of the results that a tool message carries. */
export interface GroupedResult {
  readonly tool_call_id: string;
  readonly content: string | null;
  readonly name?: string;
  readonly [field: string]: unknown;
}

/** A message of the format in which one tool message carries the results of all calls. */
export interface GroupedMessage extends Omit<RecordedMessage, "content" | "tool_call_id"> {
  readonly content?: string | null;
  readonly tool_results?: readonly GroupedResult[];
}

const FORMAT = "the several-results";
/** Where the first result of a message that follows another tool message says so. */
const OPENS = "opens_group";

/**
 * Reads messages `{role, content, tool_calls, tool_results[]}`: one message for each result is what the
 * rest of Skein works with. {@link toGrouped} gives back what was read.
 *
 * @throws GraphError INVALID_MESSAGE that names message and field
 *
 * @example
 * fromGrouped([{ role: "tool", tool_results: [{ tool_call_id: "1", content: "a" }, { tool_call_id: "2", content: "b" }] }]).length; // 2
 */
export function fromGrouped(messages: unknown): BaseMessage[] {
  if (!Array.isArray(messages)) throw invalidMessage(FORMAT, "messages", "an array");
  const list = messages as unknown[];
  return list.flatMap((message, index) => {
    if (!isObject(message)) throw invalidMessage(FORMAT, `messages[${index}]`, "an object");
    const { tool_results: results, ...rest } = message;
    if (results === undefined) return [fromRecordedMessage(message)];
    const at = `messages[${index}].tool_results`;
    if (rest["role"] !== "tool") throw invalidMessage(FORMAT, at, "there only if role is tool");
    if (!Array.isArray(results) || results.length === 0)
      throw invalidMessage(FORMAT, at, "a list of at least one result");
    const previous = list[index - 1];
    const follows = isObject(previous) && previous["role"] === "tool";
    return (results as unknown[]).map((result, place) => {
      if (!isObject(result)) throw invalidMessage(FORMAT, `${at}[${place}]`, "an object");
      const shared = place === 0 ? groupFields(rest, follows) : {};
      return fromRecordedMessage({ ...shared, ...result, role: "tool" });
    });
  });
}

/** What stands beside the results, with the first of them. */
function groupFields({ role: _role, ...rest }: Json, follows: boolean): Json {
  const group = Object.keys(rest).length > 0 ? { group: rest } : {};
  return { ...group, ...(follows ? { [OPENS]: true } : {}) };
}

/**
 * Messages with all results that stand together in one tool message; the inverse of {@link fromGrouped}.
 *
 * @example
 * const line = JSON.stringify({ id: "t1", messages: toGrouped(messages) });
 */
export function toGrouped(messages: readonly BaseMessage[]): GroupedMessage[] {
  requireMessages("toGrouped", messages);
  const grouped: GroupedMessage[] = [];
  let open: GroupedResult[] | undefined;
  for (const record of messages.map(toRecorded)) {
    if (record.role !== "tool") {
      open = undefined;
      grouped.push(record);
      continue;
    }
    const { role, group, [OPENS]: opens, ...result } = record;
    if (open === undefined || opens === true) {
      open = [];
      grouped.push({ ...(isObject(group) ? group : {}), role, tool_results: open });
    }
    open.push(result as GroupedResult);
  }
  return grouped;
}
