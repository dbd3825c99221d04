import { SystemMessage } from "@langchain/core/messages";

/** The system prompt of an agent as a message; an empty one if it has none. */
export function toSystemMessage(prompt: string | SystemMessage | undefined): SystemMessage {
  return SystemMessage.isInstance(prompt) ? prompt : new SystemMessage(prompt ?? "");
}

/** Whether a system prompt says nothing, so that it is not sent (B5). */
export function isEmptyPrompt({ content }: SystemMessage): boolean {
  if (typeof content === "string") return content === "";
  return content.every((block) => block.type === "text" && (block as { text?: unknown }).text === "");
}
