import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

/** A chat model that answers what a function says, word by word when it is streamed, and remembers its prompts. */
export class ScriptedModel extends BaseChatModel {
  readonly prompts: BaseMessage[][] = [];
  readonly #answer: (messages: BaseMessage[]) => AIMessage;

  constructor(answer: (messages: BaseMessage[]) => AIMessage) {
    super({});
    this.#answer = answer;
  }
  override _llmType(): string {
    return "scripted";
  }
  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.prompts.push(messages);
    const message = this.#answer(messages);
    return { generations: [{ text: message.text, message }] };
  }
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.prompts.push(messages);
    const answer = this.#answer(messages);
    const calls = (answer.tool_calls ?? []).map(({ id, name, args }, index) => ({
      id: id ?? "",
      name,
      args: JSON.stringify(args),
      index,
      type: "tool_call_chunk" as const,
    }));
    const words = answer.text === "" ? [""] : answer.text.split(/(?<= )/u);
    for (const [index, word] of words.entries()) {
      const fields = index === 0 && calls.length > 0 ? { tool_call_chunks: calls } : {};
      const chunk = new ChatGenerationChunk({
        text: word,
        message: new AIMessageChunk({ content: word, ...fields }),
      });
      yield chunk;
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
