import { PacedSamples, PATIENCE, waitUntilQuick } from "./pace.ts";

export function median(samples: readonly number[]): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Compilers need time, not rounds: fast code would otherwise be measured cold, above all where others run. */
const WARM_UP_MS = 3_000;

/**
 * Milliseconds that each of at least `count` calls took, after a warm-up of at least `warmUp` calls. Calls
 * that the core was slow for are set aside and made again, up to three times as many as were wanted.
 *
 * @param limits - milliseconds: after `longest` the warm-up ends in any case (default: none), before `least`
 *   it does not (default: 3,000); calls are measured for `during` at least (default: 0). `tells`: each call
 *   answers its milliseconds itself
 */
export async function sample(
  count: number,
  warmUp: number,
  act: () => unknown,
  {
    longest = Number.POSITIVE_INFINITY,
    least = WARM_UP_MS,
    during = 0,
    tells = false,
  }: { longest?: number; least?: number; during?: number; tells?: boolean } = {},
): Promise<number[]> {
  const call = async (): Promise<number> => {
    const start = performance.now();
    const answer = act();
    const told = answer instanceof Promise ? ((await answer) as unknown) : answer;
    return tells ? (told as number) : performance.now() - start;
  };
  const start = performance.now();
  const isWarm = (calls: number): boolean => {
    const passed = performance.now() - start;
    return passed >= longest || (passed >= least && calls >= warmUp);
  };
  for (let calls = 0; !isWarm(calls); calls += 1) await call();
  const samples = new PacedSamples();
  const warm = performance.now();
  const isDone = (): boolean => {
    const passed = performance.now() - warm;
    if (samples.quick >= count && passed >= during) return true;
    return samples.all >= PATIENCE * count && passed >= PATIENCE * during;
  };
  for (let grouped = true; !(grouped && isDone());) grouped = samples.add(await call());
  return samples.take();
}

/** Milliseconds of the last calls of a series. */
export interface Last {
  /** Of those that the core was quick for. */
  readonly quick: readonly number[];
  /** Rare and long ones, such as a compaction, are in all of them as often as they are made. */
  readonly all: readonly number[];
}

/** The last `tail` of `count` calls, each of which tells its milliseconds; they begin when the core is quick. */
export async function lastOf(
  count: number,
  tail: number,
  act: (call: number) => Promise<number>,
): Promise<Last> {
  for (let call = 1; call <= count - tail; call += 1) await act(call);
  if (tail === 0) return { quick: [], all: [] };
  await waitUntilQuick();
  const samples = new PacedSamples();
  const all: number[] = [];
  for (let call = count - tail + 1; call <= count; call += 1) {
    const took = await act(call);
    samples.add(took);
    all.push(took);
  }
  return { quick: samples.take(), all };
}

/** Times the median from which on a call is a long one. */
const LONG = 3;

/**
 * Mean of a call while the core is quick. Rare long ones, such as a compaction, count as often as they are
 * made and as long as they took: groups with one of them are set aside more often than others.
 */
export function meanOf({ quick, all }: Last): number {
  const [middle, least] = [median(quick), LONG * median(all)];
  const usual = quick.filter((sample) => sample <= LONG * middle);
  const long = all.filter((sample) => sample > least);
  const share = long.length / all.length;
  return (1 - share) * mean(usual) + (share === 0 ? 0 : share * mean(long));
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, one) => sum + one, 0) / samples.length;
}
