// What most programs do first, with the packages as they were built: a graph, a thread in memory, one on
// SQLite that is resumed, an agent with a tool. Run with SKEIN_CODE_CACHE=write, it leaves beside the packages
// what V8 compiled of them: see docs/decisions/2026-11-24-code-cache.md
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, dualTrackMessages } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Annotation, END, MemorySaver, START, StateGraph, StateSchema } from "@skein/graph";
import { summarizationMiddleware, summarizationNode, summaryFields } from "@skein/middleware";
import { z } from "zod";
import { CACHED, root } from "./steps.mjs";

/** Calls the tool, then answers. */
class Model extends BaseChatModel {
  _llmType() {
    return "practice";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const call = { name: "look", args: { at: "it" }, id: "call", type: "tool_call" };
    const asked = messages.at(-1)?.type === "human";
    const message = new AIMessage(asked ? { content: "", tool_calls: [call] } : "This is it.");
    return { generations: [{ message, text: "" }] };
  }
}

const look = tool(({ at }) => `Looked at ${at}.`, {
  name: "look",
  description: "looks",
  schema: z.object({ at: z.string() }),
});
const middleware = [summarizationMiddleware({ model: new Model({}), trigger: { messages: 60 } })];
const ask = (number) => ({ messages: [new HumanMessage(`Question ${number}?`)] });
const thread = (name) => ({ configurable: { thread_id: name } });

async function counting(checkpointer) {
  const State = Annotation.Root({
    count: Annotation({ reducer: (left, right) => left + right, default: () => 0 }),
    last: Annotation(),
  });
  const graph = new StateGraph(State)
    .addNode("left", () => ({ count: 1, last: "left" }))
    .addNode("right", async () => ({ count: 1, last: "right" }))
    .addEdge(START, "left")
    .addEdge("left", "right")
    .addConditionalEdges("right", ({ count }) => (count < 4 ? "left" : END), ["left", END])
    .compile({ checkpointer });
  const { count } = await graph.invoke({ count: 0 }, thread("counting"));
  if (count !== 4) throw new Error(`it counted ${count} steps instead of 4`);
}

function chat(checkpointer) {
  const compact = summarizationNode({
    trigger: { messages: 4 },
    keep: { messages: 2 },
    summarizer: () => "In short.",
  });
  return new StateGraph(new StateSchema({ ...dualTrackMessages(), ...summaryFields }))
    .addNode("compact", compact)
    .addNode("model", () => ({ messages: [new AIMessage("An answer.")] }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addEdge("model", END)
    .compile({ checkpointer });
}

/** A few turns, and one more of a saver that has just been opened. */
async function onSqlite(path) {
  for (const turns of [3, 1]) {
    const saver = SqliteSaver.fromConnString(path);
    for (let turn = 1; turn <= turns; turn += 1) await chat(saver).invoke(ask(turn), thread("chat"));
    await chat(saver).getState(thread("chat"));
    const agent = createAgent({ model: new Model({}), tools: [look], middleware, checkpointer: saver });
    await agent.invoke(ask(1), thread("agent"));
    for await (const _ of await agent.stream(ask(2), { ...thread("agent"), streamMode: "values" }));
    await saver.close();
  }
}

/** A package's other entries, of which nothing but what importing them runs is kept. */
async function importAll(name) {
  const folder = join(root, "packages", name, "dist", "node");
  for (const file of readdirSync(folder, { recursive: true })) {
    if (file.endsWith(".js")) await import(pathToFileURL(join(folder, file)).href);
  }
}

const folder = mkdtempSync(join(tmpdir(), "skein-practice-"));
try {
  await counting(undefined);
  await counting(new MemorySaver());
  await onSqlite(join(folder, "threads.db"));
  for (const name of CACHED) await importAll(name);
} finally {
  rmSync(folder, { recursive: true });
}
