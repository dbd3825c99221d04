import type { BaseMessage } from "@langchain/core/messages";
import { requireMessages, requireObject } from "../messages/given.ts";
import { jsonOf } from "../messages/json.ts";
import { toolCallsOf } from "../messages/kinds.ts";
import { hash } from "../summary/hash.ts";

/**
 * Which part of a conversation something was made from: the summary before it and the oldest messages
 * after that, by id and contents. It tells whether a branch still begins with them.
 */
export interface CoveredPrefix {
  /** Id of the summary's message that came before; `null` if there was none. */
  readonly after: string | null;
  /** How many messages it has. */
  readonly count: number;
  /** Id of the last of them, by which most other branches can be told without reading them. */
  readonly last: string | null;
  /** Of ids, contents and calls: an edit makes another prefix. */
  readonly hash: string;
}

export function prefixOf(messages: readonly BaseMessage[], after: string | null): CoveredPrefix {
  const last = messages.at(-1)?.id ?? null;
  return { after, count: messages.length, last, hash: hash(messages.map(contentsOf).join("\n")) };
}

/**
 * Whether a context seems to begin with a prefix: by position and id only, which costs nothing.
 *
 * @throws GraphError INVALID_INPUT for what is no prefix; INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * if (!seemsPrefix(ahead.prefix, values.messages)) discard(ahead);
 */
export function seemsPrefix(prefix: CoveredPrefix, context: readonly BaseMessage[]): boolean {
  requireObject("seemsPrefix", prefix, "a prefix");
  requireMessages("seemsPrefix", context);
  const after = prefix.after === null ? -1 : context.findIndex(({ id }) => id === prefix.after);
  if (prefix.after !== null && after < 0) return false;
  const last = context.findIndex(({ id }) => id === prefix.last);
  return last - after >= prefix.count;
}

/** @param conversation - what comes after leading system messages and the summary */
export function isPrefix(
  prefix: CoveredPrefix,
  conversation: readonly BaseMessage[],
  after: string | null,
): boolean {
  if (prefix.after !== after || prefix.count > conversation.length) return false;
  return prefixOf(conversation.slice(0, prefix.count), after).hash === prefix.hash;
}

function contentsOf(message: BaseMessage): string {
  const calls = toolCallsOf(message).map(({ id, name, args }) => [id, name, args]);
  return jsonOf([message.id, message.type, message.content, calls]);
}
