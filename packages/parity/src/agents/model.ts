import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";

export interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly id: string;
}

/** What the model says next: text, calls of tools, both, or a failure. */
export type Reply = string | readonly Call[] | { text: string; calls: readonly Call[] } | Error;

/** What a model was asked: the messages, and the tools that it was offered. */
interface Prompt {
  readonly messages: readonly string[];
  readonly tools: readonly string[];
}

interface Script {
  readonly replies: readonly Reply[];
  readonly prompts: Prompt[];
  said: number;
}

/** A chat model that says what it was told to, in order, and remembers what it was asked. */
export class ScriptedModel extends BaseChatModel {
  readonly script: Script;
  /** What `withStructuredOutput` models answer. */
  readonly structured: unknown;
  readonly offered: readonly BindToolsInput[];

  constructor(script: Script, structured?: unknown, offered: readonly BindToolsInput[] = [], params = {}) {
    super({ maxRetries: 0, ...params } as BaseChatModelParams);
    this.script = script;
    this.structured = structured;
    this.offered = offered;
  }
  static saying(...replies: readonly Reply[]): ScriptedModel {
    return new ScriptedModel({ replies, prompts: [], said: 0 });
  }
  /** What it was asked, in order. */
  get prompts(): readonly Prompt[] {
    return this.script.prompts;
  }
  override _llmType(): string {
    return "scripted";
  }
  override bindTools(tools: BindToolsInput[]): ScriptedModel {
    return new ScriptedModel(this.script, this.structured, [...this.offered, ...tools]);
  }
  override withStructuredOutput(): never {
    return RunnableLambda.from(() => this.structured) as Runnable as never;
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, calls, id } = this.#next(messages);
    const tool_calls = calls.map((call) => ({ ...call, type: "tool_call" as const }));
    return { generations: [{ text, message: new AIMessage({ id, content: text, tool_calls }) }] };
  }
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls, id } = this.#next(messages);
    for (const word of text.match(/\S+\s*/g) ?? []) {
      const chunk = new ChatGenerationChunk({
        text: word,
        message: new AIMessageChunk({ id, content: word }),
      });
      yield chunk;
      await manager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
    if (calls.length === 0) return;
    const tool_call_chunks = calls.map(({ name, args, id: callId }, index) => ({
      name,
      args: JSON.stringify(args),
      id: callId,
      index,
      type: "tool_call_chunk" as const,
    }));
    const chunk = new ChatGenerationChunk({
      text: "",
      message: new AIMessageChunk({ id, content: "", tool_call_chunks }),
    });
    yield chunk;
    await manager?.handleLLMNewToken("", undefined, undefined, undefined, undefined, { chunk });
  }

  #next(messages: readonly BaseMessage[]): { text: string; calls: readonly Call[]; id: string } {
    const { script } = this;
    script.prompts.push({ messages: messages.map(inOneLine), tools: this.offered.map(nameOf) });
    const reply = script.replies[script.said];
    script.said += 1;
    if (reply === undefined) throw new Error(`user: the script ends after ${script.replies.length} replies`);
    if (reply instanceof Error) throw reply;
    const id = `reply-${script.said}`;
    if (typeof reply === "string") return { text: reply, calls: [], id };
    return "text" in reply ? { ...reply, id } : { text: "", calls: reply, id };
  }
}

function inOneLine(message: BaseMessage): string {
  const calls = AIMessage.isInstance(message)
    ? (message.tool_calls ?? []).map(({ name, args }) => ` ${name}(${JSON.stringify(args)})`)
    : [];
  return `${message.type}: ${message.text}${calls.join("")}`;
}

function nameOf(tool: BindToolsInput): string {
  const { name, function: inner } = tool as { name?: string; function?: { name: string } };
  return name ?? inner?.name ?? "no name";
}
