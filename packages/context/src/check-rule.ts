import { GraphError, requireKnownOptions, shown } from "@skein/errors";
import type { TokenCounter } from "./tokens/counter.ts";

/** What is wrong with a value, as "must be ..."; undefined if nothing is. */
export type Check = (value: unknown) => string | undefined;

export const atLeast = (least: number): Check => {
  const words = `a number of at least ${least}`;
  return (value) => (typeof value === "number" && value >= least ? undefined : words);
};

/** The same, but not without end. */
export const time: Check = (value) => (Number.isFinite(value) ? undefined : "a number");

export const yesOrNo: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");

export const text: Check = (value) => (typeof value === "string" ? undefined : "a text");

export const counting: Check = (value) => {
  const { message, text: ofText } = (value ?? {}) as Partial<TokenCounter>;
  return typeof message === "function" && typeof ofText === "function"
    ? undefined
    : "what createTokenCounter returns";
};

/** Of sets and weak maps, also of other realms. */
export const remembering: Check = (value) =>
  value === undefined || typeof (value as { has?: unknown } | null)?.has === "function"
    ? undefined
    : "a Set, or a WeakMap where one is wanted";

/**
 * Refuses a rule that a planner can't follow: a figure that is none would shorten everything, nothing, or
 * never come to an end. It is asked on every turn, hence without a list of what a rule has; a frozen rule
 * is checked once.
 *
 * @param of - the planner
 * @param checks - of every member; its type keeps it complete
 * @throws GraphError INVALID_CONFIGURATION that names the member
 */
export function checkRule<T extends object>(
  of: string,
  rule: T,
  checks: Readonly<Record<keyof T, Check>>,
): void {
  if (typeof rule !== "object" || (rule as unknown) === null) {
    throw new GraphError("INVALID_CONFIGURATION", `${of} takes a rule, not ${shown(rule)}.`);
  }
  if (followed.get(rule) === checks) return;
  for (const name in checks) {
    const words = checks[name](rule[name]);
    if (words !== undefined) throw invalidMember(of, name, words, rule[name]);
  }
  for (const name in rule) if (!(name in checks)) requireKnownOptions(of, rule, kindsOf(checks));
  if (Object.isFrozen(rule)) followed.set(rule, checks);
}

/** Frozen rules that were checked, and by what. */
const followed = new WeakMap<object, object>();

export function invalidMember(of: string, name: string, words: string, value: unknown): GraphError {
  return new GraphError("INVALID_CONFIGURATION", `${name} of ${of} must be ${words}, not ${shown(value)}.`, {
    details: { option: name },
  });
}

/** @throws GraphError INVALID_CONFIGURATION unless it is a number of tokens */
export function requireTokens(of: string, name: string, value: unknown): void {
  const words = atLeast(0)(value);
  if (words !== undefined) throw invalidMember(of, name, words, value);
}

function kindsOf<T extends object>(checks: Readonly<Record<keyof T, Check>>): Record<keyof T, "any"> {
  return Object.fromEntries(Object.keys(checks).map((name) => [name, "any"])) as Record<keyof T, "any">;
}
