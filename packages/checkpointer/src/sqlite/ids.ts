import { fromText, toText } from "../core/names.ts";
import { uuidDigit } from "../core/short-id.ts";

/** An id of a checkpoint or a task: nearly always a UUID, which takes 16 bytes then and not 36. */
export type StoredId = string | Uint8Array;

/** UUIDs sort as bytes as they do as text; between bytes and texts, SQLite's order is another. */
export function toId(id: string): StoredId {
  return uuidBytes(id) ?? toText(id);
}

function uuidBytes(id: string): Uint8Array | undefined {
  if (id.length !== 36) return undefined;
  const bytes = Buffer.allocUnsafe(16);
  let digits = 0;
  for (let i = 0; i < 36; i += 1) {
    const digit = uuidDigit(id, i);
    if (digit === undefined) return undefined;
    if (digit === "-") continue;
    bytes[digits >> 1] = (digits & 1) === 0 ? digit << 4 : (bytes[digits >> 1] as number) | digit;
    digits += 1;
  }
  return bytes;
}

export function fromId(stored: StoredId): string {
  if (typeof stored === "string") return fromText(stored);
  const hex = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
