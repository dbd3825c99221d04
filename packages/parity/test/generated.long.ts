import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver as TheirSqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { MemorySaver as OurSaver } from "@skein/checkpointer/memory";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import * as fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { oracle, ours } from "../src/engines.ts";
import { programs } from "../src/generate/program.ts";
import { type Cast, type OpenSaver, recordBoth } from "../src/generate/run.ts";

/** SKEIN_SEED=random looks for new programs, SKEIN_SEED=N repeats a failure (its seed is printed). */
const given = process.env["SKEIN_SEED"] ?? "20261121";
const seed = given === "random" ? Date.now() | 0 : Number(given);

const opened = (saver: unknown, close: () => unknown = () => {}) => ({ saver: saver as never, close });
const theirSaver: OpenSaver = () => opened(new MemorySaver());
const savers: Readonly<Record<string, OpenSaver>> = {
  memory: () => opened(new OurSaver()),
  SQLite: () => {
    const saver = SqliteSaver.fromConnString(":memory:");
    return opened(saver, () => saver.close());
  },
  PostgreSQL: () => openPostgres(),
  "LangGraph's SQLite saver": () => {
    const database = new Database(":memory:");
    return opened(new TheirSqliteSaver(database as never), () => database.close());
  },
};
const savesOf = (name: string) => (name === "PostgreSQL" ? ("far away" as const) : undefined);
const durabilities = ["sync", "async", "exit"] as const;
const original: Cast = { engines: [oracle], saver: theirSaver, asSaved: true };
const casts: readonly (readonly [string, number, Cast])[] = [
  ["on Skein", 700, { engines: [ours], saver: theirSaver, asSaved: true }],
  ["from LangGraph to Skein and back", 300, { engines: [oracle, ours], saver: theirSaver, asSaved: true }],
  ["from Skein to LangGraph and back", 300, { engines: [ours, oracle], saver: theirSaver, asSaved: true }],
  ["in durability exit", 300, { engines: [ours], saver: theirSaver, asSaved: true, durability: "exit" }],
  ...Object.entries(savers).flatMap(([name, saver]) =>
    durabilities.map(
      (durability) =>
        [
          `on ${name}, durability ${durability}`,
          150,
          { engines: [ours], saver, asSaved: false, durability, saves: savesOf(name) },
        ] as const,
    ),
  ),
  ...Object.entries(savers).map(
    ([name, saver]) =>
      [
        `turn by turn on ${name}`,
        150,
        { engines: [oracle, ours], saver, asSaved: false, saves: savesOf(name) },
      ] as const,
  ),
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
