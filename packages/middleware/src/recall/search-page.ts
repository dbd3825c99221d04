import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { fitTokens, timestampOf, type TextCounter } from "@skein/context";
import { excerptOf } from "./excerpt.ts";
import { searchedText, type Found } from "./search.ts";
import { within } from "./within.ts";

export interface SearchPage {
  readonly query: string;
  /** How many hits to pass over. */
  readonly from: number;
  /** Most hits. */
  readonly limit: number;
  /** Most tokens of one hit's text. */
  readonly hitTokens: number;
  /** Most tokens of all that is returned. */
  readonly maxTokens: number;
  readonly counter: TextCounter;
}

/**
 * A page of hits as the model reads it: each with what stands around it, as many as fit. The first one
 * is there in any case, without its neighbours and shorter where it takes that.
 */
export function searchPage({ messages, ranked }: Found, page: SearchPage): string {
  const { query, from, limit, hitTokens, maxTokens, counter } = page;
  const total = ranked.length;
  if (total === 0) return "No message holds a word of the query. Try other words.";
  if (from >= total) return `There are ${total} hits; the cursor is behind the last one.`;
  const head = `${total} messages hold words of the query; the best first.`;
  const inWords = (hits: readonly string[]): string =>
    [head, ...hits, ...moreAfter(from + hits.length, total)].join("\n\n");
  const hits: string[] = [];
  for (const at of ranked.slice(from, from + limit)) {
    const message = messages[at] as BaseMessage;
    const header = `[${from + hits.length + 1}] ${whoseOf(message)}`;
    const textOf = (tokens: number): string => excerptOf(searchedText(message), query, tokens, counter);
    const whole = [header, ...withNeighbours(textOf(hitTokens), messages[at - 1], messages[at + 1])].join(
      "\n",
    );
    if (counter.text(inWords([...hits, whole])) <= maxTokens) hits.push(whole);
    else if (hits.length > 0) break;
    else {
      const body = (tokens: number): string => `${head}\n\n${header}\n${textOf(tokens)}`;
      return shortPage(body, moreAfter(from + 1, total), page);
    }
  }
  return inWords(hits);
}

const moreAfter = (next: number, total: number): string[] =>
  next < total ? [`More: call again with cursor "${next}".`] : [];

/** One hit without what stands around it, as much of it as fits. */
function shortPage(
  body: (tokens: number) => string,
  end: readonly string[],
  { hitTokens, maxTokens, counter }: SearchPage,
): string {
  const pageOf = (text: string): string => [text, ...end].join("\n\n");
  const page = within(maxTokens, counter, (tokens) => pageOf(body(Math.min(tokens, hitTokens))));
  if (counter.text(page) <= maxTokens) return page;
  // a header alone is too long: ids of calls are whatever a provider makes them
  return within(maxTokens, counter, (tokens) => pageOf(fitTokens(body(0), tokens, counter)));
}

function withNeighbours(
  text: string,
  before: BaseMessage | undefined,
  after: BaseMessage | undefined,
): string[] {
  return [
    ...(before === undefined ? [] : [`  before: ${lineOf(before)}`]),
    text,
    ...(after === undefined ? [] : [`  after: ${lineOf(after)}`]),
  ];
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

function roleOf({ type }: BaseMessage): string {
  if (type === "human") return "user";
  return type === "ai" ? "assistant" : type;
}

/** Characters of a neighbour that are shown. */
const LINE = 120;

function lineOf(message: BaseMessage): string {
  const text = searchedText(message).replaceAll(/\s+/gu, " ");
  // one character counts as one token here
  return `${roleOf(message)}: ${fitTokens(text, LINE, { text: ({ length }) => length })}`;
}
