import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { indexed, rankTexts, type IndexedText } from "@skein/checkpointer";
import { argumentsText, isRecallOutput, textOf } from "@skein/context";
import { isRecallTool } from "./names.ts";

/** Messages that a search found. */
export interface Found {
  /** What was searched, oldest first. */
  readonly messages: readonly BaseMessage[];
  /** Positions of the hits among them, the best first. */
  readonly ranked: readonly number[];
}

/** Full-text search over a history. Keeps what it indexed as long as the messages live. */
export class HistorySearch {
  readonly #indexed = new WeakMap<BaseMessage, { readonly content: unknown; readonly text: IndexedText }>();

  /**
   * Messages that answer a query best, best first. The turn under way is left out, because the model
   * has it before it and the question itself would be the best hit, and so is what was recalled before.
   */
  search(history: readonly BaseMessage[], query: string): Found {
    const messages = history.slice(0, startOfTurn(history)).filter(isSearched);
    const texts = messages.map((message) => this.#indexOf(message));
    return { messages, ranked: rankTexts(query, texts).map(({ at }) => at) };
  }

  #indexOf(message: BaseMessage): IndexedText {
    const known = this.#indexed.get(message);
    if (known !== undefined && known.content === message.content) return known.text;
    const text = indexed(searchedText(message));
    this.#indexed.set(message, { content: message.content, text });
    return text;
  }
}

function startOfTurn(history: readonly BaseMessage[]): number {
  const at = history.findLastIndex(({ type }) => type === "human");
  return at < 0 ? history.length : at;
}

const callsOf = (message: BaseMessage) =>
  ((message as AIMessage).tool_calls ?? []).filter(({ name }) => !isRecallTool(name));

const isSearched = (message: BaseMessage): boolean =>
  !isRecallOutput(message) && (message.content.length > 0 || callsOf(message).length > 0);

/** What is searched and shown: the text, and the calls with their arguments. */
export function searchedText(message: BaseMessage): string {
  const calls = callsOf(message).map(({ name, args }) => `${name}(${argumentsText(args)})`);
  return [textOf(message), ...calls].filter((part) => part !== "").join("\n");
}
