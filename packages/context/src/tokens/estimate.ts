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

const isUpper = (c: number): boolean => c >= 65 && c <= 90;
const isLower = (c: number): boolean => c >= 97 && c <= 122;
const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isAccented = (c: number): boolean => c >= 0xc0 && c < 0x250;
const isLetter = (c: number): boolean => isUpper(c) || isLower(c) || isAccented(c);
const isBreak = (c: number): boolean => c === 10 || c === 13 || c === 9;

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
    const c = text.charCodeAt(i);
    const end = runEnd(text, i, c);
    sum += weigh(text, i, end, c);
    i = end;
  }
  return Math.max(1, Math.round(sum));
}

/** Where the run that starts at `i` with character `c` ends: a word, digits, spaces, signs or one character. */
function runEnd(text: string, i: number, c: number): number {
  let j = i + 1;
  if (isLetter(c)) {
    for (let last = c; j < text.length; j++) {
      const next = text.charCodeAt(j);
      if (!isLetter(next) || (isUpper(next) && isLower(last))) break;
      last = next;
    }
    return j;
  }
  if (c >= 128) return j;
  const same = isDigit(c) ? isDigit : c === 32 ? isSpace : isBreak(c) ? isBreak : isSign;
  while (j < text.length && same(text.charCodeAt(j))) j++;
  return j;
}

const isSpace = (c: number): boolean => c === 32;
const isSign = (c: number): boolean => c > 32 && c < 128 && !isLetter(c) && !isDigit(c);

function weigh(text: string, start: number, end: number, c: number): number {
  const length = end - start;
  if (isLetter(c)) return weighWord(text, start, end);
  if (c >= 128) return weighOther(c);
  if (isDigit(c)) return Math.ceil(length / 3) * DIGIT_GROUP;
  if (c === 32) return length > 1 || (end < text.length && isDigit(text.charCodeAt(end))) ? SPACE_RUN : 0;
  if (isBreak(c)) return LINE_BREAK;
  return PUNCTUATION_RUN + Math.max(0, length - 2) * PUNCTUATION_EXTRA;
}

function weighWord(text: string, start: number, end: number): number {
  const length = end - start;
  let capitals = 0;
  let accented = 0;
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i);
    if (isUpper(c)) capitals++;
    else if (isAccented(c)) accented++;
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
