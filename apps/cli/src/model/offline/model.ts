import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { readConversation } from "./conversation.ts";
import { plan, type Move } from "./plans/index.ts";

export interface OfflineChatModelParams extends BaseChatModelParams {
  /** Pause after each streamed token, in milliseconds. Default: 0. */
  readonly tokenDelayMs?: number;
}

export interface OfflineCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/**
 * A chat model without a network: rules that call the folder's tools and answer from what they
 * return. Deterministic: equal messages (ids included) give equal replies. It holds no state.
 *
 * @example
 * const model = new OfflineChatModel().bindTools(tools);
 * const reply = await model.invoke([new HumanMessage("where is createAgent?")]);
 */
export class OfflineChatModel extends BaseChatModel<OfflineCallOptions> {
  private readonly tokenDelayMs: number;

  constructor(params: OfflineChatModelParams = {}) {
    super(params);
    this.tokenDelayMs = params.tokenDelayMs ?? 0;
  }

  static override lc_name(): string {
    return "OfflineChatModel";
  }

  override _llmType(): string {
    return "skein-offline";
  }

  override bindTools(tools: BindToolsInput[], kwargs: Partial<OfflineCallOptions> = {}) {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    const reply = this.reply(messages, options);
    const message = new AIMessage({
      content: reply.text,
      tool_calls: reply.calls.map((call) => ({ ...call, type: "tool_call" as const })),
      ...metadata(messages, reply),
    });
    return { generations: [{ text: reply.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = this.reply(messages, options);
    for (const text of reply.text.match(/\s*\S+\s*?/g) ?? []) {
      options.signal?.throwIfAborted();
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      await runManager?.handleLLMNewToken(text);
      if (this.tokenDelayMs > 0)
        await sleep(this.tokenDelayMs, undefined, options.signal ? { signal: options.signal } : {});
    }
    options.signal?.throwIfAborted();
    const last = new AIMessageChunk({
      content: "",
      tool_call_chunks: reply.calls.map((call, index) => ({
        type: "tool_call_chunk",
        index,
        id: call.id,
        name: call.name,
        args: JSON.stringify(call.args),
      })),
      ...metadata(messages, reply),
    });
    yield new ChatGenerationChunk({ text: "", message: last });
  }

  private reply(messages: BaseMessage[], options: this["ParsedCallOptions"]): Reply {
    const tools = new Set((options.tools ?? []).map(toolName));
    const move = plan(readConversation(messages), tools);
    return toReply(move, messages);
  }
}

interface Reply {
  readonly text: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: Record<string, unknown>;
  }[];
  readonly metadata: Record<string, string>;
}

function toReply(move: Move, messages: readonly BaseMessage[]): Reply {
  const metadata = { model_name: "offline", finish_reason: move.kind === "call" ? "tool_calls" : "stop" };
  if (move.kind === "answer") return { text: move.text.trimEnd(), calls: [], metadata };
  // Ids follow from the messages, so that a repeated call of the model asks for the same calls.
  const last = messages.at(-1);
  const seed = createHash("sha256")
    .update(`${last?.id} ${messages.length} ${last?.text}`)
    .digest("hex")
    .slice(0, 12);
  const calls = move.calls.map((call, index) => ({
    id: `call_${seed}_${index}`,
    name: call.name,
    args: { ...call.args },
  }));
  return { text: "", calls, metadata };
}

function toolName(tool: BindToolsInput): string {
  if ("name" in tool && typeof tool.name === "string") return tool.name;
  const { function: inner } = tool as { function?: { name?: string } };
  return inner?.name ?? "";
}

/** LangChain's types leave no type for the usage of a message without a structure, hence the cast. */
function metadata(messages: readonly BaseMessage[], reply: Reply) {
  const fields = { usage_metadata: usage(messages, reply), response_metadata: reply.metadata };
  return fields as Pick<AIMessageFields, "usage_metadata" | "response_metadata">;
}

/** Four characters a token: this model reads characters, so a finer count would mean nothing. */
function usage(messages: readonly BaseMessage[], reply: Reply): UsageMetadata {
  const input = messages.reduce((sum, message) => sum + message.text.length + callLength(message), 0);
  const output = reply.text.length + JSON.stringify(reply.calls).length - 2;
  const [input_tokens, output_tokens] = [Math.ceil(input / 4), Math.ceil(output / 4)];
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
}

function callLength(message: BaseMessage): number {
  return AIMessage.isInstance(message) && message.tool_calls?.length
    ? JSON.stringify(message.tool_calls).length
    : 0;
}
