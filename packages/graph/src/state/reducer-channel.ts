import type { BaseChannel } from "../channels/base.ts";
import { BinaryOperatorAggregate } from "../channels/binop.ts";
import { MessagesChannel } from "../channels/messages.ts";
import { messagesStateReducer } from "../channels/messages-reducer.ts";

/** The channel of a key with a reducer: the reducer of messages has one of its own. */
export function reducerChannel(
  reducer: (left: never, right: never) => unknown,
  initial: (() => unknown) | undefined,
): BaseChannel {
  if ((reducer as unknown) === messagesStateReducer) return new MessagesChannel((initial as never) ?? null);
  return new BinaryOperatorAggregate(reducer as (left: unknown, right: unknown) => unknown, initial);
}
