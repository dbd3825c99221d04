import { posix } from "node:path";
import { refused } from "../shared/checks.ts";
import { expressionOf } from "./expression.ts";

/** A glob pattern of the model, ready to be used. */
export interface Pattern {
  /** The folder, without wildcards, that everything that matches is in; empty for where the search begins. */
  readonly folder: string;
  /** Most folders above a file that matches; undefined for any number. */
  readonly depth: number | undefined;
  /** Whether it may ask by name for what begins with a dot. */
  readonly namesDot: boolean;
  readonly matches: (path: string) => boolean;
}

const LONGEST = 1000;
/** What other globs take for choices and repetitions. In names `(` and `+` stand for themselves. */
const REGULAR = /^!|[?*+@!]\(|\||\)\+/u;
const WILD = /[*?[\]{}\\]/u;

export interface PatternOptions {
  /** Whether wildcards take names that begin with a dot. */
  readonly dot: boolean;
  /** Whether a pattern without a slash is one of names, in whatever folder. Default: false. */
  readonly named?: boolean;
}

/** @throws GraphError INVALID_INPUT */
export function readPattern(given: string, { dot, named = false }: PatternOptions): Pattern {
  if (given.includes("..")) throw refused('A pattern must not hold "..": it is searched below `path`.');
  if (given.length > LONGEST)
    throw refused(`A pattern has at most ${LONGEST} characters, and this one ${given.length}. Shorten it.`);
  if (REGULAR.test(given.replaceAll(/\\./gsu, ""))) throw cantBeUsed(given);
  const isOfNames = named && !given.includes("/");
  const pattern = posix.normalize(isOfNames ? `**/${given}` : given).replaceAll(/^\/+|\/+$/gu, "");
  const steps = pattern.split("/");
  const wild = steps.findIndex((step) => WILD.test(step));
  return {
    folder: steps.slice(0, wild < 0 ? -1 : wild).join("/"),
    depth: pattern.includes("**") ? undefined : steps.length - 1,
    namesDot: steps.some(namesDot),
    matches: matcher(pattern, dot),
  };
}

function matcher(pattern: string, dot: boolean): Pattern["matches"] {
  try {
    return expressionOf(pattern, dot);
  } catch (cause) {
    throw cantBeUsed(pattern, cause);
  }
}

function cantBeUsed(pattern: string, cause?: unknown): Error {
  const why = cause === undefined ? "" : `: ${(cause as Error).message}`;
  return refused(
    `The pattern "${pattern}" can't be used${why}. Patterns know *, **, ?, [...] and {a,b}; a backslash takes the sign behind it as it is.`,
  );
}

function namesDot(step: string): boolean {
  if (/^\\?\./u.test(step)) return true;
  // among alternatives that a name begins with, or whose beginning stands in a step before
  const isOpen = step.startsWith("{") || !step.includes("{");
  return isOpen && /[{,]\\?\./u.test(step);
}
