import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as OurSaver } from "@skein/checkpointer/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oracle, ours } from "../src/engines.ts";
import { programs } from "../src/generate/program.ts";
import { type Cast, recordBoth } from "../src/generate/run.ts";

/** SKEIN_SEED=random looks for new programs, SKEIN_SEED=N repeats a failure (its seed is printed). */
const given = process.env["SKEIN_SEED"] ?? "20261121";
const seed = given === "random" ? Date.now() | 0 : Number(given);

const theirSaver = () => new MemorySaver();
const original: Cast = { engines: [oracle], saver: theirSaver, asSaved: true };
const casts: readonly (readonly [string, number, Cast])[] = [
  ["on Skein", 1_200, { engines: [ours], saver: theirSaver, asSaved: true }],
  ["from LangGraph to Skein and back", 300, { engines: [oracle, ours], saver: theirSaver, asSaved: true }],
  ["from Skein to LangGraph and back", 300, { engines: [ours, oracle], saver: theirSaver, asSaved: true }],
  ["on our saver", 300, { engines: [oracle, ours], saver: () => new OurSaver() as never, asSaved: false }],
];

describe("thousands of random programs behave the same on both engines", () => {
  it.each(casts)(`%s, seed ${seed}`, async (_name, numRuns, cast) => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { mine, theirs } = await recordBoth(program, cast, original);
        expect(mine).toEqual(theirs);
      }),
      { seed, numRuns },
    );
  });
});
