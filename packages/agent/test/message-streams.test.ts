import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver as Reference } from "@langchain/langgraph-checkpoint";
import { getCurrentTaskInput } from "@skein/graph";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent, isAgentToken } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

type Chunk = readonly [BaseMessage, Record<string, unknown>];

const make = (name: string, metadata: Record<string, unknown> = {}) =>
  tool(() => `${name} ran`, { name, description: name, schema: z.object({}), metadata });

it.each(["v1", "v2"] as const)(
  "results are streamed beside tools that run alone, too (E7, %s)",
  async (version) => {
    for (const called of [["plain"], ["alone"], ["plain", "alone", "plain"]]) {
      const model = new ScriptedModel(calls(...called.map((name): [string] => [name])), "bye");
      const tools = [make("plain"), make("alone", { serial: true })];
      const agent = createAgent({ model, tools, version });
      const seen: string[] = [];
      const ids = new Set<string | undefined>();
      for await (const chunk of await agent.stream({ messages: "go" }, { streamMode: "messages" })) {
        const [message] = chunk as unknown as Chunk;
        if (message.getType() !== "tool") continue;
        seen.push(message.text);
        ids.add(message.id);
      }
      expect(seen.toSorted()).toEqual(called.map((name) => `${name} ran`).toSorted());
      expect(ids.size).toBe(called.length);
    }
  },
);

const ids = (list: readonly BaseMessage[]) => list.map(({ id }) => id);

it("results of tools that run alone are stored with the ids that they are shown with, on LangGraph's saver, too", async () => {
  const agent = createAgent({
    model: new ScriptedModel(calls(["alone"], ["alone"]), "bye"),
    tools: [make("alone", { serial: true })],
    checkpointer: new Reference(),
  });
  const config = { configurable: { thread_id: "t" } };
  const { messages } = await agent.invoke({ messages: "go" }, config);
  const { values } = await agent.getState(config);
  expect(ids(values.messages as BaseMessage[])).toEqual(ids(messages));
  expect(new Set(ids(messages)).size).toBe(messages.length);
});

it("what an agent says that a tool asks is no token of the agent that has the tool (E7)", async () => {
  const inner = createAgent({ name: "inner", model: new ScriptedModel("secret"), tools: [] });
  const ask = tool(
    async (_, config) => {
      const { messages } = await inner.invoke({ messages: "?" }, config);
      return (messages.at(-1) as BaseMessage).text.trim();
    },
    { name: "ask", description: "Asks", schema: z.object({}) },
  );
  const outer = createAgent({ model: new ScriptedModel(calls(["ask"]), "reply"), tools: [ask] });
  const told: [string, boolean][] = [];
  for await (const chunk of await outer.stream({ messages: "go" }, { streamMode: "messages" })) {
    const [message, metadata] = chunk as unknown as Chunk;
    if (AIMessage.isInstance(message) && message.text.trim() !== "")
      told.push([message.text.trim(), isAgentToken(metadata)]);
  }
  expect(told).toEqual([
    ["secret", false],
    ["reply", true],
  ]);
});

it.each([
  ["of the model", new ScriptedModel("secret"), "nostream"],
  ["of what it is bound to", new ScriptedModel("secret").withConfig({ tags: ["nostream"] }), ""],
  ["of LangSmith's", new ScriptedModel("secret"), "langsmith:nostream"],
  ["no such tag", new ScriptedModel("shown"), "other"],
] as const)("a reply of a model that is not to be streamed is not shown: a tag %s", async (_, model, tag) => {
  if (tag !== "") Object.assign(model, { tags: [tag] });
  const agent = createAgent({ model: model as ScriptedModel, tools: [] });
  const shown: string[] = [];
  const updates: unknown[] = [];
  const options = { streamMode: ["messages", "updates"] as ("messages" | "updates")[] };
  for await (const [mode, chunk] of await agent.stream({ messages: "go" }, options)) {
    if (mode === "messages") shown.push((chunk as unknown as Chunk)[0].text);
    else updates.push(chunk);
  }
  expect(shown.join("")).toBe(tag === "other" ? "shown" : "");
  expect(updates).toMatchObject([
    { model_request: { messages: [{ text: tag === "other" ? "shown" : "secret" }] } },
  ]);
});

it("a tool that asks for the input of its task finds the state beside its call", async () => {
  let input: Record<string, unknown> = {};
  const look = tool(
    () => {
      input = getCurrentTaskInput();
      return "looked";
    },
    { name: "look", description: "", schema: z.object({}) },
  );
  const stateSchema = z.object({ topic: z.string() });
  const agent = createAgent({ model: new ScriptedModel(calls(["look"]), "bye"), tools: [look], stateSchema });
  await agent.invoke({ messages: "go", topic: "sea" });
  const { messages, topic, lg_tool_call: call } = input as { messages: BaseMessage[] } & typeof input;
  expect([messages.map(({ type }) => type), topic]).toEqual([["human", "ai"], "sea"]);
  expect(call).toMatchObject({ name: "look" });
});
