import { RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { timestampOf } from "@skein/context";

/** Gives a message its time of creation, unless it has one (E9). */
export function stamp(message: BaseMessage, now: () => number): void {
  if (RemoveMessage.isInstance(message) || timestampOf(message) !== undefined) return;
  message.additional_kwargs = { ...message.additional_kwargs, timestamp: now() };
  // the kwargs are what LangChain serializes
  message.lc_kwargs["additional_kwargs"] = message.additional_kwargs;
}
