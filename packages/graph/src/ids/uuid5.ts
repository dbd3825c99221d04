/** Scratch space of one synchronous call, like `CODES`; nothing survives in it. */
const W = new Int32Array(80);
const BLOCKS = new Uint8Array(512);
const DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const HYPHEN = 45;
const CODES = Array.from("00000000-0000-0000-0000-000000000000", (sign) => sign.charCodeAt(0));
const encoder = new TextEncoder();

/**
 * UUID version 5: SHA-1 of a namespace and a name. Synchronous and without node:crypto, because a
 * task needs one before it starts, on every runtime.
 *
 * @param namespace - a UUID; of other text, pairs of hexadecimal digits are taken as they come
 */
export function uuid5(name: string, namespace: string): string {
  const most = (namespace.length >> 1) + name.length * 3 + 9 + 64;
  const message = most <= BLOCKS.length ? BLOCKS : new Uint8Array(most);
  let size = writeHex(message, namespace);
  size = writeText(message, size, name);
  const end = ((size + 8) >> 6) * 64 + 64;
  message[size] = 0x80;
  for (let i = size + 1; i < end - 4; i += 1) message[i] = 0;
  const words = new DataView(message.buffer);
  words.setInt32(end - 4, size * 8);
  return sha1AsUuid(words, end);
}

function writeHex(message: Uint8Array, text: string): number {
  let size = 0;
  let high = -1;
  for (let i = 0; i < text.length; i += 1) {
    const digit = nibble(text.charCodeAt(i));
    if (digit < 0) continue;
    if (high < 0) high = digit;
    else {
      message[size++] = (high << 4) | digit;
      high = -1;
    }
  }
  return size;
}

function nibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function writeText(message: Uint8Array, from: number, text: string): number {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 127) return from + encoder.encodeInto(text, message.subarray(from)).written;
    message[from + i] = code;
  }
  return from + text.length;
}

function sha1AsUuid(message: DataView, end: number): string {
  const w = W;
  let h0 = 0x67452301;
  let h1 = 0xefcdab89 | 0;
  let h2 = 0x98badcfe | 0;
  let h3 = 0x10325476;
  let h4 = 0xc3d2e1f0 | 0;
  for (let block = 0; block < end; block += 64) {
    schedule(w, message, block);
    let a = h0;
    let b = h1;
    let c = h2;
    let d = h3;
    let e = h4;
    // one loop a phase: a choice of phase inside the loop costs three times the hash
    for (let i = 0; i < 20; i += 1) {
      const t = (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + 0x5a827999 + e + (w[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = t;
    }
    for (let i = 20; i < 40; i += 1) {
      const t = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + 0x6ed9eba1 + e + (w[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = t;
    }
    for (let i = 40; i < 60; i += 1) {
      const f = (b & c) | (b & d) | (c & d);
      const t = (((a << 5) | (a >>> 27)) + f + (0x8f1bbcdc | 0) + e + (w[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = t;
    }
    for (let i = 60; i < 80; i += 1) {
      const t = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + (0xca62c1d6 | 0) + e + (w[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = t;
    }
    h0 = (h0 + a) | 0;
    h1 = (h1 + b) | 0;
    h2 = (h2 + c) | 0;
    h3 = (h3 + d) | 0;
    h4 = (h4 + e) | 0;
  }
  const version = (h1 & 0xffff0fff) | 0x5000;
  const variant = (h2 & 0x3fffffff) | 0x80000000;
  put(put(put(put(0, h0), version), variant), h3);
  // in one piece: put together of parts, an id that is kept takes ten times its length
  return String.fromCharCode(...CODES);
}

/** Writes the digits of a word from a place on, and says where the next ones go. */
function put(from: number, word: number): number {
  let at = from;
  for (let shift = 28; shift >= 0; shift -= 4) {
    if (CODES[at] === HYPHEN) at += 1;
    CODES[at] = DIGITS[(word >>> shift) & 15] as number;
    at += 1;
  }
  return at;
}

function schedule(w: Int32Array, message: DataView, block: number): void {
  for (let i = 0; i < 16; i += 1) w[i] = message.getInt32(block + i * 4);
  for (let i = 16; i < 80; i += 1) {
    const x = (w[i - 3] as number) ^ (w[i - 8] as number) ^ (w[i - 14] as number) ^ (w[i - 16] as number);
    w[i] = (x << 1) | (x >>> 31);
  }
}
