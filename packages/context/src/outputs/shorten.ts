import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { Findings, inStep } from "../messages/follow.ts";
import { isRecallOutput, toolCallsOf } from "../messages/kinds.ts";
import { textOf } from "../messages/text.ts";
import type { TokenCounter } from "../tokens/counter.ts";
import { compressOutput } from "./compress.ts";
import { shortenedMark, shortenedNow, shortenedReply, shortenedResult, type Shortening } from "./mark.ts";
import { followResults, isPlainText, type Found } from "./results.ts";
import { headAndTail } from "./text.ts";

/** Messages to show instead of those with their ids. */
export interface Shortened {
  readonly replace: readonly BaseMessage[];
  /** Tokens that the context has less. */
  readonly savedTokens: number;
}

interface Common {
  readonly counter: TokenCounter;
  /** Tools whose results stay as they are. */
  readonly excludeTools?: ReadonlySet<string>;
}

export interface CompressionRule extends Common {
  /** Results of more tokens are compressed. */
  readonly limit: number;
  /** So many newest turns are left alone. */
  readonly keepTurns: number;
  /** Below this many tokens to save nothing is done, so that the prompt's prefix changes seldom. */
  readonly saveAtLeast: number;
  /** What was compressed while it did not yet save enough; keep it, so that a turn costs what is new. */
  readonly memo?: WeakMap<BaseMessage, ToolMessage | null>;
}

/**
 * Compresses the results of older turns (C12), all at once, when that saves enough. A result is
 * compressed once and stays so.
 *
 * @example
 * planCompression(messages, { limit: 200, keepTurns: 5, saveAtLeast: 2_000, counter: createTokenCounter() });
 */
export function planCompression(messages: readonly BaseMessage[], rule: CompressionRule): Shortened {
  const { limit, keepTurns, memo, counter } = rule;
  const { found, turns } = followResults(counter, messages);
  const steps = compressions.of(found, limit, keepTurns, ...(rule.excludeTools ?? []));
  const isOld = ({ turn }: Found): boolean => turns - turn >= keepTurns;
  inStep(steps, found);
  while (steps.length > 0 && !isOld((steps.at(-1) as Step).of)) steps.pop();
  for (let at = steps.length; at < found.length && isOld(found[at] as Found); at++) {
    const result = found[at] as Found;
    if (!isCandidate(result, rule, limit)) {
      add(steps, result, undefined, counter);
      continue;
    }
    const known = memo?.get(result.message);
    const shown = known === undefined ? compressed(result.message, rule) : known;
    memo?.set(result.message, shown);
    add(steps, result, shown ?? undefined, counter);
  }
  return enough(steps, rule.saveAtLeast, messages);
}

const compressions = new Findings<Step[]>(() => []);

/** Null when there is nothing to gain. */
function compressed(message: ToolMessage, { limit, counter }: CompressionRule): ToolMessage | null {
  const result = compressOutput(textOf(message), limit, counter);
  return result === undefined
    ? null
    : shortenedResult(message, result.text, markOf(message, "compressed", counter));
}

export interface OffloadingRule extends Common {
  /** Results of more tokens are offloaded. */
  readonly limit: number;
  /** Tokens of the result's beginning and end that stay. */
  readonly keep: number;
}

/**
 * Puts beginning, end, size and call id in place of each result that is too large, whatever turn it
 * is of, unless it is what somebody recalled. Done before a model has seen the result, it changes no prompt that was sent.
 */
export function planOffloading(messages: readonly BaseMessage[], rule: OffloadingRule): Shortened {
  const { counter, limit, keep } = rule;
  const { found } = followResults(counter, messages);
  const steps = offloadings.of(found, limit, keep, ...(rule.excludeTools ?? []));
  inStep(steps, found);
  for (let at = steps.length; at < found.length; at++) {
    const result = found[at] as Found;
    const mayBe = !isRecallOutput(result.message) && isCandidate(result, rule, limit);
    add(steps, result, mayBe ? offloaded(result, rule) : undefined, counter);
  }
  return enough(steps, 1, messages);
}

const offloadings = new Findings<Step[]>(() => []);

function offloaded({ message, call }: Found, { counter, keep }: OffloadingRule): ToolMessage | undefined {
  const text = textOf(message);
  const all = counter.text(text);
  const note = (left: number): string =>
    `[... ${left} of ${all} tokens left out; the whole result is kept under call id ${JSON.stringify(call.id ?? "")} ...]`;
  const shown = headAndTail(text, keep, counter, note);
  return shown === undefined
    ? undefined
    : shortenedResult(message, shown, markOf(message, "offloaded", counter));
}

export interface ClearingRule extends Common {
  /** How many of the newest results stay, excluded ones counted. */
  readonly keep: { readonly messages: number } | { readonly tokens: number };
  readonly placeholder: string;
  /** Whether the arguments of the calls go too. */
  readonly clearToolInputs: boolean;
  readonly saveAtLeast: number;
}

/** Puts a placeholder in place of all but the newest results (C13). */
export function planClearing(messages: readonly BaseMessage[], rule: ClearingRule): Shortened {
  const { counter, excludeTools, clearToolInputs, keep } = rule;
  const { found } = followResults(counter, messages);
  const [by, most] = "messages" in keep ? ["messages", keep.messages] : ["tokens", keep.tokens];
  const of = [by, most, clearToolInputs, rule.placeholder, ...(excludeTools ?? [])];
  const { steps, sums } = clearings.of(found, ...of);
  inStep(steps, found);
  const end =
    "messages" in keep
      ? found.length - keep.messages
      : endOfOld(found, sums, steps.length, keep.tokens, counter);
  steps.length = Math.min(steps.length, Math.max(0, end));
  for (let at = steps.length; at < end; at++) {
    const result = found[at] as Found;
    const stays = excludeTools?.has(result.tool) === true || isCleared(result.message);
    const reply = stays || !clearToolInputs ? undefined : withoutInput(steps, result, counter);
    add(steps, result, stays ? undefined : cleared(result.message, rule), counter, reply);
  }
  return enough(steps, rule.saveAtLeast, messages);
}

const clearings = new Findings<{ readonly steps: Step[]; readonly sums: Sum[] }>(() => ({
  steps: [],
  sums: [],
}));

/** Tokens of a result and of all before it. */
interface Sum {
  readonly of: Found;
  readonly tokens: number;
}

const isCleared = (message: ToolMessage): boolean => shortenedMark(message)?.by === "cleared";

function cleared(message: ToolMessage, { placeholder, counter }: ClearingRule): ToolMessage {
  const after = shortenedResult(message, placeholder, markOf(message, "cleared", counter));
  const context_editing = { cleared: true, strategy: "clear_tool_uses" };
  after.response_metadata = { ...after.response_metadata, context_editing };
  return after;
}

/** Where the newest results of so many tokens begin; `near` is where that was before. */
function endOfOld(
  found: readonly Found[],
  sums: Sum[],
  near: number,
  keep: number,
  counter: TokenCounter,
): number {
  inStep(sums, found);
  for (let at = sums.length; at < found.length; at++) {
    const of = found[at] as Found;
    sums.push({ of, tokens: (sums.at(-1)?.tokens ?? 0) + counter.message(of.message) });
  }
  const all = sums.at(-1)?.tokens ?? 0;
  const fits = (end: number): boolean => all - (sums[end - 1]?.tokens ?? 0) <= keep;
  let end = near;
  while (end > 0 && fits(end - 1)) end--;
  while (end < found.length && !fits(end)) end++;
  return end;
}

/** A reply whose calls are all or partly cleared goes without those calls' arguments. */
interface ClearedReply {
  readonly calls: ReadonlySet<ToolCall>;
  readonly shown: AIMessage;
  /** Beside what was saved by those of its calls that were cleared before. */
  readonly savedTokens: number;
}

function withoutInput(steps: readonly Step[], result: Found, counter: TokenCounter): ClearedReply {
  const { reply, call } = result;
  const before = lastOfReply(steps, result);
  const calls = new Set(before?.calls).add(call);
  const tool_calls = toolCallsOf(reply).map((one) => (calls.has(one) ? { ...one, args: {} } : one));
  const content = contentWithout(reply.content, calls);
  const shown = shortenedReply(reply, { content, tool_calls }, markOf(reply, "cleared", counter));
  return { calls, shown, savedTokens: counter.message(before?.shown ?? reply) - counter.message(shown) };
}

function lastOfReply(steps: readonly Step[], { reply, replyIndex }: Found): ClearedReply | undefined {
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at] as Step;
    if (step.of.index < replyIndex) return undefined;
    if (step.of.reply === reply && step.reply !== undefined) return step.reply;
  }
  return undefined;
}

/** Blocks of calls in the content are a provider's copy of the arguments. */
function contentWithout(content: AIMessage["content"], calls: ReadonlySet<ToolCall>): AIMessage["content"] {
  if (!Array.isArray(content)) return content;
  const ids = new Set([...calls].map(({ id }) => id));
  return content.map((block) => {
    if (!("id" in block) || !ids.has(block["id"] as string)) return block;
    if (block.type === "tool_use") return { ...block, input: {} };
    return block.type === "tool_call" ? { ...block, args: {} } : block;
  }) as AIMessage["content"];
}

/** Whether a result was not shortened, may be too long and may be shortened. */
function isCandidate({ message, tool }: Found, { counter, excludeTools }: Common, limit: number): boolean {
  return (
    counter.message(message) > limit &&
    shortenedMark(message) === undefined &&
    isPlainText(message) &&
    excludeTools?.has(tool) !== true
  );
}

/** What was shortened twice keeps the count of the original. */
function markOf(message: BaseMessage, by: Shortening, counter: TokenCounter) {
  return { by, tokens: shortenedMark(message)?.tokens ?? counter.message(message) };
}

/** A result that was looked at, what is to be shown for it, and what it and all before it save. */
interface Step {
  readonly of: Found;
  /** Undefined where it stays. */
  readonly shown: ToolMessage | undefined;
  readonly reply: ClearedReply | undefined;
  readonly savedTokens: number;
}

function add(
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
function enough(steps: readonly Step[], saveAtLeast: number, messages: readonly BaseMessage[]): Shortened {
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

const NOTHING: Shortened = { replace: [], savedTokens: 0 };
