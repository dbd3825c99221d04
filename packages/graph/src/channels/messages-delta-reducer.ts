import {
  BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  RemoveMessage,
} from "@langchain/core/messages";
import { type Messages, REMOVE_ALL_MESSAGES } from "./messages-reducer.ts";

/**
 * The reducer of message lists in a delta channel: folds all writes of a step. A message whose id is
 * known takes the place of the known one; others are appended; `RemoveMessage` deletes by id, with
 * {@link REMOVE_ALL_MESSAGES} everything before it. Unlike `messagesStateReducer` it gives no ids,
 * and deleting an unknown message does nothing, so that writes may be grouped in any way.
 */
export function messagesDeltaReducer(
  current: readonly BaseMessageLike[],
  writes: readonly Messages[],
): BaseMessage[] {
  const incoming = (writes.flat() as BaseMessageLike[]).map(toMessage);
  const clear = incoming.findLastIndex(isRemoveAll);
  const known = current.every((message) => BaseMessage.isInstance(message))
    ? (current as readonly BaseMessage[])
    : current.map(toMessage);
  return clear < 0 ? merge(known, incoming) : merge([], incoming.slice(clear + 1));
}

function merge(current: readonly BaseMessage[], incoming: readonly BaseMessage[]): BaseMessage[] {
  const list: (BaseMessage | undefined)[] = current.slice();
  const places = placesOf(current, incoming);
  let removed = false;
  for (const message of incoming) {
    const { id } = message;
    const place = id === undefined ? undefined : places.get(id);
    if (RemoveMessage.isInstance(message)) {
      if (place === undefined) continue;
      list[place] = undefined;
      places.delete(id as string);
      removed = true;
    } else if (place === undefined) {
      if (id !== undefined) places.set(id, list.length);
      list.push(message);
    } else list[place] = message;
  }
  return (removed ? list.filter((message) => message !== undefined) : list) as BaseMessage[];
}

/** Where the ids that come in stand already: one pass that keeps nothing of the other messages. */
function placesOf(list: readonly BaseMessage[], incoming: readonly BaseMessage[]): Map<string, number> {
  const wanted = new Set(incoming.map(({ id }) => id));
  const places = new Map<string, number>();
  for (let i = 0; i < list.length; i += 1) {
    const id = list[i]?.id;
    if (id !== undefined && wanted.has(id)) places.set(id, i);
  }
  return places;
}

function toMessage(like: BaseMessageLike): BaseMessage {
  return BaseMessage.isInstance(like) ? like : coerceMessageLikeToMessage(like);
}

function isRemoveAll(message: BaseMessage): boolean {
  return RemoveMessage.isInstance(message) && message.id === REMOVE_ALL_MESSAGES;
}
