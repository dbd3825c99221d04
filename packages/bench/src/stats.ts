export function median(samples: readonly number[]): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Milliseconds that each of `count` calls took, after `warmUp` calls that are not counted. */
export async function sample(count: number, warmUp: number, act: () => unknown): Promise<number[]> {
  const samples: number[] = [];
  for (let call = 0; call < warmUp + count; call += 1) {
    const start = performance.now();
    const result = act();
    if (result instanceof Promise) await result;
    if (call >= warmUp) samples.push(performance.now() - start);
  }
  return samples;
}
