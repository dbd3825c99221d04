import type { BaseMessage } from "@langchain/core/messages";
import {
  COMPACTION_OPTIONS,
  compactionPolicy,
  createTokenCounter,
  extractiveSummarizer,
  loadTiktoken,
  promptSummarizer,
  type CompactionOptions,
  type CompactionPolicy,
  type Summarizer,
  type TokenCounter,
} from "@skein/context";
import { modelWindow, type AgentPrompt } from "@skein/agent";
import { LONGEST_TIMER, type OptionKind, shown } from "@skein/errors";
import { invalidOption, requireAmount, requireChoice, requireModel, requireWhole } from "../shared/checks.ts";
import { fixedTokens } from "../shared/fixed-tokens.ts";
import { loadedOnce } from "../shared/loaded-once.ts";
import type { CompactionEvent } from "./events.ts";
import { askModel, type SummaryModel } from "./model.ts";
import type { Placement } from "./placement.ts";
import type { RestoreOption } from "../shared/restoring.ts";

const PLACEMENTS: readonly Placement[] = ["system", "prompt", "user"];

/** Counts a list of messages, as LangChain's middleware takes it. It is called with one message at a time. */
export type CountMessages = (messages: BaseMessage[]) => number;

/** What `summarizationMiddleware` and `summarizationNode` take. Figures and defaults: {@link CompactionOptions}. */
export interface SummarizationOptions extends Omit<CompactionOptions, "counter" | "window"> {
  /**
   * The chat model that writes summaries, or its name, such as `"openai:gpt-5-mini"`, which needs the package
   * `langchain`. Default: none; then `summarizer` is needed, unless `summarize` is false.
   */
  readonly model?: string | SummaryModel;
  /** `"extractive"`, which needs no model, or a function of your own. Default: the `model`. */
  readonly summarizer?: "extractive" | Summarizer;
  /** What steps in when `model` or your function failed for good. Default: `"none"`: messages stay as they are. */
  readonly fallback?: "extractive" | "none";
  /**
   * Default: `"estimate"`. `"tiktoken"` loads js-tiktoken at the first use. `"actual"`: what the
   * provider reports, and the estimate, calibrated by those reports, for what is new.
   */
  readonly tokenCounter?: "estimate" | "tiktoken" | "actual" | TokenCounter | CountMessages;
  /** Tokens of the model's window, for fractions. Default: what the model's profile says, else 128,000. */
  readonly window?: number;
  /** Prompt for the `model`, which must be given, with `{messages}`, `{previous}` and `{maxTokens}`. Default: `DEFAULT_SUMMARY_PROMPT`. */
  readonly summaryPrompt?: string;
  /** Most tokens of one prompt to the `model`, which must be given; more is summarized in chunks. Default: 0.8 of the window. */
  readonly maxInputTokens?: number;
  /** Milliseconds that one try may take. Default: 60,000. */
  readonly timeout?: number;
  /** Where the model reads the summary. Default: `"system"`. */
  readonly placement?: Placement;
  /**
   * Tokens of system prompt and tool schemas. Default: `createAgent` tells what it sends and it is
   * counted; elsewhere they go uncounted until a provider reports usage.
   */
  readonly fixedTokens?: number;
  /** Gets every event; what it throws or rejects with is reported and goes no further. Default: nobody. */
  readonly onEvent?: (event: CompactionEvent) => unknown;
}

/** What the middleware takes beside that. */
export interface SummarizationMiddlewareOptions extends SummarizationOptions, RestoreOption {}

const { counter: _counter, ...ofPlanner } = COMPACTION_OPTIONS;

/** The name of every option of the node. */
export const SUMMARIZATION_OPTIONS: Readonly<Record<keyof SummarizationOptions, OptionKind>> = {
  ...ofPlanner,
  model: "any",
  summarizer: "any",
  fallback: "text",
  tokenCounter: "any",
  summaryPrompt: "text",
  maxInputTokens: "number",
  timeout: "number",
  placement: "text",
  fixedTokens: "number",
  onEvent: "function",
};

/** What of the options decides how a context looks, and not only when or by whom it is made. */
export function configurationOf(options: SummarizationOptions): Record<string, unknown> {
  const { trigger, keep, target, max, budgets, startAbove, preserveSystem, summarize } = options;
  const { summaryTokens, summaryPrompt, placement, fixedTokens, tokenCounter } = options;
  return {
    trigger,
    keep,
    target,
    max,
    budgets,
    startAbove,
    preserveSystem,
    summarize,
    summaryTokens,
    summaryPrompt,
    placement,
    fixedTokens,
    tokenCounter: typeof tokenCounter === "string" ? tokenCounter : typeof tokenCounter,
    window: options.window ?? modelWindow(options.model),
  };
}

/** Options checked, with everything that a compaction needs. */
export interface Setup {
  readonly policy: CompactionPolicy;
  readonly summarize: Summarizer;
  /** `model`, `extractive` or `custom`. */
  readonly by: string;
  readonly fallback: Summarizer | undefined;
  readonly timeout: number;
  readonly placement: Placement;
  /** Tokens of what the agent sends beside the messages; undefined where nobody knows. */
  readonly fixedTokens: (prompt: AgentPrompt | undefined) => number | undefined;
  readonly onEvent: SummarizationOptions["onEvent"];
}

/**
 * Checks options. Only a tokenizer has to be loaded, so this gives a function that does it once.
 *
 * @throws GraphError INVALID_CONFIGURATION
 */
export function setupOf(options: SummarizationOptions): () => Setup | Promise<Setup> {
  const sources = [options.model, options.summarizer].filter((source) => source !== undefined);
  if (sources.length > 1 || (sources.length === 0 && options.summarize !== false)) {
    throw invalidOption(
      'Summarization needs either a `model` or a `summarizer`; `summarizer: "extractive"` works without a model, `summarize: false` without summaries.',
    );
  }
  const { tokenCounter = "estimate", placement = "system", fallback = "none" } = options;
  requireChoice("placement", placement, PLACEMENTS);
  requireChoice("fallback", fallback, ["extractive", "none"]);
  requireWhole("maxInputTokens", options.maxInputTokens, 1);
  requireAmount("fixedTokens", options.fixedTokens ?? 0);
  requireWriters(options);
  requireAsked(options);
  // The estimate stands in for js-tiktoken here, so that a wrong configuration fails at once.
  const now = build(options, counterOf(tokenCounter === "tiktoken" ? "estimate" : tokenCounter));
  if (tokenCounter !== "tiktoken") return () => now;
  return loadedOnce(async () => build(options, createTokenCounter({ tokenizer: await loadTiktoken() })));
}

/** A name that is misspelt must not become a summarizer of another kind. */
function requireWriters({ model, summarizer }: SummarizationOptions): void {
  if (summarizer !== undefined && summarizer !== "extractive" && typeof summarizer !== "function") {
    throw invalidOption(`summarizer must be "extractive" or a function, not ${shown(summarizer)}.`);
  }
  requireModel("model", model);
}

/** Only a model is asked with a prompt: what is set of it would be passed over. */
function requireAsked(options: SummarizationOptions): void {
  if (options.model !== undefined) return;
  for (const name of ["summaryPrompt", "maxInputTokens"] as const) {
    if (options[name] === undefined) continue;
    throw invalidOption(
      `${name} is for summaries that a model writes, and there is no \`model\`. Give one, or leave ${name} out.`,
    );
  }
}

function counterOf(given: "estimate" | "actual" | TokenCounter | CountMessages): TokenCounter {
  if (given === "estimate" || given === "actual") return createTokenCounter();
  if (typeof (given as Partial<TokenCounter> | null)?.totals === "function") return given as TokenCounter;
  if (typeof given !== "function") {
    throw invalidOption(
      `tokenCounter must be "estimate", "tiktoken", "actual", a TokenCounter or a function, not ${shown(given)}.`,
    );
  }
  return createTokenCounter({ countMessage: (message) => given([message]) });
}

function build(options: SummarizationOptions, counter: TokenCounter): Setup {
  const { fallback = "none", timeout = 60_000 } = options;
  const window = options.window ?? modelWindow(options.model);
  const policy = compactionPolicy({
    ...compactionOptions(options),
    counter,
    ...(window === undefined ? {} : { window }),
    ...(options.tokenCounter === "actual" ? { usage: true } : {}),
  });
  if (!(timeout > 0 && timeout <= LONGEST_TIMER)) {
    throw invalidOption(`timeout must be above 0 and at most ${LONGEST_TIMER} milliseconds, not ${timeout}.`);
  }
  const extractive = extractiveSummarizer(counter);
  const writer = writerOf(options, counter, policy.window) ?? { summarize: extractive, by: "extractive" };
  return {
    policy,
    ...writer,
    fallback: fallback === "extractive" && writer.by !== "extractive" ? extractive : undefined,
    timeout,
    placement: options.placement ?? "system",
    fixedTokens: (prompt) => options.fixedTokens ?? (prompt && fixedTokens(prompt, counter)),
    onEvent: options.onEvent,
  };
}

/** Who writes summaries; undefined where the extractive summarizer does. */
function writerOf(
  { model, summarizer, summaryPrompt, ...options }: SummarizationOptions,
  counter: TokenCounter,
  window: number,
): Pick<Setup, "summarize" | "by"> | undefined {
  if (model !== undefined) {
    const { maxInputTokens = Math.floor(window * 0.8) } = options;
    const ask = askModel(model);
    return {
      summarize: promptSummarizer({ ask, counter, maxInputTokens, prompt: summaryPrompt }),
      by: "model",
    };
  }
  return typeof summarizer === "function" ? { summarize: summarizer, by: "custom" } : undefined;
}

/** What of the options the planner takes. */
function compactionOptions(options: SummarizationOptions): CompactionOptions {
  const taken = Object.entries(options).filter(([name]) => Object.hasOwn(COMPACTION_OPTIONS, name));
  return Object.fromEntries(taken) as unknown as CompactionOptions;
}
