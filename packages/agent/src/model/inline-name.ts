import { AIMessage, type BaseMessage, type MessageContent } from "@langchain/core/messages";

/** A whole text in the tags that `includeAgentName: "inline"` sends names in. */
const TAGGED = /^\s*<name>[^<]*<\/name>\s*<content>([\s\S]*)<\/content>\s*$/;

const tagged = (name: string, text: string): string => `<name>${name}</name><content>${text}</content>`;

/**
 * A message as it is sent to a model that shall know which agent said it: the name stands in the
 * text, for providers that have no field for it. What the thread holds stays as it is.
 */
export function withInlineName(message: BaseMessage): BaseMessage {
  if (!AIMessage.isInstance(message) || message.name === undefined || message.name === "") return message;
  const { name, content, id, tool_calls, invalid_tool_calls, additional_kwargs, response_metadata } = message;
  return new AIMessage({
    content: named(name, content),
    additional_kwargs,
    response_metadata,
    tool_calls: tool_calls ?? [],
    invalid_tool_calls: invalid_tool_calls ?? [],
    ...(id === undefined ? {} : { id }),
  });
}

function named(name: string, content: MessageContent): MessageContent {
  if (typeof content === "string") return tagged(name, content);
  const texts = content.filter(isText);
  if (texts.length === 0) return [{ type: "text", text: tagged(name, "") }, ...content];
  return content.map((block) => (isText(block) ? { ...block, text: tagged(name, block.text) } : block));
}

/** What a model said, out of the tags that it saw around earlier replies and put around its own. */
export function withoutInlineName(content: MessageContent): MessageContent {
  if (typeof content === "string") return untagged(content);
  const isTagged = content.some((block) => isText(block) && TAGGED.test(block.text));
  if (!isTagged) return content;
  return content.flatMap((block) => {
    if (!isText(block)) return [block];
    const text = untagged(block.text);
    // only the name stood in it
    return text === "" ? [] : [{ ...block, text }];
  });
}

const untagged = (text: string): string => TAGGED.exec(text)?.[1] ?? text;

function isText(block: { readonly type?: string }): block is { type: "text"; text: string } {
  return block.type === "text" && typeof (block as { text?: unknown }).text === "string";
}
