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

/** Where every scenario runs, without anything of Node's. */
const PLACES: readonly [string, (synchronous: boolean) => Promise<readonly WebResult[]>][] = [
  [
    "a thread without Node's globals",
    async (synchronous) => (await runBare(script, [], synchronous)).results,
  ],
  ["Chromium", async (synchronous) => (await runInChromium(script, synchronous)).results],
];

it.each(PLACES)("programs run in %s as they run in Node", async (_place, run) => {
  const { equal, ambient, differing } = await compared(await run(false));
  console.log(`without any storage: ${equal.length} alike, ${ambient.length} that need one`);
  expect(differing).toEqual([]);
  expect(equal.length).toBeGreaterThan(500);
  expect([...HANDS_NOTHING_ON].filter((name) => !ambient.includes(name))).toEqual([]);
});

it.each(PLACES)("and in %s with a storage that a page can have, nearly all of them", async (_place, run) => {
  const { equal, ambient, differing } = await compared(await run(true));
  console.log(
    `with a synchronous storage: ${equal.length} alike, ${ambient.length} that need an asynchronous one`,
  );
  expect(differing).toEqual([]);
  expect(ambient.length).toBeLessThan(equal.length / 10);
});
