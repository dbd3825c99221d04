import { createInterface } from "node:readline";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/**
 * Another process that runs threads of a database: `busy-worker.ts PATH|URL#SCHEMA`. The line `run THREAD`
 * begins a run; it says `running THREAD` when its tool runs, which waits for the line `go THREAD`, and at
 * the end `done THREAD` or the code of its error.
 */
const [target] = process.argv.slice(2) as [string];
const [url, schema] = target.split("#") as [string, string];
const saver = target.startsWith("postgres:")
  ? PostgresSaver.fromConnString(url, { schema })
  : SqliteSaver.fromConnString(target);
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const gates = new Map<string, () => void>();

async function run(thread: string): Promise<void> {
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
  const model = new ScriptedModel(calls(["work", {}, "w"]), "first is done");
  const agent = createAgent({ model, tools: [work], checkpointer: saver });
  try {
    const config = { configurable: { thread_id: thread }, durability: "sync" as const };
    await agent.invoke({ messages: [new HumanMessage("first")] }, config);
    say(`done ${thread}`);
  } catch (error) {
    say(`${(error as { code?: string }).code ?? String(error)} ${thread}`);
  }
}

const runs: Promise<void>[] = [];
for await (const line of createInterface(process.stdin)) {
  const [verb, thread] = line.split(" ") as [string, string];
  if (verb === "run") runs.push(run(thread));
  else gates.get(thread)?.();
}
await Promise.all(runs);
await saver.close();
