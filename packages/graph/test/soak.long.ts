import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundlePrograms } from "../../bench/src/bundle.ts";

/** Bytes that a run may leave behind on average: collections are not exact. One list of a run takes 1 KB. */
const BYTES_A_RUN = 64;

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
async function soak(segments: number, rounds: number): Promise<Soaked> {
  const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.soak-"));
  try {
    const [worker = ""] = await bundlePrograms([join(import.meta.dirname, "soak-worker.ts")], folder);
    const args = ["--expose-gc", worker, String(segments), String(rounds)];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Soaked;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("20,000 runs, left, stopped, failed and interrupted, leave no memory, listener or timer", async () => {
  const { runs, heaps, listeners, timers, isForced } = await soak(10, 200);
  expect(isForced).toBe(true);
  expect(runs).toBeGreaterThanOrEqual(20_000);
  expect(listeners).toBe(0);
  // the saver's, which renews claims, and none of a run
  expect(timers).toBeLessThanOrEqual(1);
  // the first segment warms up
  const grown = (heaps.at(-1) as number) - (heaps[1] as number);
  expect(grown, `heaps: ${heaps.join(", ")}`).toBeLessThan(runs * 0.8 * BYTES_A_RUN);
});
