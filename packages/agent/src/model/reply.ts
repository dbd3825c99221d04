import { AIMessage, AIMessageChunk, type BaseMessage, ChatMessage } from "@langchain/core/messages";
import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";
import { finishReason } from "@skein/context";
import { GraphError } from "@skein/errors";
import { withoutInlineName } from "./inline-name.ts";

export interface ReplyReading {
  readonly agentName: string | undefined;
  readonly includeAgentName?: "inline" | undefined;
  /** Why its provider ended it, where the message need not say so. */
  readonly reason?: string | undefined;
  /** What it answers: a reply with the id of one of these is another one all the same. */
  readonly context?: readonly BaseMessage[] | undefined;
}

/**
 * What a model returned, as it goes into the thread: an assistant message that is no longer a
 * chunk, whose tool calls have ids that differ within it (E1). The model's own object is left as it
 * is, because a fake or a cache may return it again.
 */
export function normaliseReply(
  given: unknown,
  { agentName, includeAgentName, reason, context }: ReplyReading,
): AIMessage {
  const reply = asAssistant(given);
  if (!AIMessage.isInstance(reply)) {
    throw new GraphError(
      "INVALID_MESSAGE",
      `The model returned ${describe(reply)} instead of an assistant message. Give createAgent a chat model, or a runnable that ends in one.`,
    );
  }
  const { calls: recovered, invalid } = recoverCalls(reply.invalid_tool_calls ?? []);
  const calls = withIds([...(reply.tool_calls ?? []), ...recovered]);
  const name = agentName ?? reply.name;
  const content = includeAgentName === "inline" ? withoutInlineName(reply.content) : reply.content;
  const isUntold = reason !== undefined && finishReason(reply) === undefined;
  const id = freeId(reply.id, context);
  const isSame = name === reply.name && content === reply.content && id === reply.id && !isUntold;
  const good = calls === undefined && recovered.length === 0 && isSame;
  if (good && !AIMessageChunk.isInstance(reply)) return reply;
  return new AIMessage({
    content,
    additional_kwargs: reply.additional_kwargs,
    response_metadata: isUntold
      ? { ...reply.response_metadata, finish_reason: reason }
      : reply.response_metadata,
    tool_calls: calls ?? reply.tool_calls ?? [],
    invalid_tool_calls: invalid,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(reply.usage_metadata === undefined ? {} : { usage_metadata: reply.usage_metadata }),
  });
}

/**
 * The id of a reply, unless a message has it already, in whose place it would be put: the turn would never end.
 * Some servers count to 999 (Ollama's `chatcmpl-N`), and a model that is a cache or a fake says the same again.
 */
function freeId(id: string | undefined, context: readonly BaseMessage[] = []): string | undefined {
  return id === undefined || context.some((message) => message.id === id) ? undefined : id;
}

/** A reply whose role its server left out is a message of no kind to LangChain; whoever answers is the assistant. */
function asAssistant(reply: unknown): unknown {
  if (!ChatMessage.isInstance(reply) || !["", "assistant", undefined].includes(reply.role)) return reply;
  const { content, additional_kwargs, response_metadata, id, name } = reply;
  return new AIMessage({
    content,
    additional_kwargs,
    response_metadata,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  });
}

/**
 * Calls that LangChain set aside for want of an id only, as it does with what was streamed; their
 * arguments are well-formed.
 */
function recoverCalls(set: readonly InvalidToolCall[]): { calls: ToolCall[]; invalid: InvalidToolCall[] } {
  const calls: ToolCall[] = [];
  const invalid: InvalidToolCall[] = [];
  for (const call of set) {
    const args = call.id === undefined && call.name !== undefined ? parseArgs(call.args) : undefined;
    if (args === undefined) invalid.push(call);
    else calls.push({ type: "tool_call", name: call.name as string, args });
  }
  return { calls, invalid };
}

function parseArgs(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const args: unknown = JSON.parse(text ?? "");
    if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
    return args as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A reply that somebody made in the model's place: no chunk, and with ids for calls that lack one, or have one twice. */
export function asModelReply(reply: AIMessage): AIMessage {
  const calls = reply.tool_calls === undefined ? undefined : withIds(reply.tool_calls);
  const isGood = calls === undefined && !AIMessageChunk.isInstance(reply);
  return isGood ? reply : normaliseReply(reply, { agentName: undefined });
}

/** The calls with ids where one was missing or repeated, or undefined when none was. */
function withIds(calls: readonly ToolCall[]): ToolCall[] | undefined {
  const seen = new Set<string>();
  let changed = false;
  const result = calls.map((call) => {
    const good = call.id !== undefined && call.id !== "" && !seen.has(call.id);
    const id = good ? call.id : `call_${crypto.randomUUID()}`;
    seen.add(id as string);
    if (good) return call;
    changed = true;
    return { ...call, id } as ToolCall;
  });
  return changed ? result : undefined;
}

function isMessage(value: unknown): value is BaseMessage {
  return typeof value === "object" && value !== null && typeof (value as BaseMessage).getType === "function";
}

function describe(value: unknown): string {
  if (isMessage(value)) return `a ${value.getType()} message`;
  return value === null ? "null" : `a value of type ${typeof value}`;
}
