/**
 * Namespaces and keys as bytes. Every database compares bytes alike, so order and prefixes mean the
 * same everywhere, whatever the texts hold (dots, NUL, `%`, half a surrogate pair):
 *
 * - Each part ends with a zero byte, so that ["a"] is a prefix of ["a", "b"], never of ["ab"].
 * - A NUL within a part is 00 FF. No text has a byte FF, so it is told from an end, and
 *   everything below a namespace lies between its bytes and its bytes followed by FF.
 */

const END = 0x00;
const NUL_FOLLOWS = 0xff;

/** A surrogate that is not part of a pair. */
const HALF = /\p{Surrogate}/u;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A namespace as bytes: parts sort one by one, by code point. */
export function namespaceBytes(parts: readonly string[]): Uint8Array {
  return concat(parts.flatMap((part) => [escapeNul(textBytes(part)), Uint8Array.of(END)]));
}

export function namespaceOf(bytes: Uint8Array): string[] {
  const parts: string[] = [];
  let part: number[] = [];
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] as number;
    if (byte !== END) part.push(byte);
    else if (bytes[i + 1] === NUL_FOLLOWS) {
      part.push(0);
      i += 1;
    } else {
      parts.push(textOf(Uint8Array.from(part)));
      part = [];
    }
  }
  return parts;
}

/** The first bytes after every namespace that begins with these parts. */
export function endOfPrefix(prefix: Uint8Array): Uint8Array {
  return concat([prefix, Uint8Array.of(0xff)]);
}

/** UTF-8, in which half a surrogate pair is written like any other code point. */
export function textBytes(text: string): Uint8Array {
  if (!HALF.test(text)) return encoder.encode(text);
  return concat(
    Array.from(text, (character) => {
      if (!HALF.test(character)) return encoder.encode(character);
      const half = character.charCodeAt(0);
      return Uint8Array.of(0xe0 | (half >> 12), 0x80 | ((half >> 6) & 0x3f), 0x80 | (half & 0x3f));
    }),
  );
}

export function textOf(bytes: Uint8Array): string {
  let text = "";
  let from = 0;
  for (let half = halfFrom(bytes, 0); half >= 0; half = halfFrom(bytes, from)) {
    const code = 0xd000 | (((bytes[half + 1] as number) & 0x3f) << 6) | ((bytes[half + 2] as number) & 0x3f);
    text += decoder.decode(bytes.subarray(from, half)) + String.fromCharCode(code);
    from = half + 3;
  }
  return text + decoder.decode(bytes.subarray(from));
}

/** Where the next half is: ED, then A0 or more, which no other character has. */
function halfFrom(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(0xed, from);
  while (at >= 0 && (bytes[at + 1] ?? 0) < 0xa0) at = bytes.indexOf(0xed, at + 1);
  return at;
}

/** Bytes as a text of one character a byte, which compares as they do. */
export function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function escapeNul(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(0)) return bytes;
  return Uint8Array.from(Array.from(bytes, (byte) => (byte === 0 ? [END, NUL_FOLLOWS] : [byte])).flat());
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
