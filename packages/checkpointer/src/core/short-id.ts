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

/** Where the digits of a UUID stand, between its hyphens. */
const PLACES = Uint8Array.from({ length: 36 }, (_, i) => i).filter((i) => !isHyphen(i));
/** The hexadecimal digits by their codes; -1 for whatever is none. */
const HEX = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code)),
);

function isHyphen(place: number): boolean {
  return place === 8 || place === 13 || place === 18 || place === 23;
}

/** Undefined for what is no UUID. */
function shortUuid(id: string): string | undefined {
  if (!hasHyphens(id)) return undefined;
  let text = "";
  for (let i = 0; i < 30; i += 3) {
    const bits = (uuidDigit(id, i) << 8) | (uuidDigit(id, i + 1) << 4) | uuidDigit(id, i + 2);
    if (bits < 0) return undefined;
    text += PAIRS[bits] as string;
  }
  const rest = (uuidDigit(id, 30) << 8) | (uuidDigit(id, 31) << 4);
  return rest < 0 ? undefined : text + (PAIRS[rest] as string);
}

/** Whether a text has the length of a UUID, and hyphens where a UUID has them. */
export function hasHyphens(id: string): boolean {
  if (id.length !== 36 || id.charCodeAt(8) !== HYPHEN || id.charCodeAt(13) !== HYPHEN) return false;
  return id.charCodeAt(18) === HYPHEN && id.charCodeAt(23) === HYPHEN;
}
const HYPHEN = 45;

/** The value of one of the 32 digits of what has the hyphens of a UUID; -1 for what is no digit. */
export function uuidDigit(id: string, at: number): number {
  const code = id.charCodeAt(PLACES[at] as number);
  return code < 128 ? (HEX[code] as number) : -1;
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
