import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { reading } from "../messages/given.ts";
import { atLeast, checkRule, counting, invalidMember, remembering } from "../check-rule.ts";
import { Findings, inStep } from "../messages/follow.ts";
import { isRecallOutput } from "../messages/kinds.ts";
import { textOf } from "../messages/text.ts";
import { compressOutput } from "./compress.ts";
import { shortenedMark, shortenedResult } from "./mark.ts";
import { followResults, isPlainText, type Found } from "./results.ts";
import { add, enough, markOf, type Common, type Shortened, type Step } from "./steps.ts";
import { endsOf } from "./text.ts";

/** Which results are compressed, and when. */
export interface CompressionRule extends Common {
  /** Results of more tokens are compressed. */
  readonly limit: number;
  /** So many newest turns are left alone. */
  readonly keepTurns: number;
  /** Below this many tokens to save nothing is done, so that the prompt's prefix changes seldom. */
  readonly saveAtLeast: number;
  /**
   * What was compressed while it did not yet save enough; keep it, so that a turn costs what is new.
   * Default: nothing is remembered.
   */
  readonly memo?: WeakMap<BaseMessage, ToolMessage | null>;
}

const COMPRESSION = {
  limit: atLeast(0),
  keepTurns: atLeast(0),
  saveAtLeast: atLeast(0),
  counter: counting,
  excludeTools: remembering,
  memo: remembering,
};

/**
 * Compresses the results of older turns (C12), all at once, when that saves enough. A result is
 * compressed once and stays so.
 *
 * @throws GraphError INVALID_CONFIGURATION for a rule that can't be followed; INVALID_MESSAGE for what is no
 *   list of messages
 *
 * @example
 * planCompression(messages, { limit: 200, keepTurns: 5, saveAtLeast: 2_000, counter: createTokenCounter() });
 */
export function planCompression(messages: readonly BaseMessage[], rule: CompressionRule): Shortened {
  checkRule<CompressionRule>("planCompression", rule, COMPRESSION);
  const { limit, keepTurns, memo, counter } = rule;
  const { found, turns } = reading("planCompression", messages, () => followResults(counter, messages));
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

/** Which results are too large to be shown whole. */
export interface OffloadingRule extends Common {
  /** Results of more tokens are offloaded. */
  readonly limit: number;
  /** Tokens of the result's beginning and end that stay. */
  readonly keep: number;
}

const OFFLOADING = { limit: atLeast(1), keep: atLeast(0), counter: counting, excludeTools: remembering };

/**
 * Puts beginning, end, size and call id in place of each result that is too large, whatever turn it
 * is of, unless it is what somebody recalled. Done before a model has seen the result, it changes no
 * prompt that was sent.
 *
 * @throws GraphError INVALID_CONFIGURATION for a rule that can't be followed, such as one that keeps more
 *   than its limit; INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * const { replace } = planOffloading(messages, { limit: 4_000, keep: 1_000, counter: createTokenCounter() });
 */
export function planOffloading(messages: readonly BaseMessage[], rule: OffloadingRule): Shortened {
  checkRule<OffloadingRule>("planOffloading", rule, OFFLOADING);
  const { counter, limit, keep } = rule;
  if (keep >= limit) throw invalidMember("planOffloading", "keep", `below its limit of ${limit}`, keep);
  const { found } = reading("planOffloading", messages, () => followResults(counter, messages));
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
  return all <= keep
    ? undefined
    : shortenedResult(message, endsOf(text, all, keep, counter, note), markOf(message, "offloaded", counter));
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
