import { fromText, toText } from "./names.ts";

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

/** An id of a checkpoint or a task as text: nearly always a UUID, which takes 22 characters then and not 36. */
export function shortId(id: string): string {
  return shortUuid(id) ?? OTHER + toText(id);
}

/** Undefined for what is no UUID. In one pass, because every step writes ids. */
function shortUuid(id: string): string | undefined {
  if (id.length !== 36) return undefined;
  let text = "";
  // a one before the digits tells how many there are
  let bits = 1;
  for (let i = 0; i < 36; i += 1) {
    const digit = uuidDigit(id, i);
    if (digit === undefined) return undefined;
    if (digit === "-") continue;
    bits = (bits << 4) | digit;
    if (bits < 4096) continue;
    text += pair(bits);
    bits = 1;
  }
  return text + pair(bits << 4);
}

/** The hexadecimal digit, or the hyphen, at a place of a UUID; undefined for what is neither. */
export function uuidDigit(id: string, place: number): number | "-" | undefined {
  const code = id.charCodeAt(place);
  if (place === 8 || place === 13 || place === 18 || place === 23) return code === 45 ? "-" : undefined;
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : undefined;
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
