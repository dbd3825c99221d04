import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/**
 * Another process that runs a thread: `busy-worker.ts PATH|URL#SCHEMA MS`. Says "running" when its
 * tool runs, which takes MS, and at the end "done" or the code of its error.
 */
const [target, ms] = process.argv.slice(2) as [string, string];
const [url, schema] = target.split("#") as [string, string];
const saver = target.startsWith("postgres:")
  ? PostgresSaver.fromConnString(url, { schema })
  : SqliteSaver.fromConnString(target);
const work = tool(
  async () => {
    process.stdout.write("running\n");
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    return "worked";
  },
  { name: "work", description: "Works", schema: z.object({}) },
);
const model = new ScriptedModel(calls(["work", {}, "w"]), "first is done");
const agent = createAgent({ model, tools: [work], checkpointer: saver });
try {
  await agent.invoke(
    { messages: [new HumanMessage("first")] },
    { configurable: { thread_id: "t" }, durability: "sync" },
  );
  process.stdout.write("done\n");
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code ?? String(error)}\n`);
}
await saver.close();
