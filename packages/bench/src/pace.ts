import { setTimeout as sleep } from "node:timers/promises";

/** Dense arithmetic of 30 us that needs no compiler and leaves no garbage: it reads hexadecimal digits. */
const DIGITS = "0123456789abcdef".repeat(4_000);
const READ = Buffer.alloc(DIGITS.length / 2);

/**
 * Quick: at most so many times the quickest probe. Seen here (us): 30 to 40, with the clock's frequency, and
 * 45 to 60 while the core's other thread works for somebody else; hardly anything between.
 */
const QUICK = 1.4;

/** Milliseconds of the work above; the least of five, so that being interrupted does not count. */
function probe(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    READ.write(DIGITS, "hex");
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

/** What a process saw of its core. */
export interface PaceSeen {
  /** Milliseconds of the quickest probe so far. */
  readonly quickest: number;
  /** Samples, or measurements that cannot be sampled, taken while the core was quick, and while it was not. */
  readonly counted: number;
  readonly aside: number;
  /** Series that had to be made of slow samples. */
  readonly mixed: number;
}

let seen: PaceSeen = { quickest: Number.POSITIVE_INFINITY, counted: 0, aside: 0, mixed: 0 };

export const paceSeen = (): PaceSeen => seen;

export function note(part: Partial<PaceSeen>): void {
  const { counted, aside, mixed } = seen;
  seen = {
    quickest: Math.min(seen.quickest, part.quickest ?? Number.POSITIVE_INFINITY),
    counted: counted + (part.counted ?? 0),
    aside: aside + (part.aside ?? 0),
    mixed: mixed + (part.mixed ?? 0),
  };
}

/** Whether this thread's core is at the quickest pace seen. */
export function isQuick(): boolean {
  const took = probe();
  note({ quickest: took });
  return took <= seen.quickest * QUICK;
}

/** Looks for the quickest pace for so many milliseconds. */
export async function findQuickest(milliseconds: number): Promise<void> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(5)) isQuick();
}

const LONGEST_WAIT_MS = 20_000;

/** Before something that cannot be made again: states of a core mostly end within seconds. */
export async function waitUntilQuick(): Promise<void> {
  for (const end = performance.now() + LONGEST_WAIT_MS; !isQuick() && performance.now() < end;)
    await sleep(20);
}

/** How often a measurement is taken again for the sake of a quick core. */
export const PATIENCE = 3;

/** Milliseconds between probes while samples are taken: a core may change its state several times a second. */
const GROUP_MS = 10;

/** Parts of a series with what was the core's pace before and after each. */
export class PacedSamples {
  readonly #quick: number[] = [];
  readonly #all: number[] = [];
  #group: number[] = [];
  #since = performance.now();
  readonly #isQuick: () => boolean;
  #wasQuick: boolean;

  /** @param isQuickNow - default: a probe of the core */
  constructor(isQuickNow = isQuick) {
    this.#isQuick = isQuickNow;
    this.#wasQuick = isQuickNow();
  }

  get quick(): number {
    return this.#quick.length;
  }

  get all(): number {
    return this.#all.length;
  }

  /** @returns whether a group ended with it, so that the counts have changed */
  add(sample: number): boolean {
    this.#group.push(sample);
    if (performance.now() - this.#since < GROUP_MS) return false;
    this.end();
    return true;
  }

  end(): void {
    const quick = this.#isQuick();
    if (quick && this.#wasQuick) this.#quick.push(...this.#group);
    this.#all.push(...this.#group);
    this.#group = [];
    this.#wasQuick = quick;
    this.#since = performance.now();
  }

  /** The quick ones, or all where fewer than a tenth were quick. */
  take(): number[] {
    if (this.#group.length > 0) this.end();
    if (this.#all.length === 0) return [];
    const [quick, all] = [this.#quick.length, this.#all.length];
    const isMixed = 10 * quick < all;
    note({ counted: quick, aside: all - quick, mixed: isMixed ? 1 : 0 });
    return isMixed ? this.#all : this.#quick;
  }
}
