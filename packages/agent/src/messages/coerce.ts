import { coerceMessageLikeToMessage, type BaseMessage, type BaseMessageLike } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";

/** A message of whatever stands for one. @throws GraphError INVALID_MESSAGE */
export function toMessage(like: BaseMessageLike): BaseMessage {
  try {
    return coerceMessageLikeToMessage(like);
  } catch (cause) {
    throw new GraphError(
      "INVALID_MESSAGE",
      "One of the messages is none. Give a BaseMessage, a string, [role, content] or {role, content}.",
      { cause },
    );
  }
}
