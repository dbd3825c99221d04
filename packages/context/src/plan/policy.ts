import { requireKnownOptions, shown, type OptionKind } from "@skein/errors";
import { createTokenCounter, type TokenCounter } from "../tokens/counter.ts";
import { frameOverhead } from "../summary/frame.ts";
import { checkShares, type BudgetShares, type CheckedShares } from "./budget.ts";
import { invalidConfiguration, requireFraction, requirePositive, requireWhole } from "./check.ts";
import { checkKeep, type Keep } from "./keep.ts";
import { lowerMark } from "./lower-mark.ts";
import { alternativesOf, type Alternative, type Trigger } from "./trigger.ts";
import { checkWatermarks, lowestTokenTrigger } from "./watermarks.ts";

/** A number of tokens of the whole prompt, or a share (0-1) of the model's window. */
export type TokenLimit = { readonly tokens: number } | { readonly fraction: number };

/** When a context is compacted, and what then stays of it. */
export interface CompactionOptions {
  /** When to compact (upper watermark). */
  readonly trigger: Trigger;
  /** What stays. With `target` it is the least that should stay. Default: the last 20 messages. */
  readonly keep?: Keep;
  /**
   * Low watermark: compact until the prompt, new summary included, is below it, and keep as many of
   * the newest messages as that allows. Default: none, `keep` decides; half of a trigger or of a
   * maximum in tokens is then a limit, so that neither fires again at once.
   */
  readonly target?: TokenLimit;
  /** Hard maximum of the prompt. It fires by itself and goes before `keep`. Default: none. */
  readonly max?: TokenLimit;
  /** Tokens of the model's window, for fractions. Default: 128,000. */
  readonly window?: number;
  /** Most tokens that a summary may have. Default: a quarter of `target`, or 1,000 without one. */
  readonly summaryTokens?: number;
  /**
   * How the window is divided between system prompt, summary and messages. They are hard limits: one
   * that is exceeded fires by itself. Default: none; `{}` is 0.6, 0.26 and 0.65.
   */
  readonly budgets?: BudgetShares;
  /** No trigger fires at so many messages or fewer; a maximum and budgets do. Default: 0. */
  readonly startAbove?: number;
  /** Leading system messages of the conversation stay for ever. Default: true. */
  readonly preserveSystem?: boolean;
  /** Whether old messages go under a summary; otherwise they are left out, and that is reported. Default: true. */
  readonly summarize?: boolean;
  /**
   * Prepares the summary before it is needed, beside the run, from `start` on. Default: false; `true`:
   * from the target on, or without one from three quarters of the trigger.
   */
  readonly background?: boolean | { readonly start: Trigger };
  /** Tries of the summarizer per turn, then it rests for `cooldown`. Default: 3. */
  readonly tries?: number;
  /** Milliseconds that the summarizer rests after its last try. Default: 60,000. */
  readonly cooldown?: number;
  /** Default: the estimate. */
  readonly counter?: TokenCounter;
  /** Whether the tokens that a provider reported with its last answer go before our own count. Default: true. */
  readonly usage?: boolean;
  /** Milliseconds since 1970. Default: `Date.now`; inject one for deterministic replays. */
  readonly now?: () => number;
}

/** Checked options with every default filled in and limits in tokens. */
export interface CompactionPolicy {
  readonly alternatives: readonly Alternative[];
  readonly keep: Keep;
  /** Tokens. */
  readonly target: number | undefined;
  /** Most tokens after a compaction: the target, or what a trigger or a maximum in tokens implies. */
  readonly ceiling: number;
  /** Tokens; infinite where there is no maximum. */
  readonly max: number;
  /** Tokens. */
  readonly window: number;
  readonly summaryTokens: number;
  readonly budgets: CheckedShares | undefined;
  readonly startAbove: number;
  readonly preserveSystem: boolean;
  readonly summarize: boolean;
  /** When a summary is prepared in the background; undefined for never. */
  readonly start: readonly Alternative[] | undefined;
  readonly tries: number;
  /** Milliseconds. */
  readonly cooldown: number;
  readonly counter: TokenCounter;
  readonly usage: boolean;
  /** Whether some condition needs the age, which costs a search. */
  readonly looksAtAge: boolean;
  readonly now: () => number;
}

/** Tokens of the window of a model that nobody said anything of. */
export const DEFAULT_WINDOW = 128_000;
const DEFAULT_KEEP: Keep = { messages: 20 };
const DEFAULT_SUMMARY_TOKENS = 1_000;
const SMALLEST_SUMMARY = 32;

/** The name of every option of {@link compactionPolicy}. */
export const COMPACTION_OPTIONS: Readonly<Record<keyof CompactionOptions, OptionKind>> = {
  trigger: "any",
  keep: "object",
  target: "object",
  max: "object",
  window: "number",
  summaryTokens: "number",
  budgets: "object",
  startAbove: "number",
  preserveSystem: "boolean",
  summarize: "boolean",
  background: "any",
  tries: "number",
  cooldown: "number",
  counter: "object",
  usage: "boolean",
  now: "function",
};

/**
 * Checks the options of a compaction once, so that planning need not.
 *
 * @throws GraphError INVALID_CONFIGURATION if a figure is impossible or if the configuration can
 * never work: a trigger at or below its target, a trigger that fires when nothing is older than what
 * is kept, a maximum below the trigger or the target, a target that a summary alone fills
 *
 * @example
 * const policy = compactionPolicy({ trigger: { messages: 30 }, keep: { messages: 20 } });
 */
export function compactionPolicy(options: CompactionOptions): CompactionPolicy {
  requireKnownOptions("compactionPolicy", options, COMPACTION_OPTIONS);
  const window = options.window ?? DEFAULT_WINDOW;
  requireWhole("window", window);
  const alternatives = alternativesOf(options.trigger);
  const keep = options.keep ?? DEFAULT_KEEP;
  checkKeep(keep);
  const budgets = options.budgets && checkShares(options.budgets);
  const target = limit("target", options.target, window);
  const max = Math.min(
    limit("max", options.max, window) ?? Number.POSITIVE_INFINITY,
    budgets === undefined ? Number.POSITIVE_INFINITY : Math.floor(budgets.use * window),
  );
  const fires = lowestTokenTrigger(alternatives, window);
  const ceiling = target ?? Math.floor(Math.min(fires, max) / 2);
  const summarize = options.summarize ?? true;
  const tries = options.tries ?? 3;
  const cooldown = options.cooldown ?? 60_000;
  const startAbove = options.startAbove ?? 0;
  requireWhole("tries", tries);
  if (startAbove !== 0) requireWhole("startAbove", startAbove);
  if (cooldown !== 0) requirePositive("cooldown", cooldown);
  const counter = options.counter ?? createTokenCounter();
  if (typeof (counter as Partial<TokenCounter>).totals !== "function") {
    throw invalidConfiguration("counter must be what createTokenCounter returns");
  }
  checkWatermarks(alternatives, keep, { target, max, fires, window });
  return {
    alternatives,
    keep,
    target,
    ceiling,
    max,
    window,
    summaryTokens: summarize ? summaryTokensOf(options, ceiling, counter) : 0,
    budgets,
    startAbove,
    preserveSystem: options.preserveSystem ?? true,
    summarize,
    start: startOf(options, alternatives, target),
    tries,
    cooldown,
    counter,
    usage: options.usage ?? true,
    looksAtAge: alternatives.some(
      ({ condition, predicates }) => condition.age !== undefined || predicates.length > 0,
    ),
    now: options.now === undefined ? Date.now : checkedClock(options.now),
  };
}

/** What such a clock dates would be refused when it is stored, and the run with it. */
function checkedClock(now: () => number): () => number {
  return () => {
    const time = now();
    if (Number.isFinite(time)) return time;
    throw invalidConfiguration(`now must return milliseconds since 1970, not ${shown(time)}`, {
      name: "now",
    });
  };
}

function summaryTokensOf(options: CompactionOptions, ceiling: number, counter: TokenCounter): number {
  const summaryTokens =
    options.summaryTokens ??
    (Number.isFinite(ceiling) ? Math.max(SMALLEST_SUMMARY, Math.floor(ceiling / 4)) : DEFAULT_SUMMARY_TOKENS);
  requireWhole("summaryTokens", summaryTokens);
  if (ceiling > summaryTokens + frameOverhead(counter)) return summaryTokens;
  throw invalidConfiguration(
    `a summary of up to ${summaryTokens} tokens and its frame fill the ${ceiling} tokens that a compaction ` +
      "may leave; raise the trigger or the target, or lower summaryTokens",
    { summaryTokens, ceiling },
  );
}

function startOf(
  { background = false, summarize = true }: CompactionOptions,
  alternatives: readonly Alternative[],
  target: number | undefined,
): readonly Alternative[] | undefined {
  if (background === false) return undefined;
  if (background !== true) requireKnownOptions("background", background, { start: "any" });
  if (!summarize) throw invalidConfiguration("background prepares a summary, and summarize is false");
  return background === true ? lowerMark(alternatives, target) : alternativesOf(background.start);
}

function limit(name: string, value: TokenLimit | undefined, window: number): number | undefined {
  if (value === undefined) return undefined;
  if ("tokens" in value) {
    requirePositive(`${name}.tokens`, value.tokens);
    return value.tokens;
  }
  requireFraction(`${name}.fraction`, value.fraction);
  return Math.floor(value.fraction * window);
}
