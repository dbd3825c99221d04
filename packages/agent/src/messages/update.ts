import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { Compaction } from "./compaction.ts";

/**
 * What may be written to `messages`: messages (as objects, `{role, content}`, pairs or strings),
 * `RemoveMessage`s, and compactions. An array is applied in order.
 */
export type MessagesUpdate =
  | BaseMessage[]
  | BaseMessageLike
  | Compaction
  | readonly (BaseMessageLike | Compaction)[];
