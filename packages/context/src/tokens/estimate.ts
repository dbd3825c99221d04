/**
 * Tokens of a text without a tokenizer: one pass over the characters, no tables.
 *
 * The weights were fitted to `o200k_base` on the four data sets and on eight languages of compiler
 * messages. Error of the sum per data set and role: at most 7 % (see `tokens.data.ts`, which
 * measures it and fails above 10 %); of one short message: about 10 % on average, Chinese included.
 */
const WORD = 0.955;
const LONG_WORD_LETTER = 0.16; // each letter beyond the seventh
const CAPITAL_LETTER = 0.1; // each letter of a run of capitals beyond the second
const ACCENTED_LETTER = 0.72;
const DIGIT_GROUP = 1.14; // up to three digits
const SPACE_RUN = 1.3; // two or more spaces, or one before a digit
const LINE_BREAK = 0.15;
const PUNCTUATION_RUN = 0.93;
const PUNCTUATION_EXTRA = 0.14; // each sign of a run beyond the second
const HAN = 0.83;
const KANA = 0.68;
const HANGUL = 0.7;
const CJK_PUNCTUATION = 0.6;
const OTHER = 0.27; // Cyrillic, Greek, Arabic and so on, per UTF-16 unit
const SURROGATE = 1; // emoji: about two tokens a pair

/** Kinds of characters below 128; everything above is looked at one by one. */
const OTHER_KIND = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const BREAK = 5;
const SIGN = 6;
const ACCENTED = 7;

const KINDS = Uint8Array.from({ length: 0x250 }, (_, c) => {
  if (c >= 97 && c <= 122) return LOWER;
  if (c >= 65 && c <= 90) return UPPER;
  if (c >= 48 && c <= 57) return DIGIT;
  if (c === 32) return SPACE;
  if (c === 9 || c === 10 || c === 13) return BREAK;
  if (c >= 0xc0) return ACCENTED;
  return c > 32 && c < 128 ? SIGN : OTHER_KIND;
});
const kindAt = (text: string, i: number): number => {
  const c = text.charCodeAt(i);
  return c < 0x250 ? (KINDS[c] as number) : OTHER_KIND;
};

/**
 * Estimated number of tokens of `text`. The empty text has 0, any other at least 1.
 *
 * @example
 * estimateTokens("Where is my flight?"); // 5
 * estimateTokens("我的航班在哪里？"); // 6
 */
export function estimateTokens(text: string): number {
  if (text.length === 0) return 0;
  let sum = 0;
  let i = 0;
  while (i < text.length) {
    const kind = kindAt(text, i);
    if (kind === LOWER || kind === UPPER || kind === ACCENTED) {
      const end = wordEnd(text, i, kind);
      sum += weighWord(text, i, end);
      i = end;
    } else if (kind === OTHER_KIND) {
      sum += weighOther(text.charCodeAt(i));
      i++;
    } else {
      let end = i + 1;
      while (end < text.length && kindAt(text, end) === kind) end++;
      sum += weighRun(text, kind, end - i, end);
      i = end;
    }
  }
  return Math.max(1, Math.round(sum));
}

/** A word ends at what is no letter, and before a capital that follows a small letter. */
function wordEnd(text: string, start: number, first: number): number {
  let end = start + 1;
  for (let last = first; end < text.length; end++) {
    const kind = kindAt(text, end);
    if (kind !== LOWER && kind !== ACCENTED && (kind !== UPPER || last === LOWER)) break;
    last = kind;
  }
  return end;
}

function weighRun(text: string, kind: number, length: number, end: number): number {
  if (kind === DIGIT) return Math.ceil(length / 3) * DIGIT_GROUP;
  if (kind === BREAK) return LINE_BREAK;
  if (kind === SIGN) return PUNCTUATION_RUN + Math.max(0, length - 2) * PUNCTUATION_EXTRA;
  return length > 1 || (end < text.length && kindAt(text, end) === DIGIT) ? SPACE_RUN : 0;
}

function weighWord(text: string, start: number, end: number): number {
  const length = end - start;
  let capitals = 0;
  let accented = 0;
  for (let i = start; i < end; i++) {
    const kind = kindAt(text, i);
    if (kind === UPPER) capitals++;
    else if (kind === ACCENTED) accented++;
  }
  const extra =
    capitals > 1 ? Math.max(0, length - 2) * CAPITAL_LETTER : Math.max(0, length - 7) * LONG_WORD_LETTER;
  return WORD + extra + accented * ACCENTED_LETTER;
}

function weighOther(c: number): number {
  if ((c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c < 0x4dc0)) return HAN;
  if (c >= 0x3040 && c < 0x3100) return KANA;
  if (c >= 0xac00 && c <= 0xd7a3) return HANGUL;
  if ((c >= 0x3000 && c < 0x3040) || (c >= 0xff00 && c < 0xfff0) || (c >= 0x2010 && c < 0x2030)) {
    return CJK_PUNCTUATION;
  }
  return c >= 0xd800 && c <= 0xdfff ? SURROGATE : OTHER;
}
