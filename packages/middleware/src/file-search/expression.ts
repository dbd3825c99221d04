import { RE2JS } from "re2js";

/** Stands for a dot that a name begins with, which no wildcard takes. No path holds this sign. */
const DOT = "\0";
const FIRST_DOT = /(?<=^|\/)\./gu;
const CLASS = /^\[(?<not>[!^]?)(?<of>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]/su;

/**
 * A test of paths by a glob. It runs in linear time: globs that become the language's own expressions
 * can be made to run for ever, by stars alone.
 *
 * @throws what RE2 says of a class that can't be
 */
export function expressionOf(glob: string, dot: boolean): (path: string) => boolean {
  const any = dot ? "[^/]" : `[^/${DOT}]`;
  const expression = RE2JS.compile(translate(glob, { any, starts: true, loose: false }));
  return (path) => expression.matches(dot ? path : path.replaceAll(FIRST_DOT, DOT));
}

interface Place {
  /** What a wildcard takes. */
  readonly any: string;
  /** Whether a name begins here. */
  readonly starts: boolean;
  /** Whether a star stands before this, which may have taken nothing. */
  readonly loose: boolean;
}

/** What a part of a glob means, how long it is, and where that leads to. */
interface Part {
  readonly source: string;
  readonly length: number;
  readonly next: Place;
}

function translate(glob: string, from: Place): string {
  let source = "";
  let place = from;
  for (let at = 0; at < glob.length;) {
    const part = partOf(glob.slice(at), place);
    source += part.source;
    place = part.next;
    at += part.length;
  }
  return source;
}

function partOf(glob: string, place: Place): Part {
  const { any } = place;
  const within = { any, starts: false, loose: false };
  const stars = /^\**/u.exec(glob)?.[0].length ?? 0;
  if (stars === 2 && place.starts && /^\*\*(?:\/|$)/u.test(glob)) {
    return glob.length === 2
      ? { source: `${any}+(?:/${any}+)*`, length: 2, next: within }
      : { source: `(?:${any}+/)*`, length: 3, next: { any, starts: true, loose: false } };
  }
  if (stars > 0) return { source: `${any}*`, length: stars, next: { ...within, loose: true } };
  const [first = ""] = glob;
  if (first === "?") return { source: any, length: 1, next: within };
  if (first === "[") return classAt(glob, within) ?? literal(first, 1, place);
  if (first === "{") return alternativesAt(glob, place) ?? literal(first, 1, place);
  if (first === "\\" && glob.length > 1) {
    const [, escaped = ""] = glob;
    return literal(escaped, 1 + escaped.length, place);
  }
  return literal(first, first.length, place);
}

function literal(sign: string, length: number, { any, loose }: Place): Part {
  const starts = sign === "/";
  // behind a star that took nothing it would be the dot that no wildcard takes
  const source = sign === "." && !loose ? `[.${DOT}]` : RE2JS.quote(sign);
  return { source, length, next: { any, starts, loose: false } };
}

function classAt(glob: string, next: Place): Part | undefined {
  const found = CLASS.exec(glob);
  const { not, of = "" } = found?.groups ?? {};
  if (found === null || of === "") return undefined;
  const signs = of.replaceAll(/\[:\w+:\]|\\.|[[\]]/gsu, (sign) => {
    if (sign.startsWith("[:")) return sign;
    return RE2JS.quote(sign.at(-1) as string);
  });
  const source = not === "" ? `[${signs}]` : `[^${signs}/${DOT}]`;
  return { source, length: found[0].length, next };
}

/** Undefined for braces without a choice, which stand for themselves. */
function alternativesAt(glob: string, place: Place): Part | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < glob.length; at += 1) {
    const sign = glob[at];
    if (sign === "\\") at += 1;
    else if (sign === "{") depth += 1;
    else if (sign === "," && depth === 1) {
      choices.push(glob.slice(from, at));
      from = at + 1;
    } else if (sign === "}") {
      depth -= 1;
      if (depth > 0) continue;
      if (choices.length === 0) return undefined;
      choices.push(glob.slice(from, at));
      const next = {
        any: place.any,
        starts: choices.some((choice) => choice.endsWith("/") || (choice === "" && place.starts)),
        loose: choices.some((choice) => choice.endsWith("*") || (choice === "" && place.loose)),
      };
      return {
        source: `(?:${choices.map((choice) => translate(choice, place)).join("|")})`,
        length: at + 1,
        next,
      };
    }
  }
  return undefined;
}
