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

/** A namespace as bytes: parts sort one by one, by code point. */
export function namespaceBytes(parts: readonly string[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [escapeNul(textBytes(part)), Buffer.of(END)]));
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
export function endOfPrefix(prefix: Uint8Array): Buffer {
  return Buffer.concat([prefix, Buffer.of(0xff)]);
}

/** UTF-8, in which half a surrogate pair is written like any other code point. */
export function textBytes(text: string): Buffer {
  if (!HALF.test(text)) return Buffer.from(text, "utf8");
  return Buffer.concat(
    Array.from(text, (character) => {
      if (!HALF.test(character)) return Buffer.from(character, "utf8");
      const half = character.charCodeAt(0);
      return Buffer.of(0xe0 | (half >> 12), 0x80 | ((half >> 6) & 0x3f), 0x80 | (half & 0x3f));
    }),
  );
}

export function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // a half is ED, then A0 or more: no other character has that
  const half = buffer.findIndex((byte, i) => byte === 0xed && (buffer[i + 1] ?? 0) >= 0xa0);
  if (half < 0) return buffer.toString("utf8");
  const code = 0xd000 | (((buffer[half + 1] as number) & 0x3f) << 6) | ((buffer[half + 2] as number) & 0x3f);
  const before = buffer.subarray(0, half).toString("utf8");
  return before + String.fromCharCode(code) + textOf(buffer.subarray(half + 3));
}

function escapeNul(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes;
  return Buffer.from(Array.from(bytes, (byte) => (byte === 0 ? [END, NUL_FOLLOWS] : [byte])).flat());
}
