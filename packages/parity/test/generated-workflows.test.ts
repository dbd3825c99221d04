import * as fc from "fast-check";
import { expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { workflows, workflowScenario } from "../src/generate/workflow.ts";
import { record } from "../src/scenario.ts";

it.each([1, -77_003])("random workflows behave the same on both engines, seed %i", async (seed) => {
  const same = fc.asyncProperty(workflows, async (workflow) => {
    const program = workflowScenario(workflow);
    expect(await record(program, ours)).toEqual(await record(program, oracle));
  });
  await expect(fc.assert(same, { seed, numRuns: 15 })).resolves.toBeUndefined();
});
