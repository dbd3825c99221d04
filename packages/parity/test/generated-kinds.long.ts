import * as fc from "fast-check";
import { expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { handMade, handMadeScenario } from "../src/generate/by-hand.ts";
import { workflows, workflowScenario } from "../src/generate/workflow.ts";
import { record, type Scenario } from "../src/scenario.ts";

/** SKEIN_SEED=random looks for new programs, SKEIN_SEED=N repeats a failure (its seed is printed). */
const given = process.env["SKEIN_SEED"] ?? "20261122";
const seed = given === "random" ? Date.now() | 0 : Number(given);

function thousand<Program>(programs: fc.Arbitrary<Program>, scenarioOf: (program: Program) => Scenario) {
  const same = fc.asyncProperty(programs, async (program) => {
    const scenario = scenarioOf(program);
    expect(await record(scenario, ours)).toEqual(await record(scenario, oracle));
  });
  return fc.assert(same, { seed, numRuns: 1_000 });
}

it(`a thousand programs wired by hand behave the same on both engines, seed ${seed}`, async () => {
  await expect(thousand(handMade, handMadeScenario)).resolves.toBeUndefined();
});

it(`a thousand random workflows behave the same on both engines, seed ${seed}`, async () => {
  await expect(thousand(workflows, workflowScenario)).resolves.toBeUndefined();
});
