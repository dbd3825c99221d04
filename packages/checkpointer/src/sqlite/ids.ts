import { fromText, toText } from "../core/names.ts";
import { isUuid } from "../core/short-id.ts";

/** An id of a checkpoint or a task: nearly always a UUID, which takes 16 bytes then and not 36. */
export type StoredId = string | Uint8Array;

/** UUIDs sort as bytes as they do as text; between bytes and texts, SQLite's order is another. */
export function toId(id: string): StoredId {
  return isUuid(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : toText(id);
}

export function fromId(stored: StoredId): string {
  if (typeof stored === "string") return fromText(stored);
  const hex = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
