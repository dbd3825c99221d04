import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { bundleForBrowser } from "../../graph/test/support/bundle-for-browser.ts";

const PROGRAM = `
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/graph";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import { z } from "zod";

class Adder extends BaseChatModel {
  _llmType() { return "adder"; }
  bindTools() { return this; }
  async _generate(messages) {
    const last = messages.at(-1);
    const message = last.type === "human"
      ? new AIMessage({ content: "", tool_calls: [{ id: "1", name: "add", args: { left: 2, right: 3 } }] })
      : new AIMessage(\`it is \${last.content}\`);
    return { generations: [{ text: "", message }] };
  }
}
const add = tool(({ left, right }) => String(left + right), {
  name: "add", description: "adds", schema: z.object({ left: z.number(), right: z.number() }),
});
const agent = createAgent({
  model: new Adder({}), tools: [add], checkpointer: new MemorySaver(),
  middleware: [summarizationMiddleware({ summarizer: "extractive", trigger: { messages: 6 }, keep: { messages: 2 } })],
});
const thread = { configurable: { thread_id: "1" } };
let last;
for (let turn = 0; turn < 4; turn += 1) last = await agent.invoke({ messages: [{ role: "user", content: "2 + 3?" }] }, thread);
const { values } = await agent.getState(thread);
console.log(JSON.stringify([last.messages.at(-1).content, values.full_messages.length, values.messages.length < 10]));
`;

const HEADLESS = `
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { createAgent, tool } from "@skein/agent";
import { Command, MemorySaver } from "@skein/graph";
import { z } from "zod";

class Asker extends BaseChatModel {
  _llmType() { return "asker"; }
  bindTools() { return this; }
  async _generate(messages) {
    const last = messages.at(-1);
    const message = last.type === "human"
      ? new AIMessage({ content: "", tool_calls: [{ id: "1", name: "where", args: { exact: true } }] })
      : new AIMessage(\`you are \${last.content}\`);
    return { generations: [{ text: "", message }] };
  }
}
const where = tool({ name: "where", description: "Tells where the user is", schema: z.object({ exact: z.boolean() }) });
const agent = createAgent({ model: new Asker({}), tools: [where], checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "1" } };
const { __interrupt__: asked } = await agent.invoke({ messages: "where am I?" }, thread);
const { messages } = await agent.invoke(new Command({ resume: "here" }), thread);
console.log(JSON.stringify([asked.map(({ value }) => value), messages.at(-1).text]));
`;

/** What a program prints that is bundled as for a page, where there is no AsyncLocalStorage. */
async function printed(program: string): Promise<unknown> {
  const input = await bundleForBrowser(program, fileURLToPath(new URL("..", import.meta.url)));
  const run = spawnSync(process.execPath, ["--input-type=module"], {
    input,
    encoding: "utf8",
  });
  expect({ ended: run.status, said: run.status === 0 ? "" : run.stderr }).toEqual({ ended: 0, said: "" });
  return JSON.parse(run.stdout);
}

it("a bundler for the web takes @skein/graph without AsyncLocalStorage, so that agents and middleware run in a page", async () => {
  expect(await printed(PROGRAM)).toEqual(["it is 5", 16, true]);
});

it("a tool without a body asks in a page, too", async () => {
  const toolCall = { id: "1", name: "where", args: { exact: true } };
  expect(await printed(HEADLESS)).toEqual([[{ type: "tool", toolCall }], "you are here"]);
});
