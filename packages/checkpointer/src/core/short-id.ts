import { fromText, toText } from "./names.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** 64 characters in the order of their codes, so that short forms sort as what they stand for. */
const DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** Begins whatever is not a UUID; comes behind every digit. */
const OTHER = "~";

/** Two digits for each three of hexadecimal ones. */
const PAIRS: readonly string[] = Array.from(
  { length: 4096 },
  (_, i) => (DIGITS[i >> 6] as string) + (DIGITS[i & 63] as string),
);
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));

export function isUuid(id: string): boolean {
  return UUID.test(id);
}

/** An id of a checkpoint or a task as text: nearly always a UUID, which takes 22 characters then and not 36. */
export function shortId(id: string): string {
  if (!UUID.test(id)) return OTHER + toText(id);
  const hex = id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
  let text = "";
  for (let i = 0; i < 30; i += 3) text += PAIRS[Number.parseInt(hex.slice(i, i + 3), 16)];
  return text + (PAIRS[Number.parseInt(hex.slice(30), 16) << 4] as string);
}

export function fromShortId(text: string): string {
  if (text.startsWith(OTHER)) return fromText(text.slice(1));
  let hex = "";
  for (let i = 0; i < 22; i += 2) {
    const bits = ((VALUES.get(text[i] as string) ?? 0) << 6) | (VALUES.get(text[i + 1] as string) ?? 0);
    hex += i < 20 ? bits.toString(16).padStart(3, "0") : (bits >> 4).toString(16).padStart(2, "0");
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Whether a stored id is the short form of a UUID. */
export const isShort = (text: string): boolean => !text.startsWith(OTHER);

const pair = (bits: number): string => PAIRS[bits & 4095] as string;

/** A time in milliseconds since 1970 as 8 characters that sort as the times do. */
export function shortTime(time: number): string {
  const high = Math.floor(time / 0x1_00_00_00);
  const low = time % 0x1_00_00_00;
  return pair(high >> 12) + pair(high) + pair(low >> 12) + pair(low);
}

export function fromShortTime(text: string): number {
  let time = 0;
  for (const digit of text) time = time * 64 + (VALUES.get(digit) ?? 0);
  return time;
}
