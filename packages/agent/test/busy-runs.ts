import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { z } from "zod";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { createAgent, type OnBusy } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

export const seen = (messages: readonly BaseMessage[]): string[] =>
  messages.map((message) => `${message.type}: ${message.text.split(":")[0]}`);

/** A tool that waits until it is let go, and says when it runs. */
export function slowTool() {
  const started = deferred();
  const gate = deferred();
  const work = tool(
    async () => {
      started.resolve();
      await gate.done;
      return "worked";
    },
    { name: "work", description: "Works", schema: z.object({}) },
  );
  return { work, running: started.done, letGo: gate.resolve };
}

/** An agent whose tool waits until it is let go, and says when it runs. */
export function slowAgent(checkpointer: BaseCheckpointSaver) {
  const { work, ...control } = slowTool();
  const model = new ScriptedModel(calls(["work", {}, "w"]), "first is done");
  return { agent: createAgent({ model, tools: [work], checkpointer }), ...control };
}

/** An agent that answers at once. */
export const second = (checkpointer: BaseCheckpointSaver, onBusy?: OnBusy, reply = "second is done") =>
  createAgent({ model: new ScriptedModel(reply), checkpointer, ...(onBusy === undefined ? {} : { onBusy }) });

/** Files of databases, and how to be rid of them. */
export function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "skein-busy-"));
  let files = 0;
  return {
    newPath: (): string => join(folder, `${(files += 1)}.db`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

type Pair = readonly [BaseCheckpointSaver, BaseCheckpointSaver];
const twice = (saver: BaseCheckpointSaver): Pair => [saver, saver];

/** One saver for both runs, and for both a saver of its own on one database. */
export const pairsOfSavers = (newPath: () => string): readonly [name: string, make: () => Pair][] => [
  ["one memory saver", () => twice(new MemorySaver())],
  ["one SQLite saver", () => twice(SqliteSaver.fromConnString(newPath()))],
  ["one PostgreSQL saver", () => twice(openPostgres().saver)],
  [
    "two SQLite savers",
    () => {
      const path = newPath();
      return [SqliteSaver.fromConnString(path), SqliteSaver.fromConnString(path)];
    },
  ],
  [
    "two PostgreSQL savers",
    () => {
      const { saver, reopen } = openPostgres();
      return [saver, reopen()];
    },
  ],
];
