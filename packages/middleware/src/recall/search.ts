import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { indexed, rankTexts, type IndexedText } from "@skein/checkpointer";
import { fitTokens, isRecallOutput, textOf, timestampOf, type TextCounter } from "@skein/context";
import { excerptOf } from "./excerpt.ts";
import { isRecallTool } from "./names.ts";

/** A message that a search found, with what stands around it. */
export interface HistoryHit {
  readonly message: BaseMessage;
  /** Its text, or the part of it that answers best. */
  readonly text: string;
  readonly before: BaseMessage | undefined;
  readonly after: BaseMessage | undefined;
}

export interface SearchedPage {
  readonly hits: readonly HistoryHit[];
  readonly total: number;
  /** Where the next page begins; undefined on the last one. */
  readonly next: number | undefined;
}

export interface SearchRequest {
  readonly query: string;
  /** How many hits to pass over. */
  readonly from: number;
  readonly limit: number;
  /** Tokens of one hit. */
  readonly hitTokens: number;
  /** Tokens of all hits; the first one is there in any case. */
  readonly maxTokens: number;
  readonly counter: TextCounter;
}

/** Full-text search over a history. Keeps what it indexed as long as the messages live. */
export class HistorySearch {
  readonly #indexed = new WeakMap<BaseMessage, { readonly content: unknown; readonly text: IndexedText }>();

  /**
   * Messages that answer a query best, best first. The turn under way is left out, because the model
   * has it before it and the question itself would be the best hit, and so is what was recalled before.
   */
  search(history: readonly BaseMessage[], request: SearchRequest): SearchedPage {
    const { query, from, limit, hitTokens, maxTokens, counter } = request;
    const earlier = history.slice(0, startOfTurn(history)).filter(isSearched);
    const ranked = rankTexts(
      query,
      earlier.map((message) => this.#indexOf(message)),
    );
    const hits: HistoryHit[] = [];
    let tokens = 0;
    for (const { at } of ranked.slice(from, from + limit)) {
      const message = earlier[at] as BaseMessage;
      const text = excerptOf(searchedText(message), query, hitTokens, counter);
      tokens += counter.text(text);
      if (hits.length > 0 && tokens > maxTokens) break;
      hits.push({ message, text, before: earlier[at - 1], after: earlier[at + 1] });
    }
    const end = from + hits.length;
    return { hits, total: ranked.length, next: end < ranked.length ? end : undefined };
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
function searchedText(message: BaseMessage): string {
  const calls = callsOf(message).map(({ name, args }) => `${name}(${JSON.stringify(args)})`);
  return [textOf(message), ...calls].filter((part) => part !== "").join("\n");
}

/** Characters of a neighbour that are shown. */
const LINE = 120;

/** The hits as the model reads them. */
export function inWords({ hits, total, next }: SearchedPage, from: number): string {
  if (total === 0) return "No message holds a word of the query. Try other words.";
  if (hits.length === 0) return `There are ${total} hits; the cursor is behind the last one.`;
  const found = hits.map(({ message, text, before, after }, at) =>
    [
      `[${from + at + 1}] ${whoseOf(message)}`,
      ...(before === undefined ? [] : [`  before: ${lineOf(before)}`]),
      text,
      ...(after === undefined ? [] : [`  after: ${lineOf(after)}`]),
    ].join("\n"),
  );
  const more = next === undefined ? [] : [`More: call again with cursor "${next}".`];
  return [`${total} messages hold words of the query; the best first.`, ...found, ...more].join("\n\n");
}

function whoseOf(message: BaseMessage): string {
  const time = timestampOf(message);
  const when = time === undefined ? "" : `, ${new Date(time).toISOString().slice(0, 16)}Z`;
  if (message.type === "tool") {
    const { name, tool_call_id: id } = message as ToolMessage;
    return `result of ${name ?? "a tool"}, call id ${JSON.stringify(id)}${when}`;
  }
  return `${roleOf(message)}${when}`;
}

const roleOf = ({ type }: BaseMessage): string =>
  type === "human" ? "user" : type === "ai" ? "assistant" : type;

function lineOf(message: BaseMessage): string {
  const text = searchedText(message).replaceAll(/\s+/gu, " ");
  // one character counts as one token here
  return `${roleOf(message)}: ${fitTokens(text, LINE, { text: ({ length }) => length })}`;
}
