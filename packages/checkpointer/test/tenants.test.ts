import * as fc from "fast-check";
import { expect, it } from "vitest";
import { seen, steps, TENANTS } from "./support/tenants.ts";

/** The long run has a hundred of each. */
const RUNS: Readonly<Record<keyof typeof TENANTS, number>> = {
  MemorySaver: 1,
  "SqliteSaver, one database": 3,
  "SqliteSaver, one file opened twice": 1,
  PostgresSaver: 1,
};

it.each(Object.entries(RUNS))(
  "two tenants with the same ids see and touch nothing of one another, whatever they do: %s",
  async (kind, numRuns) => {
    const open = TENANTS[kind as keyof typeof TENANTS];
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { together, alone } = await seen(open, all);
        expect(together).toEqual(alone);
      }),
      { numRuns, seed: 7 },
    );
  },
);
