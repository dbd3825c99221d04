/** NUL, or a surrogate that is not part of a pair. By range: a property has V8 look up what it stands for. */
const UNFIT = /[\0\uD800-\uDFFF]/u;

/** Begins a text that stands for another; see `toText`. */
const ESCAPED = "\u0001";

/**
 * Ids are any strings, but SQLite's texts end at a NUL for some of its functions, PostgreSQL's hold
 * none, and a lone surrogate has no UTF-8 form, so two different ids could become one. Such ids are
 * stored escaped.
 */
export function toText(id: string): string {
  return UNFIT.test(id) || id.startsWith(ESCAPED) ? ESCAPED + JSON.stringify(id) : id;
}

export function fromText(text: string): string {
  return text.startsWith(ESCAPED) ? (JSON.parse(text.slice(ESCAPED.length)) as string) : text;
}
