import { expect, it } from "vitest";
import { runBare } from "../src/web/bare-worker.ts";
import { bundleScenarios } from "../src/web/bundle.ts";
import { compared } from "../src/web/compare.ts";

/** A share of them that is done in a second; all run in web.long.ts and in chromium.long.ts. */
const THEMES = ["reducers", "edges", "commands", "sends"];

it("programs run alike in Node and where there is nothing of Node's", async () => {
  const { nodes, results } = await runBare(await bundleScenarios(), THEMES);
  expect(nodes).toEqual([]);
  const { equal, differing } = await compared(results);
  expect(differing).toEqual([]);
  expect(equal.length).toBeGreaterThan(50);
});
