import type { BaseMessage } from "@langchain/core/messages";
import {
  checkSummary,
  countOrphans,
  coverage,
  extractiveSummarizer,
  frameSummary,
  nextSummary,
  planCompaction,
  repair,
  structureOf,
  type CompactionPolicy,
  type RollingSummary,
} from "../src/index.ts";

export interface Driven {
  /** Per model call: the prompt's messages, as text. */
  readonly prompts: string[][];
  /** Model calls before which the context was compacted. */
  readonly compactedAt: ReadonlySet<number>;
  readonly lost: string[];
  /** Results in the context whose call a compaction cut off, and calls whose result it cut off. */
  readonly orphansMade: string[];
  readonly invalidPrompts: number;
  readonly notSmaller: number;
  readonly compactions: number;
  readonly summary: RollingSummary | undefined;
  /** Largest prompt in tokens. */
  readonly largest: number;
}

/**
 * Lets a thread grow message by message, as a graph would: before each assistant message and at the end of
 * each turn (where a model would be called) the context may be compacted. After every step all of the history must be in
 * the context or covered.
 */
export function drive(messages: readonly BaseMessage[], policy: CompactionPolicy): Driven {
  const { counter } = policy;
  const summarize = extractiveSummarizer(counter);
  const covered = new Set<string>();
  const prompts: string[][] = [];
  const compactedAt = new Set<number>();
  const lost: string[] = [];
  const orphansMade: string[] = [];
  let context: BaseMessage[] = [];
  let summary: RollingSummary | undefined;
  let invalidPrompts = 0;
  let notSmaller = 0;
  let largest = 0;
  for (let at = 0; at <= messages.length; at++) {
    const next = messages[at];
    if (next === undefined || next.type === "ai" || next.type === "human") {
      const plan = planCompaction(context, { summary }, policy);
      if (plan.action === "compact") {
        const text = summarize({
          messages: plan.summarize,
          previous: summary?.text,
          maxTokens: plan.summaryTokens,
        });
        const tokens = counter.text(text);
        const limits = { replaced: plan.replacedTokens, longest: plan.longestSummary };
        if (checkSummary(text, tokens, limits) !== undefined) notSmaller++;
        else {
          orphansMade.push(...cutChains(context, plan.keep));
          for (const message of plan.summarize) covered.add(message.id as string);
          summary = nextSummary(summary, {
            text,
            tokens,
            covered: plan.summarize,
            originalTokens: counter.totals(plan.summarize).tokens,
            coveredUntil: plan.keep[0]?.id ?? null,
            madeAfter: context.at(-1)?.id ?? null,
            now: policy.now(),
            by: "extractive",
          });
          context = [...plan.head, frameSummary(summary), ...plan.keep];
          compactedAt.add(prompts.length);
        }
      }
      const prompt = repair(context).messages;
      if (countOrphans(prompt) > 0) invalidPrompts++;
      largest = Math.max(largest, counter.messages(prompt));
      prompts.push(
        prompt.map((message) => `${message.id} ${message.type} ${JSON.stringify(message.content)}`),
      );
      lost.push(...coverage({ history: messages.slice(0, at), window: context, covered }).lost);
    }
    if (next !== undefined) context = [...context, next];
  }
  return {
    prompts,
    compactedAt,
    lost,
    orphansMade,
    invalidPrompts,
    notSmaller,
    compactions: compactedAt.size,
    summary,
    largest,
  };
}

/** Chains of the context of which a part stays and a part goes. */
function cutChains(context: readonly BaseMessage[], keep: readonly BaseMessage[]): string[] {
  const kept = new Set(keep);
  return structureOf(context)
    .chains.filter(({ index, results }) => {
      const parts = [index, ...results.filter((at) => at !== undefined)];
      return new Set(parts.map((at) => kept.has(context[at] as BaseMessage))).size > 1;
    })
    .map(({ index }) => context[index]?.id as string);
}
