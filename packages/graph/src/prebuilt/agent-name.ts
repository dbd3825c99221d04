import type { LanguageModelLike } from "@langchain/core/language_models/base";
import { AIMessage, type BaseMessage, type MessageContent } from "@langchain/core/messages";
import { RunnableLambda, RunnableSequence } from "@langchain/core/runnables";
import { GraphError, shown } from "@skein/errors";

export type AgentNameMode = "inline";

const NAME = /<name>(.*?)<\/name>/s;
const CONTENT = /<content>(.*?)<\/content>/s;

interface Block {
  readonly type?: string;
  readonly text?: unknown;
}

/**
 * A model that is told in the text which agent said what: AI messages go in as
 * `<name>agent</name><content>text</content>`, and what comes out in this form is taken apart.
 *
 * @deprecated It has moved to the package `langchain`.
 * @param mode - "inline" is the only one
 */
export function withAgentName(model: LanguageModelLike, mode: AgentNameMode): LanguageModelLike {
  if (mode !== "inline") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `Invalid agent name mode: ${String(mode)}. It must be "inline".`,
    );
  }
  const isModel = typeof model === "function" || (typeof model === "object" && (model as unknown) !== null);
  if (!isModel || Array.isArray(model)) {
    throw new GraphError("INVALID_CONFIGURATION", `withAgentName() was given ${shown(model)}. Pass a model.`);
  }
  return RunnableSequence.from([
    RunnableLambda.from((messages: BaseMessage[]) => messages.map(named)),
    model,
    RunnableLambda.from((message: BaseMessage) => unnamed(message)),
  ]) as LanguageModelLike;
}

function tagged(name: string, text: string): string {
  return `<name>${name}</name><content>${text}</content>`;
}

function named(message: BaseMessage): BaseMessage {
  const { name } = message;
  if (!AIMessage.isInstance(message) || name === undefined || name === "") return message;
  const { content } = message;
  if (typeof content === "string") return remade(message, tagged(name, content), undefined);
  const blocks = content as readonly (Block | string)[];
  const marked = blocks.map((block) => {
    if (typeof block === "string") return tagged(name, block);
    return block.type === "text" ? { ...block, text: tagged(name, String(block.text)) } : block;
  });
  const hasText = blocks.some((block) => typeof block === "string" || block.type === "text");
  const all = hasText ? marked : [{ type: "text", text: tagged(name, "") }, ...marked];
  return remade(message, all as MessageContent, undefined);
}

function unnamed(message: BaseMessage): BaseMessage {
  if (!AIMessage.isInstance(message) || message.content.length === 0) return message;
  const { content } = message;
  if (typeof content === "string") {
    const parts = apart(content);
    return parts?.content === undefined ? message : remade(message, parts.content, parts.name);
  }
  let name: string | undefined;
  const blocks: unknown[] = [];
  for (const block of content as readonly Block[]) {
    const parts = block.type === "text" && typeof block.text === "string" ? apart(block.text) : undefined;
    if (parts === undefined) {
      blocks.push(block);
      continue;
    }
    name = parts.name;
    // a block that only said who speaks was added on the way in
    if (parts.content !== undefined && parts.content !== "") blocks.push({ ...block, text: parts.content });
  }
  return remade(message, blocks as MessageContent, name);
}

function apart(text: string): { readonly name: string; readonly content: string | undefined } | undefined {
  const name = NAME.exec(text)?.[1];
  return name === undefined ? undefined : { name, content: CONTENT.exec(text)?.[1] };
}

function remade(message: AIMessage, content: MessageContent, name: string | undefined): AIMessage {
  const fields = Object.keys(message.lc_kwargs).length > 0 ? message.lc_kwargs : message;
  return new AIMessage({ ...fields, content, name } as ConstructorParameters<typeof AIMessage>[0] & object);
}
