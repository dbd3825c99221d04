import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

type Line =
  | string
  | AIMessage
  | Error
  | ((messages: BaseMessage[]) => AIMessage | string | Promise<AIMessage | string>);

/** A chat model that says its lines one after another, also in tokens, and remembers what it was sent. */
export class ScriptedModel extends BaseChatModel {
  readonly script: Line[];
  /** The messages of every call. */
  readonly sent: BaseMessage[][] = [];
  /** How often tools were bound, and which. */
  readonly bound: BindToolsInput[][] = [];

  constructor(...script: Line[]) {
    super({});
    this.script = script;
  }
  _llmType(): string {
    return "scripted";
  }
  override bindTools(tools: BindToolsInput[]) {
    this.bound.push(tools);
    return this.withConfig({});
  }
  async #next(messages: BaseMessage[]): Promise<AIMessage> {
    this.sent.push([...messages]);
    const line = this.script[this.sent.length - 1];
    if (line === undefined) throw new Error(`The script has no line ${this.sent.length}.`);
    if (line instanceof Error) throw line;
    const reply = typeof line === "function" ? await line(messages) : line;
    return typeof reply === "string" ? new AIMessage(reply) : reply;
  }
  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = await this.#next(messages);
    return { generations: [{ text: message.text, message }] };
  }
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = await this.#next(messages);
    for (const token of reply.text.match(/\S+\s*/g) ?? []) {
      yield new ChatGenerationChunk({ text: token, message: new AIMessageChunk({ content: token }) });
      await run?.handleLLMNewToken(token);
    }
    const calls = (reply.tool_calls ?? []).map((call, index) => ({
      type: "tool_call_chunk" as const,
      index,
      name: call.name,
      args: JSON.stringify(call.args),
      ...(call.id === undefined ? {} : { id: call.id }),
    }));
    if (calls.length > 0) {
      yield new ChatGenerationChunk({
        text: "",
        message: new AIMessageChunk({ content: "", tool_call_chunks: calls }),
      });
    }
  }
}

/** A reply that calls tools: `calls(["search", {q: "x"}, "id1"])`. */
export function calls(...list: [name: string, args?: Record<string, unknown>, id?: string][]): AIMessage {
  const tool_calls = list.map(([name, args = {}, id]) => ({ type: "tool_call", name, args, id }) as ToolCall);
  return new AIMessage({ content: "", tool_calls });
}
