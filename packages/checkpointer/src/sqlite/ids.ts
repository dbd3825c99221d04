import { fromText, toText } from "../core/names.ts";
import { hasHyphens, uuidDigit } from "../core/short-id.ts";

/** An id of a checkpoint or a task: nearly always a UUID, which takes 16 bytes then and not 36. */
export type StoredId = string | Uint8Array;

/** UUIDs sort as bytes as they do as text; between bytes and texts, SQLite's order is another. */
export function toId(id: string): StoredId {
  return uuidBytes(id) ?? toText(id);
}

function uuidBytes(id: string): Uint8Array | undefined {
  if (!hasHyphens(id)) return undefined;
  const bytes = Buffer.allocUnsafe(16);
  for (let i = 0; i < 16; i += 1) {
    const byte = (uuidDigit(id, 2 * i) << 4) | uuidDigit(id, 2 * i + 1);
    if (byte < 0) return undefined;
    bytes[i] = byte;
  }
  return bytes;
}

export function fromId(stored: StoredId): string {
  if (typeof stored === "string") return fromText(stored);
  const hex = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
