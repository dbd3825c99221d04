import {
  BaseMessage,
  coerceMessageLikeToMessage,
  type BaseMessageLike,
  RemoveMessage,
} from "@langchain/core/messages";
import { v4 } from "@langchain/core/utils/uuid";
import { shown } from "@skein/errors";
import { InvalidUpdateError } from "../errors/errors.ts";
import { setMessageId } from "./message-id.ts";
import { noteAppended, settledPlace } from "./settled.ts";

/** Id of the RemoveMessage that clears a list of messages. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

export type Messages = BaseMessage | BaseMessageLike | readonly (BaseMessage | BaseMessageLike)[];

/**
 * The reducer of message lists (A3). A message without an id gets one; one whose id is known takes
 * the place of the known one; others are appended; of two with one id the later counts.
 * `RemoveMessage` deletes by id, with {@link REMOVE_ALL_MESSAGES} everything before it.
 *
 * @param left - the list so far
 * @param right - one message or several, also as strings, tuples or plain objects
 * @throws InvalidUpdateError when an id is to be deleted that is not there, or plain data asks for a
 *   deletion (I10: only a real RemoveMessage deletes)
 *
 * @example
 * const State = Annotation.Root({
 *   messages: Annotation<BaseMessage[], Messages>({ reducer: messagesStateReducer, default: () => [] }),
 * });
 */
export function messagesStateReducer(left: Messages, right: Messages): BaseMessage[] {
  const incoming = toMessages(right);
  const [only] = incoming;
  if (only !== undefined && incoming.length === 1) {
    const settled = settledPlace(left, idOf(only));
    if (settled !== undefined) {
      const { list, appendOnly } = mergeMessages(left as BaseMessage[], incoming, () => settled.place);
      if (appendOnly) noteAppended(left as BaseMessage[], list, idOf(only));
      return list;
    }
  }
  const list = toMessages(left);
  return mergeMessages(list, incoming, positionsOf(list, incoming)).list;
}

/**
 * Coerces to messages and gives ids to those that have none. Message objects stay the same.
 *
 * @param assigned - told each id that was made up: no list can hold it yet
 */
export function toMessages(messages: Messages, assigned?: (id: string) => void): BaseMessage[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.map((like) => {
    const message = toMessage(like);
    if (message.id === undefined || message.id === null) {
      const id = assignId(message);
      assigned?.(id);
    }
    return message;
  });
}

function toMessage(like: unknown): BaseMessage {
  if (BaseMessage.isInstance(like)) return like;
  let message: BaseMessage;
  try {
    message = coerceMessageLikeToMessage(like as BaseMessageLike);
  } catch (cause) {
    throw new InvalidUpdateError(
      `${shown(like)} was written to messages and is no message. Write a BaseMessage, a string, [role, content] or {role, content}.`,
      { code: "INVALID_MESSAGE", cause, lc_error_code: "MESSAGE_COERCION_FAILURE" },
    );
  }
  if (RemoveMessage.isInstance(message)) {
    throw new InvalidUpdateError(
      "Plain data cannot remove messages. To remove one, write new RemoveMessage({id}).",
      { code: "INVALID_MESSAGE" },
    );
  }
  return message;
}

function assignId(message: BaseMessage): string {
  const id = v4();
  setMessageId(message, id);
  return id;
}

/** What a write did to a list. */
export interface Merged {
  readonly list: BaseMessage[];
  /** Appended, or put in the place of a message with the same id. */
  readonly added: readonly BaseMessage[];
  readonly removed: readonly string[];
  /** Nothing but appending happened: positions of older messages are unchanged. */
  readonly appendOnly: boolean;
  /** All that was there before went first. */
  readonly cleared?: boolean;
}

/** Where a message with an id stands in the list, if it does. */
export type Positions = (id: string) => number | undefined;

/**
 * Merges messages (with ids) into a list; neither array is changed.
 *
 * @param positions - finds ids in `list`
 * @param isOwn - nobody else has the list: one message may be appended to the very array. Default: false
 */
export function mergeMessages(
  list: readonly BaseMessage[],
  incoming: readonly BaseMessage[],
  positions: Positions,
  isOwn = false,
): Merged {
  const [only] = incoming;
  if (only !== undefined && incoming.length === 1 && !isRemoval(only))
    return mergeOne(list, only, positions, isOwn);
  const clear = incoming.findLastIndex((message) => isRemoval(message) && message.id === REMOVE_ALL_MESSAGES);
  if (clear >= 0) {
    const rest = mergeMessages([], incoming.slice(clear + 1), () => undefined);
    return { ...rest, removed: list.map(idOf), appendOnly: false, cleared: true };
  }
  const added: BaseMessage[] = [];
  const fresh = new Map<string, number>();
  const removed = new Set<string>();
  let replaced: BaseMessage[] | undefined;
  const appended: BaseMessage[] = [];
  for (const message of incoming) {
    const id = idOf(message);
    const place = fresh.get(id) ?? positions(id);
    if (isRemoval(message)) {
      if (place === undefined) {
        throw new InvalidUpdateError(`There is no message with id "${id}" to remove.`);
      }
      removed.add(id);
      continue;
    }
    removed.delete(id);
    added.push(message);
    if (place === undefined) {
      fresh.set(id, list.length + appended.length);
      appended.push(message);
    } else if (place < list.length) {
      replaced ??= list.slice();
      replaced[place] = message;
    } else appended[place - list.length] = message;
  }
  // one copy, to an array of just its size: the list may be long (I7)
  const next = (replaced ?? list).concat(appended);
  if (removed.size === 0) return { list: next, added, removed: [], appendOnly: replaced === undefined };
  return {
    list: next.filter((message) => !removed.has(idOf(message))),
    added: added.filter((message) => !removed.has(idOf(message))),
    removed: [...removed],
    appendOnly: false,
  };
}

/** What nearly every write is: a message to append, or one to put in the place of another. */
function mergeOne(
  list: readonly BaseMessage[],
  message: BaseMessage,
  positions: Positions,
  isOwn: boolean,
): Merged {
  const added = [message];
  const place = positions(idOf(message));
  if (place === undefined) {
    if (isOwn) (list as BaseMessage[]).push(message);
    const appended = isOwn ? (list as BaseMessage[]) : list.concat(added);
    return { list: appended, added, removed: NONE, appendOnly: true };
  }
  const replaced = list.slice();
  replaced[place] = message;
  return { list: replaced, added, removed: NONE, appendOnly: false };
}

const NONE: readonly string[] = [];

function isRemoval(message: BaseMessage): boolean {
  return message.getType() === "remove";
}

export function idOf(message: BaseMessage): string {
  return message.id as string;
}

/** The last place of an id. A plain loop: a search with a function takes twice as long, and lists are long. */
export function placeOf(list: readonly BaseMessage[], id: string): number | undefined {
  for (let i = list.length - 1; i >= 0; i -= 1) if (list[i]?.id === id) return i;
  return undefined;
}

/** One pass over the list, looking for the incoming ids only. */
function positionsOf(list: readonly BaseMessage[], incoming: readonly BaseMessage[]): Positions {
  const [only] = incoming;
  if (only !== undefined && incoming.length === 1) {
    const place = placeOf(list, idOf(only));
    return () => place;
  }
  const wanted = new Map<string, number | undefined>();
  for (const message of incoming) wanted.set(idOf(message), undefined);
  for (const [i, message] of list.entries()) {
    const id = idOf(message);
    if (wanted.has(id)) wanted.set(id, i);
  }
  return (id) => wanted.get(id);
}
