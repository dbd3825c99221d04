/** NUL, or a surrogate that is not part of a pair. */
const UNFIT = /[\0\p{Surrogate}]/u;

/** Begins a text that stands for another; see `toText`. */
const ESCAPED = "\u0001";

/**
 * Ids are any strings, but SQLite's texts end at a NUL for some of its functions, and a lone
 * surrogate has no UTF-8 form, so two different ids could become one. Such ids are stored escaped.
 */
export function toText(id: string): string {
  return UNFIT.test(id) || id.startsWith(ESCAPED) ? ESCAPED + JSON.stringify(id) : id;
}

export function fromText(text: string): string {
  return text.startsWith(ESCAPED) ? (JSON.parse(text.slice(ESCAPED.length)) as string) : text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id of a checkpoint or a task: nearly always a UUID, which takes 16 bytes then and not 36. */
export type StoredId = string | Uint8Array;

/** UUIDs sort as bytes as they do as text; between bytes and texts, SQLite's order is another. */
export function toId(id: string): StoredId {
  return UUID.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : toText(id);
}

export function fromId(stored: StoredId): string {
  if (typeof stored === "string") return fromText(stored);
  const hex = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
