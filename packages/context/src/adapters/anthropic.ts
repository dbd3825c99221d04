import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { requireMessages } from "../messages/given.ts";
import { isAssistant, isSystem, isToolResult, isUser, toolCallsOf } from "../messages/kinds.ts";
import {
  type ExportOptions,
  invalidMessage,
  isObject,
  type Json,
  mapBlocks,
  metadataFrom,
  metadataOf,
  requireExport,
  toImageSource,
} from "./parts.ts";

export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Json[];
  readonly [field: string]: unknown;
}

/** A conversation as Anthropic's messages take it: the system prompt stands beside the messages. */
export interface AnthropicConversation {
  readonly system?: string | readonly Json[];
  readonly messages: readonly AnthropicMessage[];
}

const FORMAT = "Anthropic's";

/**
 * Reads a conversation as Anthropic's messages write it. A user message with several tool results
 * becomes one message for each; names of results are taken from their calls.
 *
 * @throws GraphError INVALID_MESSAGE that names message and field
 *
 * @example
 * const messages = fromAnthropic({ system: body.system, messages: body.messages });
 */
export function fromAnthropic(conversation: unknown): BaseMessage[] {
  if (!isObject(conversation)) throw invalidMessage(FORMAT, "it", "an object with messages");
  const { system, messages } = conversation;
  if (!Array.isArray(messages)) throw invalidMessage(FORMAT, "messages", "an array");
  const names = new Map<string, string>();
  const read = (messages as unknown[]).flatMap((message, index) =>
    readMessage(message, `messages[${index}]`, names),
  );
  if (system === undefined) return read;
  return [new SystemMessage({ content: contentFrom(system, "system") as MessageContent }), ...read];
}

function contentFrom(content: unknown, at: string): string | readonly Json[] {
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.every(isObject)) return content as readonly Json[];
  throw invalidMessage(FORMAT, at, "a string or a list of blocks");
}

function readMessage(value: unknown, at: string, names: Map<string, string>): BaseMessage[] {
  if (!isObject(value)) throw invalidMessage(FORMAT, at, "an object with role and content");
  for (const field of ["tool_calls", "tool_call_id", "function_call"]) {
    if (value[field] !== undefined && value[field] !== null)
      throw invalidMessage(FORMAT, at, `without ${field}, which is OpenAI's (fromOpenAI)`);
  }
  const content = contentFrom(value["content"], `${at}.content`);
  const { fields, kwargs } = metadataFrom(value);
  const common = { ...fields, additional_kwargs: { ...kwargs } };
  if (value["role"] === "assistant") return [assistantFrom(content, common, at, names)];
  if (value["role"] !== "user") throw invalidMessage(FORMAT, `${at}.role`, "user or assistant");
  if (typeof content === "string") return [new HumanMessage({ ...common, content })];
  const read: BaseMessage[] = [];
  let open: Json[] = [];
  const close = (): void => {
    if (open.length > 0) read.push(new HumanMessage({ ...common, content: open as MessageContent }));
    open = [];
  };
  for (const [index, block] of content.entries()) {
    if (block["type"] !== "tool_result") {
      open.push(block);
      continue;
    }
    close();
    read.push(resultFrom(block, `${at}.content[${index}]`, names));
  }
  close();
  return read;
}

function resultFrom(block: Json, at: string, names: ReadonlyMap<string, string>): ToolMessage {
  const { tool_use_id: id, content = "", is_error } = block;
  if (typeof id !== "string") throw invalidMessage(FORMAT, `${at}.tool_use_id`, "a string");
  const { fields, kwargs } = metadataFrom(block);
  const name = names.get(id);
  return new ToolMessage({
    ...fields,
    content: contentFrom(content, `${at}.content`) as MessageContent,
    tool_call_id: id,
    additional_kwargs: { ...kwargs },
    ...(name === undefined ? {} : { name }),
    ...(is_error === true ? { status: "error" as const } : {}),
  });
}

function assistantFrom(
  content: string | readonly Json[],
  common: { additional_kwargs: Record<string, unknown> },
  at: string,
  names: Map<string, string>,
): AIMessage {
  if (typeof content === "string") return new AIMessage({ ...common, content });
  const calls = content.flatMap((block, index): ToolCall[] => {
    if (block["type"] !== "tool_use") return [];
    const { id, name, input } = block;
    if (typeof id !== "string" || typeof name !== "string" || !isObject(input))
      throw invalidMessage(FORMAT, `${at}.content[${index}]`, "a tool_use with id, name and input");
    names.set(id, name);
    return [{ id, name, args: { ...input }, type: "tool_call" }];
  });
  const plain = plainText(content);
  return new AIMessage({ ...common, content: plain ?? (content as MessageContent), tool_calls: calls });
}

/** Text, then calls: what a string and `tool_calls` can say. */
function plainText(content: readonly Json[]): string | undefined {
  const [first, ...rest] = content;
  const others = first?.["type"] === "text" ? rest : content;
  if (content.length === 0 || others.some(({ type }) => type !== "tool_use")) return undefined;
  if (others === content) return "";
  const keys = Object.keys(first ?? {});
  const text: unknown = first?.["text"];
  return keys.length === 2 && typeof text === "string" && text !== "" && rest.length > 0 ? text : undefined;
}

/**
 * A conversation as Anthropic's messages take it; the inverse of {@link fromAnthropic}. Leading system
 * messages become the system prompt, later ones user messages, because there are none in between.
 *
 * @throws GraphError INVALID_MESSAGE for a message that has no role there
 *
 * @example
 * await anthropic.messages.create({ model, max_tokens, ...toAnthropic(context) });
 */
export function toAnthropic(
  messages: readonly BaseMessage[],
  options: ExportOptions = {},
): AnthropicConversation {
  requireMessages("toAnthropic", messages);
  requireExport("toAnthropic", options);
  const start = messages.findIndex((message) => !isSystem(message));
  const head = messages.slice(0, start < 0 ? messages.length : start);
  const written: AnthropicMessage[] = [];
  let results: Json[] | undefined;
  for (const message of messages.slice(head.length)) {
    if (isToolResult(message)) {
      if (results === undefined) written.push({ role: "user", content: (results = []) });
      results.push(resultOf(message, options));
      continue;
    }
    results = undefined;
    written.push({ ...metadataOf(message, options), ...spokenBy(message) });
  }
  return { ...systemOf(head), messages: written };
}

function systemOf(head: readonly BaseMessage[]): Pick<AnthropicConversation, "system"> {
  const [only, ...rest] = head;
  if (only === undefined) return {};
  if (rest.length === 0) return { system: only.content as string | readonly Json[] };
  return { system: head.flatMap(({ content }) => blocksOf(content)) };
}

function spokenBy(message: BaseMessage): AnthropicMessage {
  const { content } = message;
  if (isUser(message) || isSystem(message))
    return { role: "user", content: mapBlocks(content, toImageSource) as AnthropicMessage["content"] };
  if (!isAssistant(message))
    throw invalidMessage(FORMAT, `a message of type "${message.type}"`, "system, human, ai or tool");
  const calls = toolCallsOf(message).map(({ id, name, args }) => ({
    type: "tool_use",
    id: id ?? "",
    name,
    input: args,
  }));
  if (calls.length === 0 && typeof content === "string") return { role: "assistant", content };
  const blocks = blocksOf(content).map(toImageSource);
  const known = new Set(blocks.map(({ id }) => id));
  return { role: "assistant", content: [...blocks, ...calls.filter(({ id }) => !known.has(id))] };
}

/** A text as its only block; an empty one is refused there. */
function blocksOf(content: MessageContent): Json[] {
  if (typeof content !== "string") return content.map((block) => block as Json);
  return content === "" ? [] : [{ type: "text", text: content }];
}

function resultOf(message: ToolMessage, options: ExportOptions): Json {
  return {
    ...metadataOf(message, options),
    type: "tool_result",
    tool_use_id: message.tool_call_id,
    content: mapBlocks(message.content, toImageSource),
    ...(message.status === "error" ? { is_error: true } : {}),
  };
}
