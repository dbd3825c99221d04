import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, it } from "vitest";
import { json } from "../src/ui/json.ts";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";

/** A database with two checkpoints of one thread, of what JSON does not know. */
async function withValues(): Promise<string> {
  const db = join(makeFolder(), "threads.db");
  const saver = SqliteSaver.fromConnString(db);
  for (const n of [1, 2]) {
    const call = { id: "c", name: "count", args: { from: BigInt(n) }, type: "tool_call" as const };
    await saver.put(
      { configurable: { thread_id: "t", checkpoint_ns: "" } },
      {
        ...emptyCheckpoint(),
        id: String(n),
        channel_values: {
          big: BigInt(n),
          map: new Map([["key", BigInt(n)]]),
          messages: [new AIMessage({ id: "1", content: `number ${n}`, tool_calls: [call] })],
        },
        channel_versions: { big: n, map: n, messages: n },
      },
      { source: "update", step: n, parents: {} },
    );
  }
  await saver.close();
  return db;
}

it("diff shows bigints and maps", async () => {
  const db = await withValues();
  const { code, stdout } = await inside(["diff", "t", "1", "2", "--db", db]);
  expect([code, stdout.trimEnd().split("\n")]).toEqual([
    0,
    [
      '- big  "1"',
      '+ big  "2"',
      '- map  [["key","1"]]',
      '+ map  [["key","2"]]',
      '- messages  assistant: number 1 count from="1"',
      '+ messages  assistant: number 2 count from="2"',
    ],
  ]);
  const shown = await inside(["diff", "t", "1", "2", "--db", db, "--json"]);
  expect([shown.code, shown.json[0]]).toMatchObject([
    0,
    { changed: { big: { kind: "value", before: "1", after: "2" }, map: { after: [["key", "2"]] } } },
  ]);
});

it.each(["history", "search", "branches", "threads"])(
  "%s goes on with a thread of bigints",
  async (command) => {
    const db = await withValues();
    const args =
      command === "threads" ? [command] : [command, "t", ...(command === "search" ? ["number"] : [])];
    for (const how of [[], ["--json"]]) {
      const { code, stderr } = await inside([...args, ...how, "--db", db]);
      expect([code, stderr]).toEqual([0, ""]);
    }
  },
);

it("what JSON does not know is written as it prints", () => {
  expect(json([1n, new Set([2n]), /a/g, new Error("no"), undefined])).toBe(
    '["1",["2"],"/a/g","Error: no",null]',
  );
  expect(json(undefined)).toBe("undefined");
});
