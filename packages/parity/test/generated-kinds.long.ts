import { expect, it } from "vitest";
import { handMade, handMadeScenario } from "../src/generate/by-hand.ts";
import { workflows, workflowScenario } from "../src/generate/workflow.ts";
import { sameOnBoth } from "./same.ts";

/** SKEIN_SEED=random looks for new programs, SKEIN_SEED=N repeats a failure (its seed is printed). */
const given = process.env["SKEIN_SEED"] ?? "20261122";
const seed = given === "random" ? Date.now() | 0 : Number(given);
const THOUSAND = { seed, numRuns: 1_000 };

it(`a thousand programs wired by hand behave the same on both engines, seed ${seed}`, async () => {
  await expect(sameOnBoth(handMade, handMadeScenario, THOUSAND)).resolves.toBeUndefined();
});

it(`a thousand random workflows behave the same on both engines, seed ${seed}`, async () => {
  await expect(sameOnBoth(workflows, workflowScenario, THOUSAND)).resolves.toBeUndefined();
});
