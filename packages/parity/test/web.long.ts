import { beforeAll, expect, it } from "vitest";
import { runBare } from "../src/web/bare-worker.ts";
import { bundleScenarios } from "../src/web/bundle.ts";
import { runInChromium } from "../src/web/chromium.ts";
import { compared, HANDS_NOTHING_ON } from "../src/web/compare.ts";
import type { WebResult } from "../src/web/entry.ts";

let script = "";
beforeAll(async () => {
  script = await bundleScenarios();
});

it.each([
  ["a thread without Node's globals", async () => (await runBare(script, [], false)).results],
  ["Chromium", async () => (await runInChromium(script, false)).results],
] satisfies readonly [string, () => Promise<readonly WebResult[]>][])(
  "programs run in %s as they run in Node",
  async (_place, run) => {
    const { equal, ambient, differing } = await compared(await run());
    console.log(`without any storage: ${equal.length} alike, ${ambient.length} that need one`);
    expect(differing).toEqual([]);
    expect(equal.length).toBeGreaterThan(500);
    expect([...HANDS_NOTHING_ON].filter((name) => !ambient.includes(name))).toEqual([]);
  },
);

it("and in Chromium with a storage that a page can have, nearly all of them", async () => {
  const { results } = await runInChromium(script, true);
  const { equal, ambient, differing } = await compared(results);
  console.log(
    `with a synchronous storage: ${equal.length} alike, ${ambient.length} that need an asynchronous one`,
  );
  expect(differing).toEqual([]);
  expect(ambient.length).toBeLessThan(equal.length / 10);
});
