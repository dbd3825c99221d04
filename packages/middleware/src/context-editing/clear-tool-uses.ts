import type { BaseMessage } from "@langchain/core/messages";
import { planClearing, type ClearingRule, type Shortened, type TokenCounter } from "@skein/context";
import { requireKnownOptions, type OptionKind, shown } from "@skein/errors";
import { invalidOption, requireAmount, requireWhole } from "../shared/checks.ts";

/** A size of the context; with several members all must be reached. */
export interface ContextSize {
  readonly tokens?: number;
  readonly messages?: number;
  /** Of the model's window. */
  readonly fraction?: number;
}

/** What an edit may go by. */
export interface ContextEditScope {
  readonly counter: TokenCounter;
  /** Tokens of the whole prompt, as far as they are known. */
  readonly tokens: number;
  /** Tokens of the model's window. */
  readonly window: number;
}

/** Says what the context is to show instead of some of its messages; nothing if it is to stay. */
export interface ContextEdit {
  plan(messages: readonly BaseMessage[], scope: ContextEditScope): Shortened;
}

export interface ClearToolUsesEditOptions {
  /** When to clear; of several sizes any. Default: `{tokens: 100_000}`. */
  readonly trigger?: ContextSize | readonly ContextSize[];
  /** Which of the newest results stay: by number, tokens, or tokens as a fraction of the window. Default: `{messages: 3}`. */
  readonly keep?: { readonly messages: number } | { readonly tokens: number } | { readonly fraction: number };
  /** Whether the arguments of cleared calls go too. Default: false. */
  readonly clearToolInputs?: boolean;
  /** Tools whose results are never cleared. Default: none. */
  readonly excludeTools?: readonly string[];
  /** What stands in a cleared result. Default: "[cleared]". */
  readonly placeholder?: string;
  /** Tokens that clearing must save; until then it waits. Default: 1,000. */
  readonly saveAtLeast?: number;
}

const OPTIONS: Readonly<Record<keyof ClearToolUsesEditOptions, OptionKind>> = {
  trigger: "any",
  keep: "object",
  clearToolInputs: "boolean",
  excludeTools: "texts",
  placeholder: "text",
  saveAtLeast: "number",
};

/**
 * Clears the results of old tool calls when the context grows too large. Options and defaults are
 * LangChain's; `saveAtLeast` is ours.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * new ClearToolUsesEdit({ trigger: { tokens: 50_000 }, keep: { messages: 5 }, excludeTools: ["read_policy"] });
 */
export class ClearToolUsesEdit implements ContextEdit {
  readonly trigger: readonly ContextSize[];
  readonly keep: NonNullable<ClearToolUsesEditOptions["keep"]>;
  readonly clearToolInputs: boolean;
  readonly excludeTools: ReadonlySet<string>;
  readonly placeholder: string;
  readonly saveAtLeast: number;
  #rule: { readonly window: number; readonly rule: ClearingRule } | undefined;

  constructor(options: ClearToolUsesEditOptions = {}) {
    requireKnownOptions("ClearToolUsesEdit", options, OPTIONS);
    const { trigger = { tokens: 100_000 }, keep = { messages: 3 }, saveAtLeast = 1_000 } = options;
    this.trigger = Array.isArray(trigger) ? (trigger as readonly ContextSize[]) : [trigger as ContextSize];
    if (this.trigger.length === 0) throw invalidOption("trigger is an empty list: it would never clear.");
    this.trigger.forEach(requireSize);
    requireKeep(keep);
    requireWhole("saveAtLeast", saveAtLeast, 0);
    this.keep = keep;
    this.clearToolInputs = options.clearToolInputs ?? false;
    this.excludeTools = new Set(options.excludeTools);
    this.placeholder = options.placeholder ?? "[cleared]";
    this.saveAtLeast = saveAtLeast;
  }

  plan(messages: readonly BaseMessage[], scope: ContextEditScope): Shortened {
    requireScope(messages, scope);
    const { counter, tokens, window } = scope;
    const isReached = (size: ContextSize): boolean =>
      messages.length >= (size.messages ?? 0) &&
      tokens >= (size.tokens ?? 0) &&
      tokens >= (size.fraction ?? 0) * window;
    if (!this.trigger.some(isReached)) return { replace: [], savedTokens: 0 };
    return planClearing(messages, this.#ruleFor(counter, window));
  }

  /** Frozen, so that it is checked once and not on every turn. */
  #ruleFor(counter: TokenCounter, window: number): ClearingRule {
    const known = this.#rule;
    if (known?.window === window && known.rule.counter === counter) return known.rule;
    const { clearToolInputs, excludeTools, placeholder, saveAtLeast } = this;
    const keep = "fraction" in this.keep ? { tokens: this.keep.fraction * window } : this.keep;
    const rule = { counter, keep, clearToolInputs, excludeTools, placeholder, saveAtLeast };
    this.#rule = { window, rule: Object.freeze(rule) };
    return rule;
  }
}

const SIZES = { messages: "number", tokens: "number", fraction: "number" } as const;

function requireSize(size: ContextSize): void {
  requireKnownOptions("trigger", size, SIZES);
  requireWhole("trigger.messages", size.messages, 1);
  requireWhole("trigger.tokens", size.tokens, 1);
  if (size.fraction !== undefined) requireFraction("trigger.fraction", size.fraction);
  if (size.messages === undefined && size.tokens === undefined && size.fraction === undefined) {
    throw invalidOption("trigger must name messages, tokens or fraction.");
  }
}

function requireKeep(keep: ClearToolUsesEdit["keep"]): void {
  requireKnownOptions<ContextSize>("keep", keep, SIZES);
  const named = Object.entries(keep).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (named.length > 1) throw invalidOption(`keep must name one size, not ${named.join(" and ")}.`);
  if ("messages" in keep) requireWhole("keep.messages", keep.messages, 0);
  else if ("tokens" in keep) requireAmount("keep.tokens", keep.tokens);
  else if ("fraction" in keep) requireFraction("keep.fraction", keep.fraction);
  else throw invalidOption("keep must name messages, tokens or fraction.");
}

function requireFraction(option: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value <= 1) return;
  throw invalidOption(`${option} must be above 0 and at most 1, not ${shown(value)}.`);
}

function requireScope(messages: unknown, scope: ContextEditScope): void {
  const { tokens, window } = ((scope as unknown) ?? {}) as Partial<ContextEditScope>;
  if (!Array.isArray(messages)) throw invalidOption(`An edit plans over messages, not ${shown(messages)}.`);
  if (typeof tokens === "number" && typeof window === "number") return;
  throw invalidOption(`An edit is told {counter, tokens, window}, not ${shown(scope)}.`);
}
