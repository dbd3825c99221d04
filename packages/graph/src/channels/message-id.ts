import type { BaseMessage } from "@langchain/core/messages";

/** Gives a message its id, also in its kwargs: they are what LangChain serializes. */
export function setMessageId(message: BaseMessage, id: string): void {
  message.id = id;
  // missing on what only looks like a message
  if (message.lc_kwargs !== undefined) message.lc_kwargs["id"] = id;
}
