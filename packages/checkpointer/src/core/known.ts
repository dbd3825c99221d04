import type { Codec } from "../codec/types.ts";
import { isSameText } from "../codec/same-text.ts";
import { isMessage } from "../codec/message-kinds.ts";

/**
 * What is remembered of an object that is an item, so that it is recognised when it comes back,
 * and so that an edit in place is not taken for the stored element.
 *
 * The text is kept for whatever is not a message and for messages that were stored lately: these
 * are compared whole. Of an older message only the content is compared, and whether it has an id since;
 * see `CachedList`.
 */
export interface Known {
  readonly lane: number;
  readonly ord: number;
  /** The content of a message. */
  readonly content: unknown;
  /** Dropped for a message that has become old. */
  text: string | undefined;
}

export function knownItem(lane: number, ord: number, text: string, content: unknown): Known {
  return { lane, ord, content, text };
}

/** Like `knownItem`, for a message that is not one of the last. */
export function knownOld(value: object, lane: number, ord: number, text: string): Known {
  if (!isMessage(value)) return { lane, ord, content: contentOf(value), text };
  noteUnnamed(value);
  return { lane, ord, content: value.content, text: undefined };
}

/** Messages of which no text is kept that had no id: a reducer of messages gives them one in place. */
const unnamed = new WeakSet<object>();

/** To be called with a message that was read, of which no text is kept, or none for long. */
export function noteUnnamed(message: { readonly id?: unknown }): void {
  if (message.id === undefined || message.id === null) unnamed.add(message);
}

/** To be called when the text of a message is dropped: it was stored with the id that it has. */
export function noteDropped(message: object): void {
  unnamed.delete(message);
  noteUnnamed(message);
}

const isNamedSince = (value: { readonly id?: unknown }): boolean =>
  typeof value.id === "string" && unnamed.has(value);

/** Whether an object still is what was stored. */
export function isUnchanged(codec: Codec, value: object, known: Known): boolean {
  if (contentOf(value) !== known.content) return false;
  if (known.text === undefined && isNamedSince(value)) return false;
  return known.text === undefined || isStillSaid(codec, known.text, codec.encode(value));
}

/** Whether a stored text says what is now encoded so: an older codec, or another LangChain, had other words for it. */
export function isStillSaid(codec: Codec, stored: string, text: string): boolean {
  return isSameText(stored, text) || codec.encode(codec.decode(stored)) === text;
}

/** The content of a message. */
export function contentOf(value: object): unknown {
  return (value as { content?: unknown }).content;
}
