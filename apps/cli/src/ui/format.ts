/** Numbers as people read them. */
export const count = (value: number): string => Math.round(value).toLocaleString("en-US");

export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  if (value < 1_024 * 1_024) return `${(value / 1_024).toFixed(1)} KB`;
  return `${(value / 1_024 / 1_024).toFixed(1)} MB`;
}

export function milliseconds(value: number): string {
  if (value >= 10_000) return `${(value / 1_000).toFixed(1)} s`;
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toFixed(2)} ms`;
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? "0%" : `${((100 * part) / whole).toFixed(0)}%`;

/** `1 call`, `2 calls`. */
export const plural = (value: number, one: string): string =>
  `${count(value)} ${value === 1 ? one : `${one}s`}`;

/** Line feeds and tabs are all that a text may do to a terminal. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** A text that cannot steer a terminal, whoever wrote it: files, models, recordings. */
export const printable = (text: string): string => text.replace(CONTROL, "");

/** The beginning of a text on one line. */
export function excerpt(text: string, length: number): string {
  const line = printable(text.replace(/\s+/g, " ")).trim();
  return line.length > length ? `${line.slice(0, Math.max(0, length - 3))}...` : line;
}

/** A name from anywhere, whole, on one line: a row stays a row. */
export const label = (name: string): string => excerpt(name, Number.POSITIVE_INFINITY);

export const when = (time: string | undefined): string => (time ?? "").replace("T", " ").slice(0, 19);
