import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CrashMatrix } from "./crash/matrix.ts";

const KILLS = 1_000;
/** Processes at a time. */
const LANES = 2;

describe("a thread on SQLite whose process is killed with SIGKILL (F9)", () => {
  const matrix = new CrashMatrix(6);
  beforeAll(() => matrix.prepare());
  afterAll(() => matrix.close());

  it(`loses nothing and applies nothing twice: every boundary of a write, then random moments, ${KILLS} in all`, async () => {
    const moments = Array.from({ length: KILLS }, (_, i) =>
      i < matrix.boundaries ? { boundary: i } : { ms: Math.random() * 60 },
    );
    expect(matrix.boundaries).toBeGreaterThan(200);
    let alive = 0;
    const lane = async (): Promise<void> => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        if (await matrix.kill(moment)) alive += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(alive).toBeGreaterThan(KILLS / 2);
  });
});
