import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { programs } from "../src/generate/program.ts";
import { recordBoth } from "../src/generate/run.ts";

const SEEDS = [1, 20_261_121, -77_003];

describe("random programs behave the same on both engines", () => {
  it.each(SEEDS)("seed %i", async (seed) => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { mine, theirs } = await recordBoth(program, ours, oracle);
        expect(mine).toEqual(theirs);
      }),
      { seed, numRuns: 80 },
    );
  });
});
