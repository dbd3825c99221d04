import { shown } from "@skein/errors";
import { invalidConfiguration, requireFraction, requirePositive, requireWhole } from "./check.ts";

/** What a trigger looks at, all of one moment. */
export interface Facts {
  /** Messages of the conversation: without leading system messages and without the summary. */
  readonly messages: number;
  /** Tokens of the whole prompt: system prompt, tools, summary, messages and overhead. */
  readonly tokens: number;
  /** `tokens` as a share of the model's window. */
  readonly fraction: number;
  /** Messages that came since the last summary was made; all of them if there is none. */
  readonly newMessages: number;
  /** Their tokens as a multiple of the summary's; infinite if there is no summary. */
  readonly ratio: number;
  /** User messages of the conversation. */
  readonly turns: number;
  /** Milliseconds since the oldest message of the conversation that has a time; 0 if none has. */
  readonly age: number;
  /** Summaries made so far. */
  readonly summaries: number;
}

/**
 * Holds when every figure that it names is reached: `messages`, `tokens`, `newMessages` and `turns`
 * at least, `fraction` (0-1, of the window) at least, `ratio` and `age` (milliseconds) exceeded.
 * `first` restricts it to threads without (true) or with (false) a summary.
 */
export interface Condition {
  readonly messages?: number;
  readonly tokens?: number;
  readonly fraction?: number;
  readonly newMessages?: number;
  readonly ratio?: number;
  readonly turns?: number;
  readonly age?: number;
  readonly first?: boolean;
}

/**
 * When to compact. An object: all its figures; an array or `any`: one of them; `all`: every one; a
 * function: your own predicate.
 *
 * @example
 * { messages: 30 }                                   // at 30 messages
 * [{ tokens: 50_000 }, { messages: 200 }]            // at either
 * { any: [{ messages: 20, first: true }, { newMessages: 10, ratio: 0.5 }] }
 */
export type Trigger =
  | Condition
  | readonly Trigger[]
  | { readonly any: readonly Trigger[] }
  | { readonly all: readonly Trigger[] }
  | ((facts: Facts) => boolean);

/** A trigger as alternatives, each a conjunction: the form in which contradictions can be seen. */
export interface Alternative {
  readonly condition: Condition;
  readonly predicates: readonly ((facts: Facts) => boolean)[];
}

const CHECKS = {
  messages: requireWhole,
  newMessages: requireWhole,
  turns: requireWhole,
  tokens: requirePositive,
  ratio: requirePositive,
  age: requirePositive,
  fraction: requireFraction,
} as const;

/**
 * Checks a trigger and brings it into alternatives.
 * @throws GraphError INVALID_CONFIGURATION for unknown or impossible figures, or none at all
 */
export function alternativesOf(trigger: Trigger): readonly Alternative[] {
  const alternatives = expand(trigger);
  if (alternatives.length === 0) {
    throw invalidConfiguration("trigger names no condition, so it would never fire; give at least one");
  }
  return alternatives;
}

function expand(trigger: Trigger): readonly Alternative[] {
  if (typeof trigger === "function") return [{ condition: {}, predicates: [trigger] }];
  if (isList(trigger)) return trigger.flatMap(expand);
  if (typeof trigger !== "object" || trigger === null) {
    throw invalidConfiguration(`trigger must be an object, an array or a function, not ${String(trigger)}`);
  }
  if ("any" in trigger) return partsOf(trigger, "any").flatMap(expand);
  if ("all" in trigger) {
    const parts = partsOf(trigger, "all");
    if (parts.length === 0) return [];
    return parts.map(expand).reduce((left, right) => left.flatMap((a) => right.map((b) => both(a, b))));
  }
  return [{ condition: checkCondition(trigger), predicates: [] }];
}

/** Figures beside the list would be passed over without a word. */
function partsOf(trigger: object, name: "any" | "all"): readonly Trigger[] {
  const parts: unknown = (trigger as Record<string, unknown>)[name];
  if (!Array.isArray(parts)) throw invalidConfiguration(`trigger.${name} must be a list of triggers`);
  const beside = Object.keys(trigger).find((key) => key !== name);
  if (beside === undefined) return parts as readonly Trigger[];
  throw invalidConfiguration(
    `trigger names "${beside}" beside "${name}"; put it into the list, as a trigger of its own`,
  );
}

function isList(trigger: Trigger): trigger is readonly Trigger[] {
  return Array.isArray(trigger);
}

function checkCondition(condition: Condition): Condition {
  const names = Object.keys(condition).filter((name) => condition[name as keyof Condition] !== undefined);
  for (const name of names) {
    if (name === "first") {
      if (typeof condition.first === "boolean") continue;
      throw invalidConfiguration(`trigger.first must be true or false, not ${shown(condition.first)}`);
    }
    const check = CHECKS[name as keyof typeof CHECKS] as (typeof CHECKS)["messages"] | undefined;
    if (check === undefined) {
      const known = Object.keys(CHECKS).join(", ");
      throw invalidConfiguration(`trigger has no condition "${name}"; there are ${known} and first`);
    }
    check(`trigger.${name}`, condition[name as keyof typeof CHECKS]);
  }
  if (names.every((name) => name === "first")) {
    throw invalidConfiguration("a trigger's condition must name a figure, such as {messages: 30}");
  }
  return condition;
}

/** Both must hold, so of one figure the greater counts. */
function both(a: Alternative, b: Alternative): Alternative {
  const condition: Record<string, number | boolean> = {};
  for (const [name, value] of [...Object.entries(a.condition), ...Object.entries(b.condition)]) {
    const known = condition[name];
    condition[name] =
      typeof known === "number" ? Math.max(known, value as number) : (value as number | boolean);
  }
  return { condition, predicates: [...a.predicates, ...b.predicates] };
}

export interface Fired {
  /** In words, such as `messages 31 >= 30`. */
  readonly because: string;
  /** Only figures in tokens were looked at, so fewer tokens are all that it takes. */
  readonly byTokens: boolean;
  /** It was no trigger but a maximum or a budget. */
  readonly hard?: true;
}

/** The first alternative that holds; `undefined` if none does. */
export function firedBy(alternatives: readonly Alternative[], facts: Facts): Fired | undefined {
  for (const { condition, predicates } of alternatives) {
    if (holds(condition, facts) && predicates.every((predicate) => predicate(facts))) {
      const names = Object.keys(condition);
      const byTokens =
        predicates.length === 0 && names.every((name) => name === "tokens" || name === "fraction");
      return { because: describe(condition, facts), byTokens };
    }
  }
  return undefined;
}

function holds(condition: Condition, facts: Facts): boolean {
  return (
    facts.messages >= (condition.messages ?? 0) &&
    facts.tokens >= (condition.tokens ?? 0) &&
    facts.fraction >= (condition.fraction ?? 0) &&
    facts.newMessages >= (condition.newMessages ?? 0) &&
    facts.turns >= (condition.turns ?? 0) &&
    (condition.ratio === undefined || facts.ratio > condition.ratio) &&
    (condition.age === undefined || facts.age > condition.age) &&
    (condition.first === undefined || condition.first === (facts.summaries === 0))
  );
}

function describe(condition: Condition, facts: Facts): string {
  const parts = Object.entries(condition)
    .filter(([name]) => name !== "first")
    .map(([name, limit]) => {
      const sign = name === "ratio" || name === "age" ? ">" : ">=";
      return `${name} ${round(facts[name as keyof Facts])} ${sign} ${String(limit)}`;
    });
  return parts.length > 0 ? parts.join(" and ") : "predicate";
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
