import * as fc from "fast-check";
import { expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { handMade, handMadeScenario } from "../src/generate/by-hand.ts";
import { record } from "../src/scenario.ts";

it.each([1, -77_003])(
  "random programs wired by hand behave the same on both engines, seed %i",
  async (seed) => {
    const same = fc.asyncProperty(handMade, async (made) => {
      const program = handMadeScenario(made);
      expect(await record(program, ours)).toEqual(await record(program, oracle));
    });
    await expect(fc.assert(same, { seed, numRuns: 12 })).resolves.toBeUndefined();
  },
);
