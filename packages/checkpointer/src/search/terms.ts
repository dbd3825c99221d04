/**
 * Full-text search for every storage: text becomes terms here, once, so that memory, SQLite and
 * PostgreSQL find the same. What is indexed is `indexText`; what is asked is `parseQuery`.
 *
 * Languages that write no spaces are indexed by pairs of characters: 東京都 gives 東京, 京都 and 都.
 * So any two characters that stand together are found, one character is the beginning of a pair,
 * and a longer word is its pairs in a row.
 */

/** Longer words are cut, in the index as in the query: nobody types them, and PostgreSQL refuses them. */
const MAX_WORD = 64;

/** Letters of languages that write without spaces, or whose words carry particles (Korean). */
const UNSPACED =
  "(?:(?=[\\p{L}\\p{N}\\p{M}])[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}" +
  "\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}])";

/** Only so that it is made once, when a text first needs it: looking up what its classes hold takes 3 ms. */
let made: RegExp | undefined;

function pieces(): RegExp {
  made ??= new RegExp(
    `(?<run>${UNSPACED}+)|(?<word>(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+)|(?<sign>\\p{Extended_Pictographic}|\\p{RI}{1,2})`,
    "gu",
  );
  return made;
}

/** A word or sign, or a run of characters written without spaces. */
export interface Piece {
  readonly kind: "word" | "run";
  readonly text: string;
}

/** Compatibility forms, case, accents of Latin, Greek and Cyrillic, and a sign's styles (U+FE0F: in colour) are one. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f\ufe00-\ufe0f]/g, "")
    .normalize("NFC");
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

/** What of a text can be searched for, in order. */
export function piecesOf(text: string): Piece[] {
  const folded = BEYOND_ASCII.test(text) ? fold(text) : text.toLowerCase();
  // most text is English or code, and this takes a tenth of the time
  if (!BEYOND_ASCII.test(folded))
    return (folded.match(/[a-z0-9]+/g) ?? []).map((word) => ({ kind: "word", text: cut(word) }));
  return [...folded.matchAll(pieces())].map(({ groups }) =>
    groups?.["run"] === undefined
      ? { kind: "word", text: cut(groups?.["word"] ?? groups?.["sign"] ?? "") }
      : { kind: "run", text: groups["run"] },
  );
}

function cut(word: string): string {
  if (word.length <= MAX_WORD) return word;
  return Array.from(word.slice(0, 2 * MAX_WORD))
    .slice(0, MAX_WORD)
    .join("");
}

/** Each two characters that stand together. */
export function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** The terms of a text, in order. They hold letters, digits, marks, pictographs and flags: no blank, no quote. */
export function indexTerms(text: string): string[] {
  return piecesOf(text).flatMap(({ kind, text: piece }) =>
    // the last character stands alone, so that it is found, and so that two runs never join
    kind === "word" ? [piece] : [...pairsOf(piece), Array.from(piece).at(-1) ?? ""],
  );
}

/**
 * The terms of a text between blanks: what FTS5 indexes with `tokenize = 'ascii'`, and what
 * `countMatches` looks into.
 *
 * @example
 * indexText("Café 東京都"); // " cafe 東京 京都 都 "
 */
export function indexText(text: string): string {
  return ` ${indexTerms(text).join(" ")} `;
}
