import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { Findings } from "../messages/follow.ts";
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
  readonly memo?: WeakMap<BaseMessage, BaseMessage | null>;
}

/**
 * Compresses the results of older turns (C12), all at once, when that saves enough. A result is
 * compressed once and stays so.
 *
 * @example
 * planCompression(messages, { limit: 200, keepTurns: 5, saveAtLeast: 2_000, counter: createTokenCounter() });
 */
export function planCompression(messages: readonly BaseMessage[], rule: CompressionRule): Shortened {
  const results = followResults(rule.counter, messages);
  const old = compressions.of(results, rule.limit, rule.keepTurns, ...(rule.excludeTools ?? []));
  for (; old.next < results.found.length; old.next++) {
    const result = results.found[old.next] as Found;
    if (results.turns - result.turn < rule.keepTurns) break;
    if (!isCandidate(result, rule, rule.limit)) continue;
    const known = rule.memo?.get(result.message);
    const after = known === undefined ? compressed(result.message, rule) : known;
    rule.memo?.set(result.message, after);
    if (after !== null) save(old, [result.message, after], rule.counter);
  }
  return enough(old, rule.saveAtLeast, messages);
}

/** Results, as far as they were looked at, and what to show instead of them. */
interface Old extends Saving {
  next: number;
}

const compressions = new Findings<Old>(() => ({ next: 0, ...noSaving() }));

/** Null when there is nothing to gain. */
function compressed(message: ToolMessage, { limit, counter }: CompressionRule): BaseMessage | null {
  const result = compressOutput(textOf(message), limit, counter);
  return result === undefined ? null : pairOf(message, result.text, "compressed", counter)[1];
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
  const long = offloadings.of(found, limit, keep, ...(rule.excludeTools ?? []));
  for (; long.next < found.length; long.next++) {
    const result = found[long.next] as Found;
    const { message, call } = result;
    if (isRecallOutput(message) || !isCandidate(result, rule, limit)) continue;
    const text = textOf(message);
    const all = counter.text(text);
    const note = (left: number): string =>
      `[... ${left} of ${all} tokens left out; the whole result is kept under call id ${JSON.stringify(call.id ?? "")} ...]`;
    const shown = headAndTail(text, keep, counter, note);
    if (shown !== undefined) save(long, pairOf(message, shown, "offloaded", counter), counter);
  }
  return enough(long, 1, messages);
}

const offloadings = new Findings<Old>(() => ({ next: 0, ...noSaving() }));

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
  const old = clearings.of(found, ...of);
  for (const end = endOfOld(found, old, rule); old.next < end; old.next++) {
    const result = found[old.next] as Found;
    if (excludeTools?.has(result.tool) === true || isCleared(result.message)) continue;
    save(old, cleared(result.message, rule), counter);
    if (clearToolInputs) clearInput(old, result, counter);
  }
  return enough(old, rule.saveAtLeast, messages);
}

interface Cleared extends Old {
  /** Tokens of the results before each position. */
  readonly tokens: number[];
  /** By reply, its calls that are cleared, and where in the pairs it stands. */
  readonly inputs: Map<AIMessage, { readonly calls: Set<ToolCall>; readonly at: number }>;
}

const clearings = new Findings<Cleared>(() => ({ next: 0, ...noSaving(), tokens: [0], inputs: new Map() }));

const isCleared = (message: ToolMessage): boolean => shortenedMark(message)?.by === "cleared";

function cleared(message: ToolMessage, { placeholder, counter }: ClearingRule): Pair {
  const after = shortenedResult(message, placeholder, markOf(message, "cleared", counter));
  const context_editing = { cleared: true, strategy: "clear_tool_uses" };
  after.response_metadata = { ...after.response_metadata, context_editing };
  return [message, after];
}

/** Where the newest results begin. */
function endOfOld(
  found: readonly Found[],
  { next, tokens }: Cleared,
  { keep, counter }: ClearingRule,
): number {
  if ("messages" in keep) return Math.max(0, found.length - keep.messages);
  for (let at = tokens.length - 1; at < found.length; at++) {
    tokens.push((tokens[at] as number) + counter.message((found[at] as Found).message));
  }
  const all = tokens[found.length] as number;
  let end = next;
  while (end < found.length && all - (tokens[end] as number) > keep.tokens) end++;
  return end;
}

/** A reply whose calls are all or partly cleared goes without those calls' arguments. */
function clearInput(old: Cleared, { reply, call }: Found, counter: TokenCounter): void {
  const { calls, at } = old.inputs.get(reply) ?? { calls: new Set<ToolCall>(), at: old.pairs.length };
  calls.add(call);
  old.inputs.set(reply, { calls, at });
  const tool_calls = toolCallsOf(reply).map((one) => (calls.has(one) ? { ...one, args: {} } : one));
  const content = contentWithout(reply.content, calls);
  const before = old.pairs[at]?.[1] ?? reply;
  const after = shortenedReply(reply, { content, tool_calls }, markOf(reply, "cleared", counter));
  old.savedTokens += counter.message(before) - counter.message(after);
  old.pairs[at] = [reply, after];
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

/** A message and what stands for it. */
type Pair = readonly [BaseMessage, BaseMessage];

/** Whether a result was not shortened, may be too long and may be shortened. */
function isCandidate(
  { message, tool }: Omit<Found, "turn">,
  { counter, excludeTools }: Common,
  limit: number,
): boolean {
  return (
    counter.message(message) > limit &&
    shortenedMark(message) === undefined &&
    isPlainText(message) &&
    excludeTools?.has(tool) !== true
  );
}

function pairOf(message: ToolMessage, content: string, by: Shortening, counter: TokenCounter): Pair {
  return [message, shortenedResult(message, content, markOf(message, by, counter))];
}

/** What was shortened twice keeps the count of the original. */
function markOf(message: BaseMessage, by: Shortening, counter: TokenCounter) {
  return { by, tokens: shortenedMark(message)?.tokens ?? counter.message(message) };
}

/** What can be shown instead, and what that saves. */
interface Saving {
  readonly pairs: Pair[];
  savedTokens: number;
}

const noSaving = (): Saving => ({ pairs: [], savedTokens: 0 });

function save(saving: Saving, pair: Pair, counter: TokenCounter): void {
  saving.savedTokens += counter.message(pair[0]) - counter.message(pair[1]);
  saving.pairs.push(pair);
}

function enough(
  { pairs, savedTokens }: Saving,
  saveAtLeast: number,
  messages: readonly BaseMessage[],
): Shortened {
  if (savedTokens < Math.max(1, saveAtLeast)) return NOTHING;
  const newest = messages.at(-1)?.id;
  return { replace: pairs.map(([, after]) => shortenedNow(after, newest)), savedTokens };
}

const NOTHING: Shortened = { replace: [], savedTokens: 0 };
