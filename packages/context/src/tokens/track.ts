import type { BaseMessage } from "@langchain/core/messages";
import { callsField, lengthOf, type Look } from "../messages/look.ts";
import { ReadList } from "../messages/read-list.ts";

/** The count of one message, and what it was counted of. */
export interface Entry extends Look {
  readonly tokens: number;
}

/** What is known of one list: its messages, and the sums before each position. */
export interface Track {
  readonly list: ReadList;
  readonly tokens: number[];
  readonly turns: number[];
}

export const emptyTrack = (): Track => ({ list: new ReadList(), tokens: [0], turns: [0] });

/** Takes the place of a track whose list goes on otherwise from a position on: sums were handed out, the list was not. */
export function branchOf({ list, tokens, turns }: Track, at: number): Track {
  list.cut(at);
  return { list, tokens: tokens.slice(0, at + 1), turns: turns.slice(0, at + 1) };
}

/** Members in one literal: with a spread each object gets a hidden class of its own, and is ten times as slow to read. */
export function entryOf(message: BaseMessage, tokens: number): Entry {
  const calls = callsField(message);
  const { content } = message;
  return { content, length: lengthOf(content), calls, callCount: lengthOf(calls), tokens };
}
