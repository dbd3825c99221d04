import { GraphError, shown } from "@skein/errors";
import { invalidOption, isAsync, unawaited } from "../shared/checks.ts";

/** Where in a text something was found. */
export interface PIIMatch {
  text: string;
  /** Index of the first character. */
  start: number;
  /** Index behind the last character. */
  end: number;
}

/** Finds personal data in a text. */
export type PIIDetector = (content: string) => PIIMatch[];

// every repetition has an end: tool results can be long, and made to be slow to search
const EMAIL = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,63}\b/g;
const CARD = /(?<![\d.])[2-6]\d{3}(?:[ -]?\d){9,15}/g;
const NUMBER_GOES_ON = /^(?:\d|\.\d)/;
const BYTE = "(?:25[0-5]|2[0-4]\\d|[01]?\\d?\\d)";
const IP = new RegExp(`(?<![\\d.])${BYTE}(?:\\.${BYTE}){3}(?![\\d]|\\.\\d)`, "g");
const MAC = /(?<![0-9A-Fa-f:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![0-9A-Fa-f])/g;
const URL_PATTERN = /(?:https?:\/\/|\bwww\.)[^\s<>"{}|\\^`[\]]+/gi;

/** Mail addresses. */
export const detectEmail: PIIDetector = (content) => matchesOf(EMAIL, content);

/** 13 to 19 digits that begin with 2 to 6, in groups or not, whose check digit is right. */
export const detectCreditCard: PIIDetector = (content) => {
  requireContent(content);
  const cards: PIIMatch[] = [];
  const pattern = new RegExp(CARD);
  for (let found = pattern.exec(content); found !== null; found = pattern.exec(content)) {
    const { 0: text, index: start } = found;
    const end = cardEnd(content, start, start + text.length);
    if (end !== undefined) cards.push({ text: content.slice(start, end), start, end });
    // another card may begin within what was no card
    pattern.lastIndex = end ?? start + 1;
  }
  return cards;
};

/** Where the card ends that begins at `start`: other numbers may stand right behind it. */
function cardEnd(content: string, start: number, last: number): number | undefined {
  for (let end = last; end - start >= 13; end -= 1) {
    const text = content.slice(start, end);
    const digits = text.replaceAll(/\D/g, "").length;
    if (digits < 13) return undefined;
    const isWhole = /\d$/.test(text) && !NUMBER_GOES_ON.test(content.slice(end, end + 2));
    if (isWhole && hasCheckDigit(text)) return end;
  }
  return undefined;
}

/** IPv4 addresses. */
export const detectIP: PIIDetector = (content) => matchesOf(IP, content);
/** Six bytes between colons or hyphens. */
export const detectMacAddress: PIIDetector = (content) => matchesOf(MAC, content);
/** What begins with `http://`, `https://` or `www.`. */
export const detectUrl: PIIDetector = (content) => matchesOf(URL_PATTERN, content);

const BUILT_IN: Readonly<Record<string, PIIDetector>> = {
  email: detectEmail,
  credit_card: detectCreditCard,
  ip: detectIP,
  mac_address: detectMacAddress,
  url: detectUrl,
};

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, "g");
  } catch (cause) {
    throw new GraphError("INVALID_CONFIGURATION", `detector is no regular expression: ${shown(source)}.`, {
      cause,
    });
  }
}

/** The detector that options ask for. @throws GraphError INVALID_CONFIGURATION */
export function detectorFor(piiType: string, given: string | RegExp | PIIDetector | undefined): PIIDetector {
  if (isAsync(given)) {
    throw invalidOption(`The detector of "${piiType}" must return its list at once: it can't be async.`);
  }
  if (typeof given === "function") return (content) => inOrder(given(content), content, piiType);
  if (given !== undefined) {
    const pattern = typeof given === "string" ? patternOf(given) : given;
    if (!(pattern instanceof RegExp)) {
      throw invalidOption(`detector must be a pattern or a function, not ${shown(pattern)}.`);
    }
    const flags = pattern.flags.replaceAll(/[gy]/g, "");
    if (new RegExp(pattern.source, flags).test("")) {
      throw invalidOption(
        `detector of "${piiType}" must not match the empty text: ${shown(pattern.source)} does, and finds it everywhere.`,
      );
    }
    const everywhere = new RegExp(pattern.source, `${flags}g`);
    return (content) => matchesOf(everywhere, content);
  }
  if (Object.hasOwn(BUILT_IN, piiType)) return BUILT_IN[piiType] as PIIDetector;
  throw invalidOption(
    `There is no detector for "${piiType}". Known are ${Object.keys(BUILT_IN).join(", ")}; for others pass a \`detector\`.`,
  );
}

function requireContent(content: unknown): asserts content is string {
  if (typeof content === "string") return;
  throw new GraphError("INVALID_INPUT", `A detector looks through a text, not ${shown(content)}.`);
}

function matchesOf(pattern: RegExp, content: string): PIIMatch[] {
  requireContent(content);
  return [...content.matchAll(pattern)].flatMap(({ 0: text, index }) =>
    text === "" ? [] : [{ text, start: index, end: index + text.length }],
  );
}

function requireMatches(found: unknown, piiType: string): asserts found is readonly PIIMatch[] {
  const wanted = `The detector of "${piiType}" must return a list of {text, start, end}`;
  // errors may be logged: nothing is shown of what it found
  if (!Array.isArray(found)) {
    throw invalidOption(`${wanted}, not ${typeof found === "string" ? "a text" : unawaited(found)}.`);
  }
  if (!found.every((one) => typeof one === "object" && one !== null))
    throw invalidOption(`${wanted}, not of something else.`);
}

/** A detector of the caller's: it may find things in any order, and one inside of another. */
function inOrder(found: unknown, content: string, piiType: string): PIIMatch[] {
  const result: PIIMatch[] = [];
  requireMatches(found, piiType);
  for (const { start, end } of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const isThere = Number.isInteger(start) && Number.isInteger(end);
    if (!isThere || start < 0 || start >= end || end > content.length) {
      throw invalidOption(
        `The detector of "${piiType}" found something at ${start} to ${end}, which is not in the text.`,
      );
    }
    const last = result.at(-1);
    if (last === undefined || start >= last.end) result.push({ text: content.slice(start, end), start, end });
    else if (end > last.end) {
      last.end = end;
      last.text = content.slice(last.start, end);
    }
  }
  return result;
}

/** Luhn's algorithm. */
function hasCheckDigit(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, "")].map(Number).toReversed();
  const sum = digits.reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
