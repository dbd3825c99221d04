import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** Says what a recording says. It sees every request as a provider would, and shows it to `onRequest`. */
export class ScriptedModel extends BaseChatModel {
  private readonly say: (request: BaseMessage[]) => AIMessage;

  constructor(say: (request: BaseMessage[]) => AIMessage) {
    super({});
    this.say = say;
  }

  override _llmType(): string {
    return "skein-scripted";
  }

  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.say(messages);
    return { generations: [{ text: message.text, message }] };
  }
}
