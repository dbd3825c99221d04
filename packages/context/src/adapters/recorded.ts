import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { InvalidToolCall } from "@langchain/core/messages/tool";
import { GraphError, shown, thrownMessage } from "@skein/errors";
import { requireMessage, requireObject } from "../messages/given.ts";
import { isAssistant, isToolResult, toolCallsOf } from "../messages/kinds.ts";

/** One message of a recorded conversation. */
export interface RecordedMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly RecordedCall[];
  /** Calls whose arguments are no JSON object, as the model wrote them. */
  readonly invalid_tool_calls?: readonly InvalidToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

/** A call of a tool in a recorded message. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One recorded conversation, its messages as LangChain's. */
export interface RecordedThread {
  readonly id: string;
  readonly messages: BaseMessage[];
  /** The line's other fields. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Where LangChain's message can't say what the record said, this says it. */
const KEPT = "recorded";
interface Kept {
  readonly content?: "" | null;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly calls?: true;
}

/**
 * Reads one line of a JSON Lines file of conversations: `{id, messages: [{role, content,
 * tool_calls?: [{id, name, args}], tool_call_id?, name?}]}`. Nothing is lost: {@link toRecorded}
 * gives back what was read. Message ids are kept if there are any; none are invented.
 *
 * @param line - the text of the line, or the object that was parsed from it
 * @param at - its number, for error messages
 * @throws GraphError INVALID_MESSAGE that names the line and the field
 *
 * @example
 * const { id, messages } = fromRecorded('{"id":"t1","messages":[{"role":"user","content":"hi"}]}');
 */
export function fromRecorded(line: unknown, at: { readonly line?: number } = {}): RecordedThread {
  requireObject("fromRecorded", at, "where the line stands as {line}");
  const where = at.line === undefined ? "the record" : `line ${shown(at.line)}`;
  const record = typeof line === "string" ? parseJson(line, where) : line;
  if (!isObject(record)) throw invalid(where, "", "a JSON object with id and messages");
  const { id, messages, ...extra } = record;
  if (typeof id !== "string" && typeof id !== "number") throw invalid(where, "id", "a string");
  if (!Array.isArray(messages)) throw invalid(where, "messages", "an array");
  return {
    id: String(id),
    messages: messages.map((message, index) => read(message, where, `messages[${index}]`)),
    extra,
  };
}

/**
 * Reads one recorded message.
 *
 * @throws GraphError INVALID_MESSAGE
 *
 * @example
 * fromRecordedMessage({ role: "user", content: "hi" }); // a HumanMessage
 */
export function fromRecordedMessage(message: unknown): BaseMessage {
  return read(message, "the record", "message");
}

/**
 * A message as it stands in a recorded conversation; the inverse of {@link fromRecordedMessage}.
 *
 * @throws GraphError INVALID_MESSAGE for what is no message, or one that has no role there
 *
 * @example
 * const line = JSON.stringify({ id: "t1", messages: messages.map(toRecorded) });
 */
export function toRecorded(message: BaseMessage): RecordedMessage {
  requireMessage("toRecorded", message);
  const kept = (message.additional_kwargs?.[KEPT] ?? {}) as Kept;
  const calls = toolCallsOf(message).map(({ id, name, args }) => ({ id: id ?? "", name, args }));
  const invalid = (isAssistant(message) ? message.invalid_tool_calls : undefined) ?? [];
  return {
    ...kept.fields,
    ...(message.id === undefined ? {} : { id: message.id }),
    role: roleOf(message),
    content: contentOf(message, calls.length > 0, kept),
    ...(calls.length > 0 || kept.calls === true ? { tool_calls: calls } : {}),
    ...(invalid.length > 0 ? { invalid_tool_calls: invalid } : {}),
    ...(isToolResult(message) ? { tool_call_id: message.tool_call_id } : {}),
    ...(message.name === undefined ? {} : { name: message.name }),
  };
}

function contentOf({ content }: BaseMessage, hasCalls: boolean, kept: Kept): string | null {
  if (content === "") return kept.content === undefined ? emptyContent(hasCalls) : kept.content;
  if (typeof content === "string") return content;
  return content === null || content === undefined ? null : JSON.stringify(content);
}

function roleOf(message: BaseMessage): RecordedMessage["role"] {
  if (isAssistant(message)) return "assistant";
  if (isToolResult(message)) return "tool";
  if (message.type === "human") return "user";
  if (message.type === "system") return "system";
  throw new GraphError(
    "INVALID_MESSAGE",
    `A message of type "${message.type}" has no role in a recorded conversation; use system, human, ai or tool.`,
    { details: { type: message.type } },
  );
}

function read(value: unknown, where: string, path: string): BaseMessage {
  if (!isObject(value)) throw invalid(where, path, "an object with role and content");
  const { role, content, tool_calls: calls, tool_call_id: callId, name, id, ...rest } = value;
  const { invalid_tool_calls: broken, ...fields } = rest;
  if (typeof content !== "string" && content !== null) {
    throw invalid(where, `${path}.content`, "a string or null");
  }
  if (name !== undefined && typeof name !== "string") throw invalid(where, `${path}.name`, "a string");
  if (id !== undefined && typeof id !== "string") throw invalid(where, `${path}.id`, "a string");
  if (calls !== undefined && role !== "assistant") {
    throw invalid(where, `${path}.tool_calls`, "there only if role is assistant");
  }
  if (callId !== undefined && role !== "tool") {
    throw invalid(where, `${path}.tool_call_id`, "there only if role is tool");
  }
  if (broken !== undefined && !(role === "assistant" && Array.isArray(broken) && broken.every(isObject))) {
    throw invalid(where, `${path}.invalid_tool_calls`, "a list of calls, and an assistant's");
  }
  const toolCalls = calls === undefined ? [] : readCalls(calls, where, `${path}.tool_calls`);
  const kept = keep(content, fields, toolCalls.length > 0, calls !== undefined);
  const common = {
    content: content ?? "",
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(kept === undefined ? {} : { additional_kwargs: { [KEPT]: kept } }),
  };
  switch (role) {
    case "system":
      return new SystemMessage(common);
    case "user":
      return new HumanMessage(common);
    case "assistant":
      return new AIMessage({
        ...common,
        tool_calls: toolCalls,
        ...(broken === undefined ? {} : { invalid_tool_calls: broken as InvalidToolCall[] }),
      });
    case "tool":
      if (typeof callId !== "string") throw invalid(where, `${path}.tool_call_id`, "a string");
      return new ToolMessage({ ...common, tool_call_id: callId });
    default:
      throw invalid(where, `${path}.role`, "system, user, assistant or tool");
  }
}

function keep(
  content: string | null,
  fields: Readonly<Record<string, unknown>>,
  hasCalls: boolean,
  namesCalls: boolean,
): Kept | undefined {
  const kept: Kept = {
    ...exceptional(content, hasCalls),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(namesCalls && !hasCalls ? { calls: true as const } : {}),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** How an empty content is written unless {@link Kept} says otherwise. */
const emptyContent = (hasCalls: boolean): null | "" => (hasCalls ? null : "");

function exceptional(content: string | null, hasCalls: boolean): Pick<Kept, "content"> {
  if (content !== null && content !== "") return {};
  return content === emptyContent(hasCalls) ? {} : { content };
}

function readCalls(calls: unknown, where: string, path: string): RecordedCall[] {
  if (!Array.isArray(calls)) throw invalid(where, path, "an array");
  return calls.map((call: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isObject(call)) throw invalid(where, at, "an object with id, name and args");
    if (typeof call["id"] !== "string") throw invalid(where, `${at}.id`, "a string");
    if (typeof call["name"] !== "string") throw invalid(where, `${at}.name`, "a string");
    if (!isObject(call["args"])) throw invalid(where, `${at}.args`, "an object");
    const { id, name, args, ...rest } = call;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined)
      throw invalid(where, `${at}.${unknown}`, "absent (a call is id, name and args)");
    return { id, name, args } as RecordedCall;
  });
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GraphError(
      "INVALID_MESSAGE",
      `No conversation in ${where}: it is no JSON (${thrownMessage(cause)}).`,
      {
        cause,
        details: { where },
      },
    );
  }
}

function invalid(where: string, field: string, wanted: string): GraphError {
  const what = field === "" ? "it" : field;
  return new GraphError("INVALID_MESSAGE", `No conversation in ${where}: ${what} must be ${wanted}.`, {
    details: { where, field },
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
