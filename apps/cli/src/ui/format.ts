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

/** The beginning of a text on one line. */
export function excerpt(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, Math.max(0, length - 3))}...` : line;
}

export const when = (time: string | undefined): string => (time ?? "").replace("T", " ").slice(0, 19);
