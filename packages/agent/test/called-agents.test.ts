import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { tool } from "@langchain/core/tools";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@skein/checkpointer";
import { Annotation, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const schema = z.object({});
const CALLS = ["1", "2", "3", "4"].map((id): Parameters<typeof calls>[0] => ["work", {}, id]);
const says = { messages: "go" };

/** An agent that makes four calls at once, and how many of them ran at a time at most. */
function worker(options: { name?: string; maxConcurrency?: number } = {}) {
  let [now, most] = [0, 0];
  const work = tool(
    async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return "worked";
    },
    { name: "work", description: "", schema },
  );
  const agent = createAgent({
    model: new ScriptedModel(calls(...CALLS), "done"),
    tools: [work],
    ...options,
  });
  return { agent, most: () => most };
}

type Worker = ReturnType<typeof worker>["agent"];

/** An agent whose tool makes the call. */
function asking(call: (config: RunnableConfig) => Promise<unknown>) {
  const ask = tool(
    async (_input, config: RunnableConfig) => {
      await call(config);
      return "asked";
    },
    { name: "ask", description: "", schema },
  );
  return createAgent({
    model: new ScriptedModel(calls(["ask"]), "over"),
    tools: [ask],
    name: "outer",
    checkpointer: new MemorySaver(),
  });
}

/** The names by which models were heard, in the order of their calls. */
function names() {
  const heard: unknown[] = [];
  const handler = BaseCallbackHandler.fromMethods({
    handleChatModelStart(_model, _messages, _runId, _parent, _params, _tags, metadata) {
      heard.push([metadata?.["lc_agent_name"], metadata?.["user"]]);
    },
  });
  return { heard, handler };
}

const thread = { configurable: { thread_id: "t" } };
const INNER = ["inner", "ada"];
const OUTER = ["outer", "ada"];

describe("an agent that a tool calls", () => {
  const ways: [string, (agent: Worker, config: RunnableConfig) => Promise<unknown>, unknown][] = [
    ["keeps its name", (agent) => agent.invoke(says), INNER],
    ["keeps its name, with options", (agent) => agent.invoke(says, { recursionLimit: 50 }), INNER],
    [
      "keeps its name, streamed",
      async (agent) => {
        for await (const _ of await agent.stream(says));
      },
      INNER,
    ],
    [
      "has the caller's where the tool hands its config on",
      (agent, config) => agent.invoke(says, config),
      OUTER,
    ],
  ];
  it.each(ways)("%s", async (_name, call, expected) => {
    const { heard, handler } = names();
    const { agent } = worker({ name: "inner" });
    await asking((config) => call(agent, config)).invoke(says, {
      ...thread,
      callbacks: [handler],
      metadata: { user: "ada" },
    });
    expect(heard).toEqual([OUTER, expected, expected, OUTER]);
  });

  it.each([
    ["its own limit", { maxConcurrency: 2 }, 3, 2],
    ["a limit that is bound to it", {}, 3, 2],
    ["the caller's limit in place of the default", {}, 3, 3],
    ["the caller's default", {}, undefined, 4],
  ] as const)("runs as many calls at a time as %s says", async (what, options, limit, expected) => {
    const { agent, most } = worker(options);
    const called = what.includes("bound") ? agent.withConfig({ maxConcurrency: 2 }) : agent;
    const around = limit === undefined ? thread : { ...thread, maxConcurrency: limit };
    await asking(() => called.invoke(says)).invoke(says, around);
    expect(most()).toBe(expected);
  });

  it("runs as many as the config says that the tool hands on", async () => {
    const { agent, most } = worker({ maxConcurrency: 4 });
    await asking((config) => agent.invoke(says, config)).invoke(says, { ...thread, maxConcurrency: 2 });
    expect(most()).toBe(2);
  });

  it("runs as many as it was told where the config that is handed on has only a default", async () => {
    const { agent, most } = worker({ maxConcurrency: 1 });
    await asking((config) => agent.invoke(says, config)).invoke(says, thread);
    expect(most()).toBe(1);
  });

  it("keeps its name and limit in a node that calls it", async () => {
    const { heard, handler } = names();
    const { agent, most } = worker({ name: "inner", maxConcurrency: 2 });
    const graph = new StateGraph(Annotation.Root({ done: Annotation<string>() }))
      .addNode("ask", async () => {
        await agent.invoke(says);
        return { done: "yes" };
      })
      .addEdge(START, "ask")
      .compile();
    await graph.invoke({}, { callbacks: [handler], metadata: { user: "ada" } });
    expect([heard, most()]).toEqual([[INNER, INNER], 2]);
  });

  it.each([
    ["by the run around it", {}, {}, { user: "caller", thread: "t", told: "t" }],
    ["by withConfig", { user: "bound" }, {}, { user: "bound", thread: "t", told: "t" }],
    ["by its call", { user: "bound" }, { user: "call" }, { user: "call", thread: "t", told: "t" }],
    ["another thread", {}, { thread_id: "o" }, { user: "caller", thread: "o", told: "o" }],
  ])("is given configurable values %s", async (_how, bound, call, expected) => {
    let seen: unknown;
    const peek = tool(
      (_: unknown, { configurable, metadata }: RunnableConfig) => {
        const told = metadata?.["thread_id"];
        seen = {
          user: configurable?.["user"] as unknown,
          thread: configurable?.["thread_id"] as unknown,
          told,
        };
        return "peeked";
      },
      { name: "peek", description: "", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["peek"]), "done");
    const inner = createAgent({ model, tools: [peek] }).withConfig({ configurable: bound });
    const options = Object.keys(call).length === 0 ? undefined : { configurable: call };
    const around = { configurable: { ...thread.configurable, user: "caller" } };
    await asking(() => inner.invoke(says, options)).invoke(says, around);
    expect(seen).toEqual(expected);
  });

  it("has no thread of its own: what is bound to it names none", async () => {
    const { agent } = worker({ name: "inner" });
    const bound = agent.withConfig({ configurable: { thread_id: "another" } });
    const outer = asking(() => bound.invoke(says));
    await outer.invoke(says, thread);
    const { values } = await outer.getState({ configurable: { thread_id: "another" } });
    expect(values).toEqual({});
  });
});
