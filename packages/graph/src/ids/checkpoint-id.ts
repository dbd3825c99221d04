/** Milliseconds between the start of the Gregorian calendar and of Unix time. */
const GREGORIAN = 12_219_292_800_000;
const TICKS = 10_000;
const TWO_14 = 2 ** 14;
const TWO_28 = 2 ** 28;
const UUID6 = /^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Makes checkpoint ids (UUID version 6) for one run. Every id sorts after the one before it and
 * after the head that the run started from, whatever the wall clock does in between.
 */
export class CheckpointClock {
  #ms = 0;
  #ticks = 0;
  readonly #node = random24() + random24();

  /** @param after - id that the next one must sort after; ids of other shapes are passed over. */
  constructor(after?: string) {
    if (after !== undefined) this.passed(after);
  }

  /** Never goes back behind `id`. */
  passed(id: string): void {
    if (!UUID6.test(id)) return;
    const bits =
      BigInt(`0x${id.slice(0, 8)}`) * BigInt(TWO_28) + BigInt(`0x${id.slice(9, 13)}${id.slice(15, 18)}`);
    const ms = Number(bits / BigInt(TICKS));
    const ticks = Number(bits % BigInt(TICKS));
    if (ms > this.#ms || (ms === this.#ms && ticks > this.#ticks)) {
      this.#ms = ms;
      this.#ticks = ticks;
    }
  }

  /** @param step - stands in the clock sequence, as in LangGraph; it does not decide the order. */
  next(step: number): string {
    const now = Date.now() + GREGORIAN;
    if (now > this.#ms) {
      this.#ms = now;
      this.#ticks = 0;
    } else if (++this.#ticks === TICKS) {
      this.#ms += 1;
      this.#ticks = 0;
    }
    // 60 bits of time in two exact doubles: upper 32 and lower 28. No remainder is taken of a double: V8 calls a
    // function of the C library for it that goes bit by bit
    const upperMs = Math.floor(this.#ms / TWO_14);
    const scaled = upperMs * TICKS;
    const upper = Math.floor(scaled / TWO_14);
    const rest = (scaled - upper * TWO_14) * TWO_14 + (this.#ms - upperMs * TWO_14) * TICKS + this.#ticks;
    const carried = Math.floor(rest / TWO_28);
    const low = (rest - carried * TWO_28) | 0;
    const high = upper + carried;
    if (high !== last.high) {
      last.high = high;
      last.text = hex(high, 8);
    }
    const sequence = 0x8000 | (step & 0x3fff);
    return `${last.text}-${hex16(low >> 12)}-6${hex12(low & 0xfff)}-${hex16(sequence)}-${this.#node}`;
  }
}

/** The upper half of the last time that was written out: it stays the same for 26 seconds. */
const last = { high: Number.NaN, text: "" };

const BYTES = Array.from({ length: 256 }, (_, byte) => hex(byte, 2));
const hex8 = (byte: number): string => BYTES[byte] as string;
const hex16 = (value: number): string => hex8(value >> 8) + hex8(value & 0xff);
const hex12 = (value: number): string => hex8(value >> 4) + hex8((value & 15) << 4).charAt(0);
const random24 = (): string => {
  const value = Math.floor(Math.random() * 2 ** 24);
  return hex8(value >> 16) + hex16(value & 0xffff);
};

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}
