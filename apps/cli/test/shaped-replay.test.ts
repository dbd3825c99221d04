import * as fc from "fast-check";
import { expect, it } from "vitest";
import { thread } from "../../../packages/context/test/threads.ts";
import { holds, recordingOf, SHAPES } from "./shaped-replay.ts";

it.each(Object.keys(SHAPES))("any thread, at every model call: %s (9)", async (shape) => {
  await fc.assert(
    fc.asyncProperty(thread, async (messages) => {
      const { unsaid } = await holds(() => recordingOf(messages), shape, true);
      expect(unsaid).toBe(0);
    }),
    { numRuns: 3 },
  );
});
