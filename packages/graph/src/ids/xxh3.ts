/**
 * XXH3 with 128 bits, seed 0: the hash behind interrupt ids. LangGraph names interrupts by it, and
 * a map from ids to answers must mean the same on both. After the published algorithm by Yann
 * Collet (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
 */

const M64 = (1n << 64n) - 1n;
const P32_1 = 0x9e3779b1n;
const P32_2 = 0x85ebca77n;
const P32_3 = 0xc2b2ae3dn;
const P64_1 = 0x9e3779b185ebca87n;
const P64_2 = 0xc2b2ae3d27d4eb4fn;
const P64_3 = 0x165667b19e3779f9n;
const P64_4 = 0x85ebca77c2b2ae63n;
const P64_5 = 0x27d4eb2f165667c5n;
const MX1 = 0x165667919e3779f9n;
const MX2 = 0x9fb21c651e98df25n;

/** The algorithm's constant secret, in base64. */
const SECRET = bytes(
  "uP5sOSOkS758AYEs9yGtHN7UbemDkJfbckCkpLezZx/LeeZOzMDleIJa0H3M/3IhuAhGdPdDJI7gNZDmgTomTDwoUruR" +
    "wwDLiNBlixtTLqNxZEiXog35TjgZ70ap3qzYqPp2P+OcND/53LvHxwtPHYpR4EvNtFkxyJ9+ydl4c2TqxayDNNPrw8WB" +
    "oP/6E2PrFw3dUbfw2knTFlUmKdRonisWvlh9R6H8j/i40XrQMc5FyzqPlRYEKK/X+8q7S0B+",
);
const encoder = new TextEncoder();

/** @returns 32 hexadecimal digits */
export function xxh3(text: string): string {
  const data = encoder.encode(text);
  const hash = hash128(new DataView(data.buffer, data.byteOffset, data.byteLength));
  return hash.toString(16).padStart(32, "0");
}

export function isXxh3(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

function hash128(data: DataView): bigint {
  const length = data.byteLength;
  if (length <= 16) return upTo16(data);
  if (length <= 128) return upTo128(data);
  if (length <= 240) return upTo240(data);
  return long(data);
}

function upTo16(data: DataView): bigint {
  const length = data.byteLength;
  if (length > 8) return from9(data);
  if (length >= 4) return from4(data);
  if (length > 0) return from1(data);
  return join(avalanche64(secret(64) ^ secret(72)), avalanche64(secret(80) ^ secret(88)));
}

function from1(data: DataView): bigint {
  const length = data.byteLength;
  const combined =
    (BigInt(data.getUint8(0)) << 16n) |
    (BigInt(data.getUint8(length >> 1)) << 24n) |
    BigInt(data.getUint8(length - 1)) |
    BigInt(length << 8);
  const reversed = swap64(combined) >> 32n;
  const swapped = ((reversed << 13n) | (reversed >> 19n)) & 0xffffffffn;
  return join(avalanche64(combined ^ folded32(0)), avalanche64(swapped ^ folded32(8)));
}

function from4(data: DataView): bigint {
  const length = data.byteLength;
  const low = BigInt(data.getUint32(0, true));
  const high = BigInt(data.getUint32(length - 4, true));
  const keyed = (low | (high << 32n)) ^ secret(16) ^ secret(24);
  const product = keyed * (P64_1 + BigInt(length << 2));
  let top = (product >> 64n) & M64;
  let bottom = product & M64;
  top = (top + (bottom << 1n)) & M64;
  bottom = shift(bottom ^ (top >> 3n), 35n);
  bottom = (bottom * MX2) & M64;
  return join(shift(bottom, 28n), avalanche(top));
}

function from9(data: DataView): bigint {
  const length = data.byteLength;
  const flipLow = secret(32) ^ secret(40);
  const flipHigh = secret(48) ^ secret(56);
  const first = data.getBigUint64(0, true);
  let last = data.getBigUint64(length - 8, true);
  const product = (first ^ last ^ flipLow) * P64_1;
  let low = ((product & M64) + (BigInt(length - 1) << 54n)) & M64;
  let high = (product >> 64n) & M64;
  last ^= flipHigh;
  high = (high + last + (last & 0xffffffffn) * (P32_2 - 1n)) & M64;
  low ^= swap64(high);
  const second = low * P64_2;
  const top = ((second >> 64n) + high * P64_2) & M64;
  return join(avalanche(second & M64), avalanche(top));
}

function upTo128(data: DataView): bigint {
  const length = data.byteLength;
  const acc: Pair = [(BigInt(length) * P64_1) & M64, 0n];
  for (let i = Math.floor((length - 1) / 32); i >= 0; i -= 1) {
    mix32(acc, data, 16 * i, length - 16 * (i + 1), 32 * i);
  }
  return finish(acc, length);
}

function upTo240(data: DataView): bigint {
  const length = data.byteLength;
  const acc: Pair = [(BigInt(length) * P64_1) & M64, 0n];
  for (let i = 32; i < 160; i += 32) mix32(acc, data, i - 32, i - 16, i - 32);
  acc[0] = avalanche(acc[0]);
  acc[1] = avalanche(acc[1]);
  for (let i = 160; i <= length; i += 32) mix32(acc, data, i - 32, i - 16, 3 + i - 160);
  mix32(acc, data, length - 16, length - 32, 136 - 17 - 16);
  return finish(acc, length);
}

type Pair = [low: bigint, high: bigint];

function mix32(acc: Pair, data: DataView, first: number, second: number, key: number): void {
  const a = [data.getBigUint64(first, true), data.getBigUint64(first + 8, true)] as const;
  const b = [data.getBigUint64(second, true), data.getBigUint64(second + 8, true)] as const;
  acc[0] = ((acc[0] + fold(a[0] ^ secret(key), a[1] ^ secret(key + 8))) & M64) ^ ((b[0] + b[1]) & M64);
  acc[1] = ((acc[1] + fold(b[0] ^ secret(key + 16), b[1] ^ secret(key + 24))) & M64) ^ ((a[0] + a[1]) & M64);
}

function finish([low, high]: Pair, length: number): bigint {
  const sum = (low + high) & M64;
  const mixed = (low * P64_1 + high * P64_4 + BigInt(length) * P64_2) & M64;
  return join(avalanche(sum), -avalanche(mixed) & M64);
}

const STRIPE = 64;

function long(data: DataView): bigint {
  const acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1];
  const stripesPerBlock = (SECRET.byteLength - STRIPE) / 8;
  const block = STRIPE * stripesPerBlock;
  const blocks = Math.floor((data.byteLength - 1) / block);
  for (let n = 0; n < blocks; n += 1) {
    for (let s = 0; s < stripesPerBlock; s += 1) stripe(acc, data, n * block + s * STRIPE, s * 8);
    scramble(acc, SECRET.byteLength - STRIPE);
  }
  const rest = Math.floor((data.byteLength - 1 - block * blocks) / STRIPE);
  for (let s = 0; s < rest; s += 1) stripe(acc, data, blocks * block + s * STRIPE, s * 8);
  stripe(acc, data, data.byteLength - STRIPE, SECRET.byteLength - STRIPE - 7);
  const length = BigInt(data.byteLength);
  return join(
    merge(acc, 11, (length * P64_1) & M64),
    merge(acc, SECRET.byteLength - STRIPE - 11, M64 - ((length * P64_2) & M64)),
  );
}

function stripe(acc: bigint[], data: DataView, at: number, key: number): void {
  for (let i = 0; i < 8; i += 1) {
    const value = data.getBigUint64(at + i * 8, true);
    const keyed = value ^ secret(key + i * 8);
    acc[i ^ 1] = ((acc[i ^ 1] as bigint) + value) & M64;
    acc[i] = ((acc[i] as bigint) + (keyed & 0xffffffffn) * (keyed >> 32n)) & M64;
  }
}

function scramble(acc: bigint[], key: number): void {
  for (let i = 0; i < 8; i += 1) {
    const value = shift(acc[i] as bigint, 47n) ^ secret(key + i * 8);
    acc[i] = (value * P32_1) & M64;
  }
}

function merge(acc: readonly bigint[], key: number, start: bigint): bigint {
  let sum = start;
  for (let i = 0; i < 4; i += 1) {
    const at = key + 16 * i;
    sum += fold((acc[2 * i] as bigint) ^ secret(at), (acc[2 * i + 1] as bigint) ^ secret(at + 8));
  }
  return avalanche(sum & M64);
}

function secret(at: number): bigint {
  return SECRET.getBigUint64(at, true);
}

/** The two halves of eight bytes of the secret. */
function folded32(at: number): bigint {
  return (secret(at) ^ (secret(at) >> 32n)) & 0xffffffffn;
}

function fold(a: bigint, b: bigint): bigint {
  const product = a * b;
  return (product & M64) ^ (product >> 64n);
}

function shift(value: bigint, by: bigint): bigint {
  return value ^ (value >> by);
}

function avalanche(value: bigint): bigint {
  return shift((shift(value, 37n) * MX1) & M64, 32n);
}

/** The finish of XXH64, for the shortest inputs. */
function avalanche64(value: bigint): bigint {
  return shift((shift((shift(value, 33n) * P64_2) & M64, 29n) * P64_3) & M64, 32n);
}

function join(low: bigint, high: bigint): bigint {
  return (high << 64n) | low;
}

/** The eight bytes the other way round. */
function swap64(value: bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, value);
  return view.getBigUint64(0, true);
}

function bytes(base64: string): DataView {
  return new DataView(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
}
