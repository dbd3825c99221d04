import * as fc from "fast-check";
import { expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { handMade, handMadeScenario } from "../src/generate/by-hand.ts";
import { record } from "../src/scenario.ts";

/** SKEIN_SEED=random looks for new programs, SKEIN_SEED=N repeats a failure (its seed is printed). */
const given = process.env["SKEIN_SEED"] ?? "20261122";
const seed = given === "random" ? Date.now() | 0 : Number(given);

it(`a thousand programs wired by hand behave the same on both engines, seed ${seed}`, async () => {
  const same = fc.asyncProperty(handMade, async (made) => {
    const program = handMadeScenario(made);
    expect(await record(program, ours)).toEqual(await record(program, oracle));
  });
  await expect(fc.assert(same, { seed, numRuns: 1_000 })).resolves.toBeUndefined();
});
