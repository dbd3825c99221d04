/** What stands where erased text stood. */
export const ERASED = "[erased]";

/** Shorter quotes than this are nobody's: they occur in any text. */
const MIN_QUOTE = 32;
/** A common piece of `MIN_QUOTE` characters holds a window of this size that begins at a multiple of it. */
const WINDOW = MIN_QUOTE / 2;
/** A text that repeats itself has the same window a thousand times. */
const MAX_PLACES = 32;

/** Factor of the hash of a window, and what its first character is multiplied by. */
const FACTOR = 0x01_00_01_93;
const FIRST = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, FACTOR), 1);

const MARK_BITS = 20;
const byteOf = (hash: number): number => hash >>> (32 - MARK_BITS + 3);
const bitOf = (hash: number): number => 1 << ((hash >>> (32 - MARK_BITS)) & 7);

interface Place {
  readonly text: string;
  readonly at: number;
}

/** Finds pieces of texts, of `MIN_QUOTE` characters and more, in other texts. */
export class Quotes {
  /** Places of every 16th window by its hash: a message may have more characters than a Map takes entries. */
  readonly #windows = new Map<number, Place[]>();
  /** A bit for each hash that has places, by its upper bits: most windows of other texts have none. */
  readonly #marks = new Uint8Array(2 ** MARK_BITS / 8);
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    for (const form of formsOf(text)) this.#index(form);
  }

  #index(text: string): void {
    for (let at = 0; at + WINDOW <= text.length && text.length >= MIN_QUOTE; at += WINDOW) {
      const hash = hashAt(text, at);
      const places = this.#windows.get(hash);
      this.#marks[byteOf(hash)] = (this.#marks[byteOf(hash)] as number) | bitOf(hash);
      if (places === undefined) this.#windows.set(hash, [{ text, at }]);
      else if (places.length < MAX_PLACES) places.push({ text, at });
    }
  }

  /** A text with `ERASED` in the place of every quote. */
  redact(text: string): string {
    if (text.length < MIN_QUOTE || this.#windows.size === 0) return text;
    let result = "";
    let done = 0;
    // quotes are not looked for before it: nothing that says something ends there
    let earliest = 0;
    for (let at = this.#marked(text, 0); at !== undefined;) {
      const places = this.#windows.get(hashAt(text, at)) ?? [];
      const [from, to] = longest(text, at, earliest, places);
      let next = at + 1;
      if (to - from >= MIN_QUOTE) {
        if (saysSomething(text.slice(from, to))) {
          result += text.slice(done, from) + ERASED;
          done = to;
          next = to;
        } else next = Math.max(next, to - MIN_QUOTE + 1);
        earliest = next;
      }
      at = this.#marked(text, next);
    }
    return done === 0 ? text : result + text.slice(done);
  }

  /** The first window, from a place on, that may be one of ours. */
  #marked(text: string, from: number): number | undefined {
    if (from + WINDOW > text.length) return undefined;
    const marks = this.#marks;
    let hash = hashAt(text, from);
    for (let at = from; ; at += 1) {
      if (((marks[byteOf(hash)] as number) & bitOf(hash)) !== 0) return at;
      if (at + WINDOW >= text.length) return undefined;
      const rest = hash - Math.imul(text.charCodeAt(at), FIRST);
      hash = (Math.imul(rest, FACTOR) + text.charCodeAt(at + WINDOW)) | 0;
    }
  }
}

function hashAt(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + WINDOW; at += 1) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
  return hash;
}

/** The longest quote that holds the window at a place; an empty one where only the hash is the same. */
function longest(
  text: string,
  at: number,
  earliest: number,
  places: readonly Place[],
): readonly [from: number, to: number] {
  let best: readonly [number, number] = [at, at];
  for (const place of places) {
    let to = at;
    for (
      let of = place.at;
      to < text.length && of < place.text.length && text[to] === place.text[of];
      of += 1
    )
      to += 1;
    if (to < at + WINDOW) continue;
    let from = at;
    for (let of = place.at; from > earliest && of > 0 && text[from - 1] === place.text[of - 1]; of -= 1)
      from -= 1;
    if (to - from > best[1] - best[0]) best = [from, to];
  }
  return best;
}

/** A text, and how it stands in JSON: tools tell messages as such. */
function formsOf(text: string): ReadonlySet<string> {
  const json = JSON.stringify(text).slice(1, -1);
  return new Set([text, json, asciiOf(json), JSON.stringify(json).slice(1, -1)]);
}

/** As printers write it that leave nothing beyond ASCII. */
function asciiOf(json: string): string {
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A line of dashes or blanks is in many texts, and quotes none; neither does an escape have letters. */
function saysSomething(piece: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(piece.replaceAll(/(?<!\\)\\+[bfnrt]/g, ""));
}
