import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { programs } from "../src/generate/program.ts";
import { recordBoth } from "../src/generate/run.ts";

/** SKEIN_SEED=random looks for new programs, SKEIN_SEED=N repeats a failure (its seed is printed). */
const given = process.env["SKEIN_SEED"] ?? "20261121";
const seed = given === "random" ? Date.now() | 0 : Number(given);

describe("thousands of random programs behave the same on both engines", () => {
  it(`seed ${seed}`, async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { mine, theirs } = await recordBoth(program, ours, oracle);
        expect(mine).toEqual(theirs);
      }),
      { seed, numRuns: 5_000 },
    );
  });
});
