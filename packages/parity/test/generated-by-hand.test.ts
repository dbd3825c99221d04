import { expect, it } from "vitest";
import { handMade, handMadeScenario } from "../src/generate/by-hand.ts";
import { sameOnBoth } from "./same.ts";

it.each([1, -77_003])(
  "random programs wired by hand behave the same on both engines, seed %i",
  async (seed) => {
    await expect(sameOnBoth(handMade, handMadeScenario, { seed, numRuns: 12 })).resolves.toBeUndefined();
  },
);
