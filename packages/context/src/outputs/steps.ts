import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { TokenCounter } from "../tokens/counter.ts";
import { shortenedMark, shortenedNow, type Shortening } from "./mark.ts";
import type { Found } from "./results.ts";

/** Messages to show instead of those with their ids. */
export interface Shortened {
  readonly replace: readonly BaseMessage[];
  /** Tokens that the context has less. */
  readonly savedTokens: number;
}

/** What every way of shortening is told. */
export interface Common {
  readonly counter: TokenCounter;
  /** Tools whose results stay as they are. */
  readonly excludeTools?: ReadonlySet<string>;
}

/** What was shortened twice keeps the count of the original. */
export function markOf(message: BaseMessage, by: Shortening, counter: TokenCounter) {
  return { by, tokens: shortenedMark(message)?.tokens ?? counter.message(message) };
}

/** A reply whose calls are all or partly cleared goes without those calls' arguments. */
export interface ClearedReply {
  readonly calls: ReadonlySet<ToolCall>;
  readonly shown: AIMessage;
  /** Beside what was saved by those of its calls that were cleared before. */
  readonly savedTokens: number;
}

/** A result that was looked at, what is to be shown for it, and what it and all before it save. */
export interface Step {
  readonly of: Found;
  /** Undefined where it stays. */
  readonly shown: ToolMessage | undefined;
  readonly reply: ClearedReply | undefined;
  readonly savedTokens: number;
}

export function add(
  steps: Step[],
  of: Found,
  shown: ToolMessage | undefined,
  counter: TokenCounter,
  reply?: ClearedReply,
): void {
  const before = steps.at(-1)?.savedTokens ?? 0;
  const saved = shown === undefined ? 0 : counter.message(of.message) - counter.message(shown);
  steps.push({ of, shown, reply, savedTokens: before + saved + (reply?.savedTokens ?? 0) });
}

/** What the steps show, if it saves enough. They are joined only then: on most turns it does not. */
export function enough(
  steps: readonly Step[],
  saveAtLeast: number,
  messages: readonly BaseMessage[],
): Shortened {
  const savedTokens = steps.at(-1)?.savedTokens ?? 0;
  if (savedTokens < Math.max(1, saveAtLeast)) return NOTHING;
  const newest = messages.at(-1)?.id;
  const shown: BaseMessage[] = [];
  const replies = new Map<AIMessage, AIMessage>();
  for (const { of, shown: result, reply } of steps) {
    if (result !== undefined) shown.push(result);
    if (reply !== undefined) replies.set(of.reply, reply.shown);
  }
  const replace = [...shown, ...replies.values()].map((message) => shortenedNow(message, newest));
  return { replace, savedTokens };
}

export const NOTHING: Shortened = { replace: [], savedTokens: 0 };
