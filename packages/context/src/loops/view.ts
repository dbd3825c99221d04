import { HumanMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary, isSystem, isUser } from "../messages/kinds.ts";
import { textOf } from "../messages/text.ts";
import { shortenedMark, shortenedReply, withMark } from "../outputs/mark.ts";
import type { TokenCounter } from "../tokens/counter.ts";
import { runLoops, type LoopCall, type RunLoop } from "./loops.ts";

export interface LoopViewRule {
  /** How many past loops are shown, beside the one under way. */
  readonly loops: number;
  /** Characters of a past question and of a past answer that are shown. */
  readonly characters: number;
  /** Milliseconds since a loop ended after which it is not shown. */
  readonly maxAge: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly counter: TokenCounter;
}

/** How the context is to change so that it shows loops. The history stays as it is. */
export interface LoopView {
  readonly remove: readonly string[];
  readonly replace: readonly BaseMessage[];
  /** Ids of loops that are now shown by question and answer only. */
  readonly condensed: readonly string[];
  /** Ids of loops that are no longer shown. */
  readonly omitted: readonly string[];
}

/**
 * Shows past loops by question, answer and a list of their tool calls, and the loop under way whole
 * (D2). Loops beyond the limits are left out and reported; system messages and summaries stay. Applied
 * again, it changes nothing.
 *
 * @example
 * const rule = { loops: 10, characters: 500, maxAge: 7 * 86_400_000, now: Date.now(), counter };
 * const { remove, replace } = planLoopView(messages, rule);
 */
export function planLoopView(messages: readonly BaseMessage[], rule: LoopViewRule): LoopView {
  const past = runLoops(messages).loops.slice(0, -1);
  const remove: string[] = [];
  const replace: BaseMessage[] = [];
  const condensed: string[] = [];
  const omitted: string[] = [];
  for (const [at, loop] of past.entries()) {
    if (at < past.length - rule.loops || isOld(loop, rule)) {
      const gone = loop.messages.filter((message) => !stays(message));
      remove.push(...gone.map(({ id }) => id as string));
      if (gone.length > 0) omitted.push(loop.id);
      continue;
    }
    const shown = loop.messages.filter((message) => isUser(message) || message === loop.answer);
    const gone = loop.messages.filter((message) => !stays(message) && !shown.includes(message));
    const shorter = shown.flatMap((message) => shownAs(message, loop, rule) ?? []);
    remove.push(...gone.map(({ id }) => id as string));
    replace.push(...shorter);
    if (gone.length + shorter.length > 0) condensed.push(loop.id);
  }
  return { remove, replace, condensed, omitted };
}

const stays = (message: BaseMessage): boolean => isSystem(message) || isMarkedSummary(message);

function isOld({ startedAt, endedAt = startedAt }: RunLoop, { now, maxAge }: LoopViewRule): boolean {
  return endedAt !== undefined && now - endedAt > maxAge;
}

/** What stands for a question or an answer; undefined if it can stay as it is. */
function shownAs(message: BaseMessage, loop: RunLoop, rule: LoopViewRule): BaseMessage | undefined {
  if (shortenedMark(message)?.by === "condensed") return undefined;
  const text = textOf(message);
  const short = truncate(text, rule.characters);
  const mark = { by: "condensed", tokens: rule.counter.message(message) } as const;
  if (message === loop.answer) {
    if (short === text && loop.calls.length === 0) return undefined;
    const content = [short, listed(loop.calls)].filter((part) => part !== "").join("\n\n");
    return shortenedReply(message as AIMessage, { content, tool_calls: [] }, mark);
  }
  if (short === text) return undefined;
  const { id, name, additional_kwargs } = message;
  return new HumanMessage({
    content: short,
    additional_kwargs: withMark(additional_kwargs, mark),
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  });
}

const INPUT = 100;

/** So that the model knows what it can recall. */
function listed(calls: readonly LoopCall[]): string {
  if (calls.length === 0) return "";
  const lines = calls.map(
    ({ id, name, input }) =>
      `- call id ${JSON.stringify(id)}: ${name}(${truncate(JSON.stringify(input), INPUT)})`,
  );
  return `[tool calls of this turn]\n${lines.join("\n")}`;
}

function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const unit = text.charCodeAt(most);
  const end = unit >= 0xdc00 && unit <= 0xdfff ? most - 1 : most;
  return `${text.slice(0, end)}...[truncated]`;
}
