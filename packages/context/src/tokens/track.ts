import type { BaseMessage } from "@langchain/core/messages";
import { commonStart, growthOf, type Growth } from "../messages/growth.ts";

/** What a message held when it was looked at. */
export interface Look {
  readonly content: unknown;
  readonly length: number;
  readonly calls: unknown;
  readonly callCount: number;
}

/** The count of one message, and what it was counted of. */
export interface Entry extends Look {
  readonly tokens: number;
}

/** A list that was read, and what its messages held. */
export interface Followed {
  readonly messages: readonly BaseMessage[];
  readonly entries: readonly Look[];
  /** Of the list that was read last, where somebody said that it grew. */
  growth: Growth | undefined;
  /** Position at which the next look for edits of older messages begins. */
  checked: number;
}

/** What is known of one list: its messages, their entries, and the sums before each position. */
export interface Track extends Followed {
  readonly messages: BaseMessage[];
  readonly entries: Entry[];
  readonly tokens: number[];
  readonly turns: number[];
}

export const emptyTrack = (): Track => ({
  messages: [],
  entries: [],
  tokens: [0],
  turns: [0],
  growth: undefined,
  checked: 0,
});

/** Remembers which list a track was last brought in step with. */
export function seen<T extends Followed>(track: T, messages: readonly BaseMessage[]): T {
  track.growth = growthOf(messages) ?? track.growth;
  return track;
}

export function prefixOf(track: Track, length: number): Track {
  return {
    messages: track.messages.slice(0, length),
    entries: track.entries.slice(0, length),
    tokens: track.tokens.slice(0, length + 1),
    turns: track.turns.slice(0, length + 1),
    growth: track.growth !== undefined && track.growth.length <= length ? track.growth : undefined,
    checked: 0,
  };
}

/** How many of the newest messages are looked at for edits in place, and how many of the others at a time. */
const RECHECKED = 32;

/**
 * How many messages a list shares with a track: as many as somebody said, or else as a walk by
 * identity finds. Looking into a message costs more than all of that, so only the newest 32 are
 * looked into, and 32 others, in turn.
 */
export function sharedPrefix(track: Followed, messages: readonly BaseMessage[]): number {
  const known = track.messages;
  const most = Math.min(known.length, messages.length);
  let shared = commonStart(messages, track.growth);
  while (shared < most && messages[shared] === known[shared]) shared++;
  const newest = Math.max(0, shared - RECHECKED);
  const older = track.checked < newest ? track.checked : 0;
  track.checked = Math.min(newest, older + RECHECKED);
  return (
    firstEdited(track, messages, older, track.checked) ??
    firstEdited(track, messages, newest, shared) ??
    shared
  );
}

function firstEdited(
  { messages: known, entries }: Followed,
  messages: readonly BaseMessage[],
  from: number,
  to: number,
): number | undefined {
  for (let at = from; at < to; at++) {
    const message = messages[at] as BaseMessage;
    if (message !== known[at] || !isFresh(entries[at] as Look, message)) return at;
  }
  return undefined;
}

/** Length of what can't grow. */
const FIXED = -1;

/**
 * Hazard: messages are mutable. A content or a list of calls that was exchanged or grew is counted again.
 *
 * `Object.is` compares where two things stand before it looks at what they are: of a text that is the same
 * one nothing is read, which of messages that were not read for long takes most of the time.
 */
export function isFresh(entry: Look, message: BaseMessage): boolean {
  const { content } = message;
  if (!Object.is(entry.content, content)) return false;
  const calls = callsField(message);
  if (!Object.is(entry.calls, calls)) return false;
  if (entry.callCount !== FIXED && entry.callCount !== calls?.length) return false;
  return entry.length === FIXED || entry.length === content.length;
}

export function lookAt(message: BaseMessage): Look {
  const calls = callsField(message);
  return {
    content: message.content,
    length: lengthOf(message.content),
    calls,
    callCount: lengthOf(calls),
  };
}

/** Not `{...look, tokens}`: each such object gets a hidden class of its own, and is ten times as slow to read. */
export function entryOf(message: BaseMessage, tokens: number): Entry {
  const { content, length, calls, callCount } = lookAt(message);
  return { content, length, calls, callCount, tokens };
}

const lengthOf = (field: unknown): number => (Array.isArray(field) ? field.length : FIXED);

/** What ties a message to others: its calls, or the id of the call that it answers. */
function callsField(message: BaseMessage): readonly unknown[] | string | undefined {
  const { tool_calls, tool_call_id } = message as Partial<Ties>;
  return tool_calls ?? tool_call_id ?? undefined;
}

interface Ties {
  readonly tool_calls: readonly unknown[] | null;
  readonly tool_call_id: string | null;
}
