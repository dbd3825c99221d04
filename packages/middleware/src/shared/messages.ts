import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/**
 * A copy with another content; other kinds of messages stay as they are.
 *
 * @param kwargs - more of `additional_kwargs`
 */
export function withContent(
  message: BaseMessage,
  content: MessageContent,
  kwargs: Readonly<Record<string, unknown>> = {},
): BaseMessage {
  const additional_kwargs = { ...message.additional_kwargs, ...kwargs };
  const fields = { ...common(message), content, additional_kwargs };
  if (AIMessage.isInstance(message)) {
    const response_metadata = withoutOutput(message);
    const said = withoutOthers(content, message, message.tool_calls);
    return new AIMessage({ ...assistantFields(message), ...fields, content: said, response_metadata });
  }
  if (HumanMessage.isInstance(message)) return new HumanMessage(fields);
  if (SystemMessage.isInstance(message)) return new SystemMessage(fields);
  if (!ToolMessage.isInstance(message)) return message;
  const { tool_call_id, status, artifact, metadata } = message;
  return new ToolMessage({
    ...fields,
    tool_call_id,
    artifact: artifact as unknown,
    ...(status === undefined ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

/** A system prompt with a paragraph more. Blocks stay blocks: a provider's cache marks stand on them. */
export function withParagraph(prompt: SystemMessage, text: string): SystemMessage {
  return prompt.content.length === 0 ? new SystemMessage(text) : prompt.concat(`\n\n${text}`);
}

/** A copy with something more in `additional_kwargs`. */
export function withKwargs(message: AIMessage, more: Record<string, unknown>): AIMessage {
  const content = withoutOthers(message.content, message, message.tool_calls);
  const additional_kwargs = { ...message.additional_kwargs, ...more };
  return new AIMessage({ ...common(message), ...assistantFields(message), content, additional_kwargs });
}

/**
 * A copy whose calls are others. Providers' own notes of the calls change too, or go: some
 * packages send them instead of `tool_calls`.
 */
export function withCalls(message: AIMessage, calls: ToolCall[]): AIMessage {
  const { tool_calls: _calls, ...additional_kwargs } = message.additional_kwargs;
  const response_metadata = withoutOutput(message);
  const content = Array.isArray(message.content)
    ? message.content.map((block) => blockOf(block as Block, calls) as ContentBlock)
    : message.content;
  return new AIMessage({
    ...common(message),
    ...assistantFields(message),
    content: withoutOthers(content, message, calls),
    additional_kwargs,
    response_metadata,
    tool_calls: calls,
  });
}

type ContentBlock = Exclude<MessageContent, string>[number];

/**
 * Standard content without blocks of calls that are none of the message's: LangChain would make calls of
 * them. Always another list, because it also puts blocks of calls into it that it finds lacking.
 */
function withoutOthers(
  content: MessageContent,
  { response_metadata }: AIMessage,
  calls: readonly ToolCall[] = [],
): MessageContent {
  if (!Array.isArray(content)) return content;
  const isStandard = (response_metadata as Record<string, unknown>)["output_version"] === "v1";
  const isOwn = (block: ContentBlock): boolean =>
    calls.some(({ id, name }) => id === block["id"] && name === block["name"]);
  return content.filter((block) => !isStandard || block.type !== "tool_call" || isOwn(block));
}

interface Block {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly [key: string]: unknown;
}

function blockOf(block: Block, calls: readonly ToolCall[]): Block {
  if (block.type !== "tool_use" && block.type !== "tool_call") return block;
  const call = calls.find(({ id }) => id === block.id);
  if (call === undefined) return block;
  const { name, args } = call;
  return block.type === "tool_use" ? { ...block, name, input: args } : { ...block, name, args };
}

/** OpenAI's package keeps its own copy of what was said there, and sends that. */
function withoutOutput({ response_metadata }: AIMessage): Record<string, unknown> {
  const { output: _output, ...rest } = response_metadata as Record<string, unknown>;
  return rest;
}

function common({ id, name, additional_kwargs, response_metadata }: BaseMessage) {
  return {
    additional_kwargs,
    response_metadata: response_metadata as Record<string, unknown>,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  };
}

function assistantFields({ tool_calls, invalid_tool_calls, usage_metadata }: AIMessage) {
  return {
    tool_calls: tool_calls ?? [],
    invalid_tool_calls: invalid_tool_calls ?? [],
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
  };
}
