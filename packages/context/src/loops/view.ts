import { HumanMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { reading } from "../messages/given.ts";
import { atLeast, checkRule, counting, time } from "../check-rule.ts";
import { Findings, inStep } from "../messages/follow.ts";
import { argumentsText } from "../messages/json.ts";
import { isMarkedSummary, isSystem, isUser, toolCallsOf } from "../messages/kinds.ts";
import { textOf } from "../messages/text.ts";
import { shortenedMark, shortenedReply, withMark } from "../outputs/mark.ts";
import type { TokenCounter } from "../tokens/counter.ts";
import { closed, followLoops, lastTimeOf, type LoopAt, type LoopCall, type RunLoop } from "./loops.ts";

/** How many past loops are shown, and how much of them. */
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
  /** Ids of messages that leave the context. */
  readonly remove: readonly string[];
  /** What stands for the messages with these ids. */
  readonly replace: readonly BaseMessage[];
  /** Ids of loops that are now shown by question and answer only. */
  readonly condensed: readonly string[];
  /** Ids of loops that are no longer shown. */
  readonly omitted: readonly string[];
}

const RULE = { loops: atLeast(0), characters: atLeast(1), maxAge: atLeast(0), now: time, counter: counting };

/**
 * Shows past loops by question, answer and a list of their tool calls, and the loop under way whole
 * (D2). Loops beyond the limits are left out and reported; system messages and summaries stay. Applied
 * again, it changes nothing.
 *
 * @throws GraphError INVALID_CONFIGURATION for a rule that can't be followed; INVALID_MESSAGE for what is no
 *   list of messages
 *
 * @example
 * const rule = { loops: 10, characters: 500, maxAge: 7 * 86_400_000, now: Date.now(), counter };
 * const { remove, replace } = planLoopView(messages, rule);
 */
export function planLoopView(messages: readonly BaseMessage[], rule: LoopViewRule): LoopView {
  checkRule<LoopViewRule>("planLoopView", rule, RULE);
  const read = reading("planLoopView", messages, () => followLoops(rule.counter, messages));
  const judged = judgements.of(read, rule.characters);
  judge(judged, read.loops, rule.characters);
  const firstShown = judged.length - rule.loops;
  if (isShownAlready(judged.at(-1), firstShown, rule)) return NOTHING;
  const remove: string[] = [];
  const replace: BaseMessage[] = [];
  const condensed: string[] = [];
  const omitted: string[] = [];
  for (const [at, { of: loop, isLoud, isRemovable, time }] of judged.entries()) {
    const isOmitted = at < firstShown || isOld(time, rule);
    if (isOmitted ? !isRemovable : !isLoud) continue;
    const closedLoop = closed(loop, at);
    (isOmitted ? omitted : condensed).push(closedLoop.id);
    for (const message of loop.messages) {
      if (stays(message)) continue;
      const shorter = isOmitted || !isShown(message, loop) ? null : shownAs(message, closedLoop, rule);
      if (shorter === null) remove.push(message.id as string);
      else if (shorter !== undefined) replace.push(shorter);
    }
  }
  return { remove, replace, condensed, omitted };
}

const NOTHING: LoopView = { remove: [], replace: [], condensed: [], omitted: [] };

/** What is to be known of a past loop to show it, and of it and all before it together. */
interface Judged {
  readonly of: LoopAt;
  /** Whether it has something that would go if it were left out. */
  readonly isRemovable: boolean;
  /** Whether something of it is still longer than a past loop is shown. */
  readonly isLoud: boolean;
  readonly time: number | undefined;
  /** Positions; infinite where there is none. */
  readonly firstRemovable: number;
  readonly lastLoud: number;
  readonly earliest: number;
}

const judgements = new Findings<Judged[]>(() => []);

/** Brings judgements in step with the past loops, which are all but the last: one that is still there is as it was. */
function judge(judged: Judged[], loops: readonly LoopAt[], characters: number): void {
  const past = Math.max(0, loops.length - 1);
  judged.length = Math.min(judged.length, past);
  inStep(judged, loops);
  for (let at = judged.length; at < past; at++) {
    const loop = loops[at] as LoopAt;
    const before = judged.at(-1) ?? NONE;
    const isRemovable = loop.messages.some((message) => !stays(message));
    const hasCalls = loop.messages.some((message) => toolCallsOf(message).length > 0);
    const isLoud = loop.messages.some(
      (message) =>
        !stays(message) && (!isShown(message, loop) || isTooLong(message, loop, hasCalls, characters)),
    );
    const time = lastTimeOf(loop);
    judged.push({
      of: loop,
      isRemovable,
      isLoud,
      time,
      firstRemovable: isRemovable ? Math.min(before.firstRemovable, at) : before.firstRemovable,
      lastLoud: isLoud ? at : before.lastLoud,
      earliest: isRemovable ? Math.min(before.earliest, time ?? Infinity) : before.earliest,
    });
  }
}

const NONE = { firstRemovable: Infinity, lastLoud: -Infinity, earliest: Infinity };

/** Whether the loops are shown as they are to be, so that none of them need be looked at. */
function isShownAlready(all: Judged | undefined, firstShown: number, rule: LoopViewRule): boolean {
  if (all === undefined) return true;
  const { firstRemovable, lastLoud, earliest } = all;
  return firstRemovable >= firstShown && lastLoud < firstShown && !isOld(earliest, rule);
}

type Answered = Pick<LoopAt, "answer">;

const stays = (message: BaseMessage): boolean => isSystem(message) || isMarkedSummary(message);
const isShown = (message: BaseMessage, { answer }: Answered): boolean =>
  isUser(message) || message === answer;

function isOld(time: number | undefined, { now, maxAge }: LoopViewRule): boolean {
  return time !== undefined && now - time > maxAge;
}

/** Whether a question or an answer has more than is shown of it. */
function isTooLong(
  message: BaseMessage,
  { answer }: Answered,
  hasCalls: boolean,
  characters: number,
): boolean {
  if (shortenedMark(message)?.by === "condensed") return false;
  return (hasCalls && message === answer) || textOf(message).length > characters;
}

/** What stands for a question or an answer; undefined if it can stay as it is. */
function shownAs(message: BaseMessage, loop: RunLoop, rule: LoopViewRule): BaseMessage | undefined {
  if (!isTooLong(message, loop, loop.calls.length > 0, rule.characters)) return undefined;
  const short = truncate(textOf(message), rule.characters);
  const mark = { by: "condensed", tokens: rule.counter.message(message) } as const;
  if (message === loop.answer) {
    const content = [short, listed(loop.calls)].filter((part) => part !== "").join("\n\n");
    return shortenedReply(message as AIMessage, { content, tool_calls: [] }, mark);
  }
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
      `- call id ${JSON.stringify(id)}: ${name}(${truncate(argumentsText(input), INPUT)})`,
  );
  return `[tool calls of this turn]\n${lines.join("\n")}`;
}

function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const unit = text.charCodeAt(most);
  const end = unit >= 0xdc00 && unit <= 0xdfff ? most - 1 : most;
  return `${text.slice(0, end)}...[truncated]`;
}
