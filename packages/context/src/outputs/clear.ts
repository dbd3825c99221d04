import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { reading } from "../messages/given.ts";
import { atLeast, checkRule, counting, remembering, text, yesOrNo, type Check } from "../check-rule.ts";
import { Findings, inStep } from "../messages/follow.ts";
import { toolCallsOf } from "../messages/kinds.ts";
import type { TokenCounter } from "../tokens/counter.ts";
import { shortenedMark, shortenedReply, shortenedResult } from "./mark.ts";
import { followResults, type Found } from "./results.ts";
import {
  add,
  enough,
  markOf,
  NOTHING,
  type ClearedReply,
  type Common,
  type Shortened,
  type Step,
} from "./steps.ts";

/** Which results are cleared, and when. */
export interface ClearingRule extends Common {
  /** How many of the newest results stay, excluded ones counted. */
  readonly keep: { readonly messages: number } | { readonly tokens: number };
  /** What stands in the place of a result. */
  readonly placeholder: string;
  /** Whether the arguments of the calls go too. */
  readonly clearToolInputs: boolean;
  /** Tokens; where fewer would be saved nothing is done, so that the prompt's prefix changes seldom. */
  readonly saveAtLeast: number;
}

const CLEARING = {
  keep: (value: unknown): string | undefined => {
    const { messages, tokens } = (value ?? {}) as { messages?: unknown; tokens?: unknown };
    const isOne = (messages === undefined) !== (tokens === undefined);
    return isOne && amount(messages ?? tokens) === undefined ? undefined : KEPT;
  },
  placeholder: text,
  clearToolInputs: yesOrNo,
  saveAtLeast: atLeast(0),
  counter: counting,
  excludeTools: remembering,
} satisfies Record<keyof ClearingRule, Check>;
const KEPT = "{messages} or {tokens}, a number of at least 0";
const amount = atLeast(0);

/**
 * Puts a placeholder in place of all but the newest results (C13).
 *
 * @throws GraphError INVALID_CONFIGURATION for a rule that can't be followed; INVALID_MESSAGE for what is no
 *   list of messages
 *
 * @example
 * const rule = { keep: { messages: 3 }, placeholder: "[cleared]", clearToolInputs: false, saveAtLeast: 0 };
 * const { replace } = planClearing(messages, { ...rule, counter: createTokenCounter() });
 */
export function planClearing(messages: readonly BaseMessage[], rule: ClearingRule): Shortened {
  checkRule<ClearingRule>("planClearing", rule, CLEARING);
  const { counter, excludeTools, clearToolInputs, keep } = rule;
  const { found } = reading("planClearing", messages, () => followResults(counter, messages));
  const [by, size] = "messages" in keep ? ["messages", keep.messages] : ["tokens", keep.tokens];
  const of = [by, size, clearToolInputs, rule.placeholder, ...(excludeTools ?? [])];
  const { steps, sums, most } = clearings.of(found, ...of);
  inStep(steps, found);
  const end =
    "messages" in keep
      ? Math.ceil(found.length - keep.messages)
      : endOfOld(found, sums, steps.length, keep.tokens, counter);
  steps.length = Math.min(steps.length, Math.max(0, end));
  // most turns only wait: messages are made when they may save enough
  if (mostSaved(most, found, steps, end, rule) < rule.saveAtLeast) return NOTHING;
  for (let at = steps.length; at < end; at++) {
    const result = found[at] as Found;
    const stays = isKept(result, rule);
    const reply = stays || !clearToolInputs ? undefined : withoutInput(steps, result, counter);
    add(steps, result, stays ? undefined : cleared(result.message, rule), counter, reply);
  }
  return enough(steps, rule.saveAtLeast, messages);
}

interface Clearing {
  readonly steps: Step[];
  readonly sums: Sum[];
  /** What the results up to each, and the arguments that go with them, have in all. */
  readonly most: Sum[];
}

const clearings = new Findings<Clearing>(() => ({ steps: [], sums: [], most: [] }));

/** Tokens that can't be exceeded by what clearing the results before `end` saves. */
function mostSaved(
  most: Sum[],
  found: readonly Found[],
  steps: readonly Step[],
  end: number,
  rule: ClearingRule,
): number {
  const { counter, clearToolInputs } = rule;
  sumUp(most, found, end, (of) => {
    if (isKept(of, rule)) return 0;
    return counter.message(of.message) + (clearToolInputs ? counter.message(of.reply) : 0);
  });
  const before = most[steps.length - 1]?.tokens ?? 0;
  return (steps.at(-1)?.savedTokens ?? 0) + (most[end - 1]?.tokens ?? before) - before;
}

const isKept = ({ tool, message }: Found, { excludeTools }: ClearingRule): boolean =>
  excludeTools?.has(tool) === true || isCleared(message);

/** Tokens that are counted for a result and for all before it. */
interface Sum {
  readonly of: Found;
  readonly tokens: number;
}

/** Brings sums in step with the results, up to one of them. */
function sumUp(sums: Sum[], found: readonly Found[], end: number, tokensOf: (of: Found) => number): void {
  inStep(sums, found);
  for (let at = sums.length; at < end; at++) {
    const of = found[at] as Found;
    sums.push({ of, tokens: (sums.at(-1)?.tokens ?? 0) + tokensOf(of) });
  }
}

const isCleared = (message: ToolMessage): boolean => shortenedMark(message)?.by === "cleared";

function cleared(message: ToolMessage, { placeholder, counter }: ClearingRule): ToolMessage {
  const after = shortenedResult(message, placeholder, markOf(message, "cleared", counter));
  const context_editing = { cleared: true, strategy: "clear_tool_uses" };
  after.response_metadata = Object.assign({}, after.response_metadata, { context_editing });
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
  sumUp(sums, found, found.length, ({ message }) => counter.message(message));
  const all = sums.at(-1)?.tokens ?? 0;
  const fits = (end: number): boolean => all - (sums[end - 1]?.tokens ?? 0) <= keep;
  let end = near;
  while (end > 0 && fits(end - 1)) end--;
  while (end < found.length && !fits(end)) end++;
  return end;
}

function withoutInput(steps: readonly Step[], result: Found, counter: TokenCounter): ClearedReply {
  const { reply, call } = result;
  const before = lastOfReply(steps, result);
  const calls = new Set(before?.calls).add(call);
  const tool_calls = toolCallsOf(reply).map((one) => (calls.has(one) ? { ...one, args: {} } : one));
  const content = contentWithout(reply.content, calls);
  const response_metadata = metadataWithout(reply, calls);
  const change = { content, tool_calls, response_metadata };
  const shown = shortenedReply(reply, change, markOf(reply, "cleared", counter));
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

/** What tells how the content is to be read stays, OpenAI's copy of it and what was counted go. */
function metadataWithout({ response_metadata }: AIMessage, calls: ReadonlySet<ToolCall>) {
  const {
    output: _output,
    usage: _usage,
    tokenUsage: _tokenUsage,
    context_editing: edited,
    ...kept
  } = (response_metadata ?? {}) as Metadata;
  // noted as LangChain's edit notes it
  const before = Array.isArray(edited?.cleared_tool_inputs) ? edited.cleared_tool_inputs : [];
  const ids = new Set([...before, ...[...calls].map(({ id }) => id)]);
  return { ...kept, context_editing: { ...edited, cleared_tool_inputs: [...ids].toSorted() } };
}

interface Metadata {
  readonly [key: string]: unknown;
  readonly context_editing?: { readonly cleared_tool_inputs?: readonly unknown[] } | null;
}

/** Blocks of calls in the content are a provider's copy of the arguments. */
function contentWithout(content: AIMessage["content"], calls: ReadonlySet<ToolCall>): AIMessage["content"] {
  if (!Array.isArray(content)) return content;
  const ids = new Set([...calls].map(({ id }) => id));
  return content.map((block) => {
    // blocks of older stores may be texts, or nothing
    if (typeof block !== "object" || block === null || !ids.has(block["id"] as string)) return block;
    if (block.type === "tool_use") return { ...block, input: {} };
    return block.type === "tool_call" ? { ...block, args: {} } : block;
  }) as AIMessage["content"];
}
