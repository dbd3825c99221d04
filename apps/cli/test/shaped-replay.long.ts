import * as fc from "fast-check";
import { expect, it } from "vitest";
import { thread } from "../../../packages/context/test/threads.ts";
import { holds, recordingOf, SHAPES } from "./shaped-replay.ts";

it.each(Object.keys(SHAPES))("many threads, at every model call: %s (9)", async (shape) => {
  let shaped = 0;
  await fc.assert(
    fc.asyncProperty(thread, async (messages) => {
      const { compactions, shortened } = await holds(() => recordingOf(messages), shape, true);
      shaped += compactions + shortened.compression + shortened.fitted;
    }),
    { numRuns: 100 },
  );
  expect(shaped).toBeGreaterThan(20);
});
