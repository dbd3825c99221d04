import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";
import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";
import { requireMessages } from "../messages/given.ts";
import { isAssistant, isSystem, isToolResult, isUser, toolCallsOf } from "../messages/kinds.ts";
import type { OpenAICall, OpenAIMessage } from "./openai-types.ts";
import { asFunction, FUNCTION, FunctionCalls } from "./openai-functions.ts";
import {
  type ExportOptions,
  invalidMessage,
  isObject,
  type Json,
  mapBlocks,
  metadataFrom,
  metadataOf,
  requireExport,
  toImageUrl,
} from "./parts.ts";

export type { OpenAICall, OpenAIMessage } from "./openai-types.ts";

const FORMAT = "OpenAI's";
/** LangChain's mark of a system message that is OpenAI's developer message. */
const ROLE = "__openai_role__";
/** Where a message says what LangChain's has no place for. */
const KEPT = "skein_openai";

interface Kept {
  /** How an empty content was written. */
  readonly content?: null | "" | "absent";
  readonly fields?: Json;
  /** Arguments as they were written, by position, where JSON is written in another way. */
  readonly arguments?: Readonly<Record<number, string>>;
  /** Written with `function_call`, or as an answer to one. */
  readonly function?: true;
}

/**
 * Reads messages as OpenAI's chat completions write them. {@link toOpenAI} gives back what was read.
 * Arguments that are no JSON object become `invalid_tool_calls`. A `function_call` and its answer, the
 * form before `tool_calls`, have no id: they get one that says where the call stands.
 *
 * @throws GraphError INVALID_MESSAGE that names message and field
 *
 * @example
 * const messages = fromOpenAI(body.messages);
 */
export function fromOpenAI(messages: unknown): BaseMessage[] {
  if (!Array.isArray(messages)) throw invalidMessage(FORMAT, "messages", "an array");
  const functions = new FunctionCalls();
  return messages.map((message: unknown, index) => {
    const at = `messages[${index}]`;
    if (!isObject(message)) throw invalidMessage(FORMAT, at, "an object with role and content");
    return read(functions.asTools(message, index, at), at);
  });
}

function read(value: Json, at: string): BaseMessage {
  const { role, content, name, tool_calls, tool_call_id, id, timestamp, ...rest } = value;
  const { [FUNCTION]: isFunction, ...others } = rest as Json & { readonly [FUNCTION]?: true };
  // as programs write it that list every field
  const fields = tool_calls === null ? { ...others, tool_calls } : others;
  if (!(content === null || content === undefined || typeof content === "string" || Array.isArray(content)))
    throw invalidMessage(FORMAT, `${at}.content`, "a string, a list of parts or null");
  if (Array.isArray(content)) checkParts(content as unknown[], `${at}.content`);
  if (name !== undefined && typeof name !== "string") throw invalidMessage(FORMAT, `${at}.name`, "a string");
  const calls =
    tool_calls === undefined || tool_calls === null ? NO_CALLS : readCalls(tool_calls, `${at}.tool_calls`);
  const { fields: own, kwargs } = metadataFrom({ id, timestamp });
  const kept: Kept = {
    ...emptyContent(content, calls.valid.length + calls.invalid.length > 0),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(Object.keys(calls.written).length > 0 ? { arguments: calls.written } : {}),
    ...(isFunction === true ? { function: true as const } : {}),
  };
  const common = {
    ...own,
    content: (content ?? "") as MessageContent,
    ...(name === undefined ? {} : { name }),
    additional_kwargs: { ...kwargs, ...(Object.keys(kept).length > 0 ? { [KEPT]: kept } : {}) },
  };
  switch (role) {
    case "user":
      return new HumanMessage(common);
    case "system":
      return new SystemMessage(common);
    case "developer":
      return new SystemMessage({
        ...common,
        additional_kwargs: { ...common.additional_kwargs, [ROLE]: "developer" },
      });
    case "assistant":
      return new AIMessage({ ...common, tool_calls: calls.valid, invalid_tool_calls: calls.invalid });
    case "tool":
      if (typeof tool_call_id !== "string") throw invalidMessage(FORMAT, `${at}.tool_call_id`, "a string");
      return new ToolMessage({ ...common, tool_call_id });
    default:
      throw invalidMessage(FORMAT, `${at}.role`, "system, developer, user, assistant, tool or function");
  }
}

/** Anthropic's calls and results: read as texts of OpenAI's, they would be neither. */
function checkParts(parts: readonly unknown[], at: string): void {
  for (const [index, part] of parts.entries()) {
    const type = isObject(part) ? part["type"] : undefined;
    if (type === "tool_use" || type === "tool_result")
      throw invalidMessage(FORMAT, `${at}[${index}]`, `no ${type}, which is Anthropic's (fromAnthropic)`);
  }
}

/** How LangChain's empty content is to be written, where it is not the usual way. */
function emptyContent(content: unknown, hasCalls: boolean): Pick<Kept, "content"> {
  if (content === undefined) return { content: "absent" };
  const usual = hasCalls ? null : "";
  return (content === null || content === "") && content !== usual ? { content } : {};
}

interface ReadCalls {
  readonly valid: ToolCall[];
  readonly invalid: InvalidToolCall[];
  readonly written: Record<number, string>;
}
const NO_CALLS: ReadCalls = { valid: [], invalid: [], written: {} };

function readCalls(calls: unknown, at: string): ReadCalls {
  if (!Array.isArray(calls)) throw invalidMessage(FORMAT, at, "an array");
  const result: ReadCalls = { valid: [], invalid: [], written: {} };
  for (const [index, call] of (calls as unknown[]).entries()) {
    const inner = isObject(call) ? call["function"] : undefined;
    if (!isObject(call) || typeof call["id"] !== "string" || !isObject(inner))
      throw invalidMessage(FORMAT, `${at}[${index}]`, "a call with id and function");
    const { name, arguments: written } = inner;
    if (typeof name !== "string" || typeof written !== "string")
      throw invalidMessage(FORMAT, `${at}[${index}].function`, "name and arguments, both strings");
    const args = objectOf(written);
    const { id } = call;
    if (args === undefined) {
      result.invalid.push({ id, name, args: written, error: "no JSON object", type: "invalid_tool_call" });
      continue;
    }
    if (JSON.stringify(args) !== written) result.written[result.valid.length] = written;
    result.valid.push({ id, name, args, type: "tool_call" });
  }
  return result;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Messages as OpenAI's chat completions take them; the inverse of {@link fromOpenAI}.
 *
 * @throws GraphError INVALID_MESSAGE for a message that has no role there
 *
 * @example
 * await openai.chat.completions.create({ model, messages: toOpenAI(context) });
 */
export function toOpenAI(messages: readonly BaseMessage[], options: ExportOptions = {}): OpenAIMessage[] {
  requireMessages("toOpenAI", messages);
  requireExport("toOpenAI", options);
  /** Ids of calls that stand in `tool_calls`, whose answers are no functions'. */
  const tools = new Set<string | undefined>();
  return messages.map((message) => {
    const kept = (message.additional_kwargs?.[KEPT] ?? {}) as Kept;
    const written = write(message, kept, options);
    const calls = written.tool_calls ?? [];
    const { tool_call_id: answered } = written;
    if (kept.function === true && (isToolResult(message) ? !tools.has(answered) : calls.length === 1))
      return asFunction(written);
    for (const { id } of calls) tools.add(id);
    return written;
  });
}

function write(message: BaseMessage, kept: Kept, options: ExportOptions): OpenAIMessage {
  const calls = [
    ...toolCallsOf(message).map(({ id, name, args }, at) =>
      callOf(id, name, writtenArgs(args, kept.arguments?.[at])),
    ),
    ...invalidCallsOf(message).map(({ id, name, args }) => callOf(id, name ?? "", args ?? "")),
  ];
  return {
    ...metadataOf(message, options),
    ...kept.fields,
    role: roleOf(message),
    ...contentOf(message, calls.length > 0, kept.content),
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(isToolResult(message) ? { tool_call_id: message.tool_call_id } : {}),
  };
}

const callOf = (id: string | undefined, name: string, args: string): OpenAICall => ({
  id: id ?? "",
  type: "function",
  function: { name, arguments: args },
});

/** As they were written, if that is still what they say. */
function writtenArgs(args: unknown, written: string | undefined): string {
  const text = JSON.stringify(args ?? {});
  return written !== undefined && JSON.stringify(objectOf(written)) === text ? written : text;
}

function invalidCallsOf(message: BaseMessage): readonly InvalidToolCall[] {
  return (isAssistant(message) ? message.invalid_tool_calls : undefined) ?? [];
}

function contentOf(
  message: BaseMessage,
  hasCalls: boolean,
  kept: Kept["content"],
): Pick<OpenAIMessage, "content"> {
  const { content } = message;
  if (content !== "") {
    const blocks = mapBlocks(content, toImageUrl);
    if (typeof blocks === "string") return { content: blocks };
    // calls stand in tool_calls
    return { content: blocks.filter(({ type }) => type !== "tool_use" && type !== "tool_call") as Json[] };
  }
  if (kept === "absent") return {};
  if (kept !== undefined) return { content: kept };
  return { content: hasCalls ? null : "" };
}

function roleOf(message: BaseMessage): OpenAIMessage["role"] {
  if (isUser(message)) return "user";
  if (isAssistant(message)) return "assistant";
  if (isToolResult(message)) return "tool";
  if (isSystem(message)) return message.additional_kwargs?.[ROLE] === "developer" ? "developer" : "system";
  throw invalidMessage(FORMAT, `a message of type "${message.type}"`, "system, human, ai or tool");
}
