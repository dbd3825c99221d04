import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Bytes that a run may leave behind on average, where compilers and caches still settle. A run that stays takes 30 KB and more. */
const BYTES_A_RUN = 2_048;

interface Soaked {
  readonly runs: number;
  /** Bytes in use after each segment, garbage collected. */
  readonly heaps: readonly number[];
  /** On a signal that all runs were given. */
  readonly listeners: number;
  readonly timers: number;
  readonly isForced: boolean;
}

/** A process of its own, whose heap nobody else fills. */
function soak(segments: number, rounds: number): Soaked {
  const flags = ["--expose-gc", "--no-warnings", "--import", "tsx", "--conditions=@skein/source"];
  const worker = join(import.meta.dirname, "soak-worker.ts");
  const output = execFileSync(process.execPath, [...flags, worker, String(segments), String(rounds)], {
    encoding: "utf8",
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  return JSON.parse(output) as Soaked;
}

test("thousands of runs, left, stopped, failed and interrupted, leave no memory, listener or timer", () => {
  const { runs, heaps, listeners, timers, isForced } = soak(5, 100);
  expect(isForced).toBe(true);
  expect(runs).toBeGreaterThanOrEqual(5_000);
  expect(listeners).toBe(0);
  // the saver's, which renews claims, and none of a run
  expect(timers).toBeLessThanOrEqual(1);
  // the first segment warms up
  const grown = (heaps.at(-1) as number) - (heaps[1] as number);
  expect(grown, `heaps: ${heaps.join(", ")}`).toBeLessThan(((runs * 3) / 5) * BYTES_A_RUN);
});
