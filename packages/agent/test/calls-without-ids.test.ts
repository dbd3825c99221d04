import { AIMessage, AIMessageChunk, type MessageContent } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, toolStrategy } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const standard = { output_version: "v1" };

function setup(...script: (AIMessage | string)[]) {
  const ran: unknown[] = [];
  const named = (name: string) =>
    tool(({ x }: { x?: number | undefined }) => (ran.push(`${name} ${x}`), "ok"), {
      name,
      description: "",
      schema: z.object({ x: z.number().optional() }),
    });
  const tools = [named("t"), named("u")];
  const model = new ScriptedModel(...script);
  return { ran, agent: createAgent({ model, tools, checkpointer: new MemorySaver() }) };
}

type Setup = ReturnType<typeof setup>;
const HOWS: readonly [string, (agent: Setup["agent"]) => Promise<unknown>][] = [
  ["invoke", (agent) => agent.invoke({ messages: "go" }, thread)],
  [
    "stream",
    async (agent) => {
      const stream = await agent.stream({ messages: "go" }, { ...thread, streamMode: "messages" });
      for await (const _ of stream);
    },
  ],
  [
    "v3",
    async (agent) => (await agent.streamEvents({ messages: "go" }, { ...thread, version: "v3" })).output,
  ],
];

/** The calls of the first reply, as they stand in its list and in its content. */
async function saidBy({ agent }: Setup) {
  const { messages } = (await agent.getState(thread)).values;
  const reply = messages[1] as AIMessage;
  const blocks = Array.isArray(reply.content) ? reply.content : [];
  const inContent = blocks.filter((block) => block.type === "tool_call").map(({ id }) => id);
  return { ids: (reply.tool_calls ?? []).map(({ id }) => id), inContent, messages, reply };
}

describe("a call runs once, whatever its id", () => {
  const replies: readonly [string, [string, number, unknown][]][] = [
    ["none", [["t", 1, undefined]]],
    ["empty", [["t", 1, ""]]],
    ["null", [["t", 1, null]]],
    [
      "none, twice",
      [
        ["t", 1, undefined],
        ["t", 2, undefined],
      ],
    ],
    [
      "that of another tool's",
      [
        ["t", 1, "d"],
        ["u", 2, "d"],
      ],
    ],
    [
      "one and none",
      [
        ["t", 1, "d"],
        ["t", 2, undefined],
      ],
    ],
  ];
  describe.each(HOWS)("%s", (how, run) => {
    it.each(replies)("%s", async (_, list) => {
      const reply = calls(
        ...list.map(([name, x, id]) => [name, { x }, id as string] as const).map((c) => [...c] as never),
      );
      const set = setup(reply, "done");
      await run(set.agent);
      expect(set.ran).toEqual(list.map(([name, x]) => `${name} ${x}`));
      const { ids, inContent, messages } = await saidBy(set);
      expect(new Set(ids).size).toBe(list.length);
      expect(ids.every((id) => typeof id === "string" && id !== "")).toBe(true);
      expect(inContent).toEqual(how === "v3" ? ids : []);
      expect(messages).toHaveLength(3 + list.length);
    });
  });
  it("of a model whose content is in LangChain's standard form", async () => {
    const content = [{ type: "tool_call", name: "t", args: { x: 1 } }] as unknown as MessageContent;
    const given = new AIMessage({ content, response_metadata: standard });
    const set = setup(given, "done");
    await set.agent.invoke({ messages: "go" }, thread);
    expect(set.ran).toEqual(["t 1"]);
    const { ids, inContent, reply } = await saidBy(set);
    expect(inContent).toEqual(ids);
    // what is made again of the message, as a store does, has the same calls
    expect(new AIMessage({ ...reply } as never).tool_calls).toEqual(reply.tool_calls);
    expect(given.content).toEqual([{ type: "tool_call", name: "t", args: { x: 1 } }]);
  });
  it("in Anthropic's blocks, whose package sends them", async () => {
    const content = [{ type: "tool_use", name: "t", input: { x: 1 } }] as unknown as MessageContent;
    const tool_calls = [{ name: "t", args: { x: 1 } }] as ToolCall[];
    const set = setup(new AIMessage({ content, tool_calls }), "done");
    await set.agent.invoke({ messages: "go" }, thread);
    const { ids, reply } = await saidBy(set);
    expect(reply.content).toEqual([{ type: "tool_use", name: "t", input: { x: 1 }, id: ids[0] }]);
  });
  it("leaves the model's own list of blocks as it is", async () => {
    const content = [{ type: "text", text: "I look." }] as MessageContent;
    const given = new AIMessageChunk({
      content,
      response_metadata: standard,
      tool_calls: [{ name: "t", args: {}, id: "a" }],
    });
    const set = setup(given as unknown as AIMessage, "done");
    await set.agent.invoke({ messages: "go" }, thread);
    expect(set.ran).toEqual(["t undefined"]);
    expect(given.content).toHaveLength(1);
  });
  it("and calls of blocks alone are calls", async () => {
    const content = [{ type: "tool_call", name: "t", args: { x: 1 } }] as unknown as MessageContent;
    const set = setup(
      new AIMessageChunk({ content, response_metadata: standard }) as unknown as AIMessage,
      "done",
    );
    await set.agent.invoke({ messages: "go" }, thread);
    expect(set.ran).toEqual(["t 1"]);
  });
});

describe("content in LangChain's standard form", () => {
  it("does not bring back a call that a wrap took out of the list", async () => {
    const ran: string[] = [];
    const t = tool(({ x }: { x: number }) => (ran.push(`t ${x}`), "ok"), {
      name: "t",
      description: "",
      schema: z.object({ x: z.number() }),
    });
    const first = createMiddleware({
      name: "first",
      wrapModelCall: async (request, handler) => {
        const reply = await handler(request);
        if (reply.tool_calls !== undefined) reply.tool_calls = reply.tool_calls.slice(0, 1);
        return reply;
      },
    });
    const model = new ScriptedModel(calls(["t", { x: 1 }], ["t", { x: 2 }]), "done");
    const agent = createAgent({ model, tools: [t], middleware: [first], checkpointer: new MemorySaver() });
    await (
      await agent.streamEvents({ messages: "go" }, { ...thread, version: "v3" })
    ).output;
    expect(ran).toEqual(["t 1"]);
    const { messages } = (await agent.getState(thread)).values;
    expect(messages[1]?.content).toHaveLength(1);
  });
  it("is one structured response, whatever the id of its call", async () => {
    const answer = toolStrategy(z.object({ a: z.number() }).meta({ title: "answer" }));
    const model = new ScriptedModel(calls(["answer", { a: 1 }]));
    const agent = createAgent({ model, tools: [], responseFormat: answer });
    const run = await agent.streamEvents({ messages: "go" }, { version: "v3" });
    expect((await run.output).structuredResponse).toEqual({ a: 1 });
    expect(model.sent).toHaveLength(1);
  });
});
