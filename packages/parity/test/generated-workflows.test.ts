import { expect, it } from "vitest";
import { workflows, workflowScenario } from "../src/generate/workflow.ts";
import { sameOnBoth } from "./same.ts";

it.each([1, -77_003])("random workflows behave the same on both engines, seed %i", async (seed) => {
  await expect(sameOnBoth(workflows, workflowScenario, { seed, numRuns: 15 })).resolves.toBeUndefined();
});
