import { AIMessage, HumanMessage } from "@langchain/core/messages";

/** Characters of each of the two messages of a turn. */
const MESSAGE_LENGTH = 400;

/** Text of a set length, different for every turn, the same in every run. */
export function textFor(turn: number, who: string): string {
  let text = `${who} ${turn}:`;
  let seed = turn * 2_654_435_761 + who.length;
  while (text.length < MESSAGE_LENGTH) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    text += ` ${seed.toString(36)}`;
  }
  return parsed(text.slice(0, MESSAGE_LENGTH));
}

/** The same text in one piece, as one that a client has parsed: a slice, or a text put together, is slower to read. */
export const parsed = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

export const question = (turn: number): HumanMessage => new HumanMessage(textFor(turn, "user"));
export const answer = (turn: number): AIMessage => new AIMessage(textFor(turn, "assistant"));
