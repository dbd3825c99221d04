import type { Attributes } from "@opentelemetry/api";
import {
  AIMessage,
  isBaseMessage,
  ToolMessage,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { isCommand } from "@skein/graph";

type Metadata = Readonly<Record<string, unknown>>;

/** Names are those of OpenTelemetry's conventions for generative AI where they have one. */
export function runAttributes(metadata: Metadata): Attributes {
  return defined({
    "gen_ai.agent.name": metadata["lc_agent_name"],
    "gen_ai.conversation.id": metadata["thread_id"],
  });
}

export function graphAttributes(metadata: Metadata): Attributes {
  return { "gen_ai.operation.name": "invoke_agent", ...runAttributes(metadata) };
}

export function taskAttributes(name: string, metadata: Metadata): Attributes {
  return defined({
    "skein.node": name,
    "skein.step": metadata["langgraph_step"],
    "skein.checkpoint_ns": metadata["checkpoint_ns"] ?? metadata["langgraph_checkpoint_ns"],
  });
}

export function modelAttributes(metadata: Metadata): Attributes {
  return defined({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": metadata["ls_provider"],
    "gen_ai.request.model": metadata["ls_model_name"],
    "gen_ai.request.temperature": metadata["ls_temperature"],
    "gen_ai.request.max_tokens": metadata["ls_max_tokens"],
    // tells the agent's own calls from those of summaries and other middleware
    "skein.source": metadata["lc_source"] ?? metadata["skein_source"],
  });
}

export function toolAttributes(name: string, callId: string | undefined): Attributes {
  return defined({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": callId,
  });
}

/** LangChain's type of a message says that there is none, for messages whose structure is not known. */
export function usageOf(reply: object): UsageMetadata | undefined {
  return (reply as { usage_metadata?: UsageMetadata }).usage_metadata;
}

/** What a model's reply says of itself. */
export function replyAttributes(reply: AIMessage): Attributes {
  const { response_metadata: response } = reply;
  const usage = usageOf(reply);
  const finish = response["finish_reason"] ?? response["stop_reason"];
  return defined({
    "gen_ai.usage.input_tokens": usage?.input_tokens,
    "gen_ai.usage.output_tokens": usage?.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.input_token_details?.cache_read,
    "gen_ai.usage.cache_creation.input_tokens": usage?.input_token_details?.cache_creation,
    "gen_ai.response.id": reply.id,
    "gen_ai.response.model": response["model_name"] ?? response["model"],
    "gen_ai.response.finish_reasons": typeof finish === "string" ? [finish] : undefined,
  });
}

/** The reply among what a model returned; undefined for models that are not chat models. */
export function replyOf({ generations }: LLMResult): AIMessage | undefined {
  const [first] = generations[0] ?? [];
  const message = (first as { message?: unknown } | undefined)?.message;
  return AIMessage.isInstance(message as BaseMessage) ? (message as AIMessage) : undefined;
}

/** Messages as the conventions write them. */
export function asContent(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map(inRole));
}

/** What a tool returned, as text: of a command what it updates. */
export function asResult(output: unknown): string {
  if (isBaseMessage(output)) return output.text;
  if (typeof output !== "object" || output === null) return String(output);
  try {
    return JSON.stringify(output, readable);
  } catch {
    // it holds itself
    return String(output);
  }
}

/** Sees messages and commands before their own `toJSON` writes what a program reads. */
function readable(this: Record<string, unknown>, key: string, json: unknown): unknown {
  const value = this[key];
  if (isBaseMessage(value)) return inRole(value);
  if (isCommand(value)) return value.update ?? {};
  return typeof value === "bigint" || value instanceof Error ? String(value) : json;
}

function inRole(message: BaseMessage): object {
  return { role: roleOf(message), parts: partsOf(message) };
}

function roleOf({ type }: BaseMessage): string {
  if (type === "human") return "user";
  return type === "ai" ? "assistant" : type;
}

function partsOf(message: BaseMessage): object[] {
  if (ToolMessage.isInstance(message)) {
    return [{ type: "tool_call_response", id: message.tool_call_id, response: message.text }];
  }
  const text = message.text === "" ? [] : [{ type: "text", content: message.text }];
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return [...text, ...calls.map(({ id, name, args }) => ({ type: "tool_call", id, name, arguments: args }))];
}

function defined(attributes: Readonly<Record<string, unknown>>): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as Attributes;
}
