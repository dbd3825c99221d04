/** What stands where erased text stood. */
export const ERASED = "[erased]";

/** Shorter quotes than this are nobody's: they occur in any text. */
export const MIN_QUOTE = 32;
/** A common piece of `MIN_QUOTE` characters holds a window of this size that begins at a multiple of it. */
const WINDOW = MIN_QUOTE / 2;

interface Place {
  readonly text: string;
  readonly at: number;
}

/** Finds pieces of texts, of `MIN_QUOTE` characters and more, in other texts. */
export class Quotes {
  readonly #windows = new Map<string, Place[]>();
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    for (let at = 0; at + WINDOW <= text.length && text.length >= MIN_QUOTE; at += 1) {
      const window = text.slice(at, at + WINDOW);
      const places = this.#windows.get(window);
      if (places === undefined) this.#windows.set(window, [{ text, at }]);
      // a text that repeats itself has the same window a thousand times
      else if (places.length < 8) places.push({ text, at });
    }
  }

  /** Whether a text is one of those that were added, whatever its length. */
  has(text: string): boolean {
    return this.#texts.has(text);
  }

  /** A text with `ERASED` in the place of every quote. */
  redact(text: string): string {
    let result = "";
    let done = 0;
    for (let at = 0; at + WINDOW <= text.length; at += WINDOW) {
      if (at < done) continue;
      const [from, to] = this.#longest(text, at, done);
      if (to - from < MIN_QUOTE) continue;
      result += text.slice(done, from) + ERASED;
      done = to;
    }
    return done === 0 ? text : result + text.slice(done);
  }

  /** The longest quote that holds the window at a place. */
  #longest(text: string, at: number, earliest: number): readonly [from: number, to: number] {
    let best: readonly [number, number] = [at, at];
    for (const place of this.#windows.get(text.slice(at, at + WINDOW)) ?? []) {
      let from = at;
      let to = at + WINDOW;
      for (let of = place.at; from > earliest && of > 0 && text[from - 1] === place.text[of - 1]; of -= 1)
        from -= 1;
      for (
        let of = place.at + WINDOW;
        to < text.length && of < place.text.length && text[to] === place.text[of];
        of += 1
      )
        to += 1;
      if (to - from > best[1] - best[0]) best = [from, to];
    }
    return best;
  }
}
