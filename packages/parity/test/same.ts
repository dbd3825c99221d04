import * as fc from "fast-check";
import { expect } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { record, type Scenario } from "../src/scenario.ts";

/** Runs generated programs on both engines; rejects with the first, shrunk, on which they differ. */
export function sameOnBoth<Program>(
  programs: fc.Arbitrary<Program>,
  scenarioOf: (program: Program) => Scenario,
  parameters: { readonly seed: number; readonly numRuns: number },
): Promise<void> {
  const same = fc.asyncProperty(programs, async (program) => {
    const scenario = scenarioOf(program);
    expect(await record(scenario, ours)).toEqual(await record(scenario, oracle));
  });
  return fc.assert(same, parameters);
}
