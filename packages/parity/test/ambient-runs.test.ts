import { expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { record } from "../src/scenario.ts";
import { ambientRuns } from "../src/scenarios/ambient-runs.ts";

// not among the scenarios that also run on the web: LangChain's context variables import Node's storage
it.each(ambientRuns.map((one) => [one.name, one] as const))("%s", async (_name, scenario) => {
  expect(await record(scenario, ours)).toEqual(await record(scenario, oracle));
});
