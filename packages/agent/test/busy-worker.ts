import { createInterface } from "node:readline";
import { HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { tool } from "@langchain/core/tools";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { team } from "./busy-teams.ts";
import { takeTurns } from "./busy-turns.ts";
import { deferred } from "./deferred.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/**
 * Another process that runs threads of a database: `busy-worker.ts PATH|URL#SCHEMA`. The line `run THREAD`
 * begins a run; it says `running THREAD` when its tool runs, which waits for the line `go THREAD`, and at
 * the end `done THREAD` or the code of its error. `ask THREAD` is the same where the tool is that of
 * another agent, which is asked by a tool of the first. `turns THREAD A,B,C` takes turns of these names
 * from whoever runs the thread, and says `answered A,C THREAD` of those that were answered.
 */
const [target] = process.argv.slice(2) as [string];
const [url, schema] = target.split("#") as [string, string];
const saver = target.startsWith("postgres:")
  ? PostgresSaver.fromConnString(url, { schema })
  : SqliteSaver.fromConnString(target);
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const gates = new Map<string, () => void>();

async function run(verb: string, thread: string): Promise<void> {
  const gate = deferred();
  gates.set(thread, gate.resolve);
  const work = tool(
    async () => {
      say(`running ${thread}`);
      await gate.done;
      return "worked";
    },
    { name: "work", description: "Works", schema: z.object({}) },
  );
  const script = [calls(["work", {}, "w"]), "first is done"] as const;
  const agent =
    verb === "ask"
      ? team(saver as BaseCheckpointSaver, { question: "q1", inner: [...script], tools: [work] }).agent
      : createAgent({ model: new ScriptedModel(...script), tools: [work], checkpointer: saver });
  try {
    const config = { configurable: { thread_id: thread }, durability: "sync" as const };
    await agent.invoke({ messages: [new HumanMessage("first")] }, config);
    say(`done ${thread}`);
  } catch (error) {
    say(`${(error as { code?: string }).code ?? String(error)} ${thread}`);
  }
}

async function turns(thread: string, names: readonly string[]): Promise<void> {
  const answered = await takeTurns(saver as BaseCheckpointSaver, thread, names);
  say(`answered ${answered.join()} ${thread}`);
}

const runs: Promise<void>[] = [];
for await (const line of createInterface(process.stdin)) {
  const [verb, thread, names = ""] = line.split(" ") as [string, string, string?];
  if (verb === "run" || verb === "ask") runs.push(run(verb, thread));
  else if (verb === "turns") runs.push(turns(thread, names.split(",")));
  else gates.get(thread)?.();
}
await Promise.all(runs);
await saver.close();
