import * as fc from "fast-check";
import { expect, it } from "vitest";
import { seen, steps, TENANTS } from "./support/tenants.ts";

it.each(Object.entries(TENANTS))(
  "two tenants with the same ids see and touch nothing of one another, a hundred times: %s",
  async (_, open) => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { together, alone } = await seen(open, all);
        expect(together).toEqual(alone);
      }),
      { numRuns: 100 },
    );
  },
);
