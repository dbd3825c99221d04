import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as OurSaver } from "@skein/checkpointer/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { programs } from "../src/generate/program.ts";
import { type Cast, recordBoth } from "../src/generate/run.ts";

const SEEDS = [1, 20_261_121, -77_003];

const theirSaver = () => ({ saver: new MemorySaver(), close: () => {} });
const ourSaver = () => ({ saver: new OurSaver() as never, close: () => {} });
const original: Cast = { engines: [oracle], saver: theirSaver, asSaved: true };

async function firstDifference(mine: Cast, seed: number, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const recordings = await recordBoth(program, mine, original);
      expect(recordings.mine).toEqual(recordings.theirs);
    }),
    { seed, numRuns },
  );
}

describe("random programs behave the same on both engines", () => {
  it.each(SEEDS)("seed %i", async (seed) => {
    const mine: Cast = { engines: [ours], saver: theirSaver, asSaved: true };
    await expect(firstDifference(mine, seed, 10)).resolves.toBeUndefined();
  });
});

describe("threads of random programs cross over", () => {
  const casts: readonly (readonly [string, Cast])[] = [
    ["from LangGraph to Skein and back", { engines: [oracle, ours], saver: theirSaver, asSaved: true }],
    ["from Skein to LangGraph and back", { engines: [ours, oracle], saver: theirSaver, asSaved: true }],
    ["on our own saver", { engines: [oracle, ours], saver: ourSaver, asSaved: false }],
    ["in durability exit", { engines: [ours], saver: ourSaver, asSaved: false, durability: "exit" }],
  ];
  it.each(casts)("turn by turn, %s", async (_name, cast) => {
    for (const seed of SEEDS) await expect(firstDifference(cast, seed, 3)).resolves.toBeUndefined();
  });
});
