import { requireText } from "../messages/given.ts";

/**
 * Tokens of a text without a tokenizer: one pass over the characters, and a table that says what each
 * adds after those before it. A test for each kind of character would cost more than the rest: which
 * one comes next is what a processor can't guess.
 *
 * The weights were fitted to `o200k_base` on the four data sets and on eight languages of compiler
 * messages. Error of the sum per data set and role: at most 7 % (see `tokens.data.ts`, which
 * measures it and fails above 10 %); of one short message: about 10 % on average, Chinese included.
 *
 * Thousandths of a token: sums of whole numbers do not depend on their order.
 */
const WORD = 955;
const LONG_WORD_LETTER = 160; // each letter beyond the seventh
const CAPITAL_LETTER = 100; // each letter beyond the second of a word of several capitals, instead
const ACCENTED_LETTER = 720;
const DIGIT_GROUP = 1_140; // up to three digits
const SPACE_RUN = 1_300; // two or more spaces, or one before a digit
const LINE_BREAK = 150;
const PUNCTUATION_RUN = 930;
const PUNCTUATION_EXTRA = 140; // each sign of a run beyond the second
const HAN = 830;
const KANA = 680;
const HANGUL = 700;
const CJK_PUNCTUATION = 600;
const OTHER = 270; // Cyrillic, Greek, Arabic and so on, per UTF-16 unit
const SURROGATE = 1_000; // emoji: about two tokens a pair

/** Kinds of characters; those from {@link SINGLE} on weigh the same wherever they stand. */
const LOWER = 0;
const UPPER = 1;
const ACCENTED = 2;
const DIGIT = 3;
const SPACE = 4;
const BREAK = 5;
const SIGN = 6;
const SINGLE = 7;
const OTHER_SIGN = 7;
const HAN_SIGN = 8;
const KANA_SIGN = 9;
const HANGUL_SIGN = 10;
const CJK_MARK = 11;
const HALF_PAIR = 12;
const SINGLES = [OTHER, HAN, KANA, HANGUL, CJK_PUNCTUATION, SURROGATE] as const;
const KIND_COUNT = SINGLE + SINGLES.length;

const LATIN = 0x250;
const LATIN_KINDS = Uint8Array.from({ length: LATIN }, (_, c) => {
  if (c >= 97 && c <= 122) return LOWER;
  if (c >= 65 && c <= 90) return UPPER;
  if (c >= 48 && c <= 57) return DIGIT;
  if (c === 32) return SPACE;
  if (c === 9 || c === 10 || c === 13) return BREAK;
  if (c >= 0xc0) return ACCENTED;
  return c > 32 && c < 128 ? SIGN : OTHER_SIGN;
});

function kindBeyondLatin(c: number): number {
  if ((c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c < 0x4dc0)) return HAN_SIGN;
  if (c >= 0x3040 && c < 0x3100) return KANA_SIGN;
  if (c >= 0xac00 && c <= 0xd7a3) return HANGUL_SIGN;
  if ((c >= 0x3000 && c < 0x3040) || (c >= 0xff00 && c < 0xfff0) || (c >= 0x2010 && c < 0x2030)) {
    return CJK_MARK;
  }
  return c >= 0xd800 && c <= 0xdfff ? HALF_PAIR : OTHER_SIGN;
}

/** What is known of the characters before. Beyond these states: a word, see {@link wordState}. */
const NOTHING = 0;
const ONE_SPACE = 1;
const SPACES = 2;
const BREAKS = 3;
const ONE_SIGN = 4;
const SIGNS = 5;
const DIGITS = 6; // and the two states behind it: one to three digits of a group
const WORDS = 9;
const LETTERS = 8; // so many letters of a word, or more
const ROW_BITS = 12; // more rows and kinds than there are
const STATE_COUNT = WORDS + 6 * LETTERS;

interface Step {
  readonly adds: number;
  readonly state: number;
}

function step(state: number, kind: number): Step {
  if (kind >= SINGLE) return { adds: SINGLES[kind - SINGLE] as number, state: NOTHING };
  if (kind === BREAK) return { adds: state === BREAKS ? 0 : LINE_BREAK, state: BREAKS };
  if (kind === SPACE) {
    if (state !== ONE_SPACE && state !== SPACES) return { adds: 0, state: ONE_SPACE };
    return { adds: state === ONE_SPACE ? SPACE_RUN : 0, state: SPACES };
  }
  if (kind === SIGN) {
    if (state !== ONE_SIGN && state !== SIGNS) return { adds: PUNCTUATION_RUN, state: ONE_SIGN };
    return { adds: state === SIGNS ? PUNCTUATION_EXTRA : 0, state: SIGNS };
  }
  if (kind === DIGIT) {
    if (state === DIGITS || state === DIGITS + 1) return { adds: 0, state: state + 1 };
    return { adds: DIGIT_GROUP + (state === ONE_SPACE ? SPACE_RUN : 0), state: DIGITS };
  }
  return letter(state, kind);
}

/** A word ends at what is no letter, and before a capital that follows a small letter. */
function letter(state: number, kind: number): Step {
  const before = wordOf(state);
  const isNew = before.letters === 0 || (kind === UPPER && before.afterLower);
  const { letters, capitals } = isNew ? NO_WORD : before;
  const now = {
    letters: letters + 1,
    capitals: capitals + (kind === UPPER ? 1 : 0),
    afterLower: kind === LOWER,
  };
  const accent = kind === ACCENTED ? ACCENTED_LETTER : 0;
  const longer = extra(now.letters, now.capitals) - extra(letters, capitals);
  return { adds: (isNew ? WORD : 0) + longer + accent, state: wordState(now) };
}

/** What a word weighs beyond {@link WORD}, accents apart. */
function extra(letters: number, capitals: number): number {
  return capitals > 1
    ? Math.max(0, letters - 2) * CAPITAL_LETTER
    : Math.max(0, letters - LETTERS + 1) * LONG_WORD_LETTER;
}

interface Word {
  readonly letters: number;
  readonly capitals: number;
  readonly afterLower: boolean;
}
const NO_WORD: Word = { letters: 0, capitals: 0, afterLower: false };

function wordState({ letters, capitals, afterLower }: Word): number {
  const form = Math.min(capitals, 2) * 2 + (afterLower ? 1 : 0);
  return WORDS + form * LETTERS + Math.min(letters, LETTERS) - 1;
}

function wordOf(state: number): Word {
  if (state < WORDS) return NO_WORD;
  const form = Math.floor((state - WORDS) / LETTERS);
  return { letters: ((state - WORDS) % LETTERS) + 1, capitals: form >> 1, afterLower: form % 2 === 1 };
}

/**
 * What each kind of character adds in each state, and where the row of the state behind it begins: one
 * look a character, and nothing to be multiplied between two of them, which wait for one another.
 */
const STEPS = Int32Array.from({ length: STATE_COUNT * KIND_COUNT }, (_, at) => {
  const { adds, state } = step(Math.floor(at / KIND_COUNT), at % KIND_COUNT);
  return (adds << ROW_BITS) | (state * KIND_COUNT);
});
const ROW_MASK = (1 << ROW_BITS) - 1;

/**
 * Estimated number of tokens of `text`. The empty text has 0, any other at least 1.
 *
 * @throws GraphError INVALID_INPUT for what is no text
 *
 * @example
 * estimateTokens("Where is my flight?"); // 5
 * estimateTokens("我的航班在哪里？"); // 6
 */
export function estimateTokens(text: string): number {
  requireText("estimateTokens", text);
  if (text.length === 0) return 0;
  let sum = 0;
  let row = NOTHING * KIND_COUNT;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const kind = c < LATIN ? (LATIN_KINDS[c] as number) : kindBeyondLatin(c);
    const found = STEPS[row + kind] as number;
    sum += found >> ROW_BITS;
    row = found & ROW_MASK;
  }
  return Math.max(1, Math.round(sum / 1_000));
}
