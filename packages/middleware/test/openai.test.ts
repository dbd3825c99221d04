import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, isAgentToken, isPartial, providerStrategy, toolStrategy } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { humanInTheLoopMiddleware } from "../src/human-approval/index.ts";
import { modelRetryMiddleware } from "../src/model-retry/index.ts";
import { asks, openAI, openAIThat, thread, weather } from "./openai-kit.ts";

describe("the real @langchain/openai against a server that speaks its protocol", () => {
  it("calls tools: schemas go out, results come back by their ids", async () => {
    const { server, model } = await openAI(asks, { text: "Sunny in both." });
    const agent = createAgent({ model, tools: [weather], systemPrompt: "You help." });
    const { messages } = await agent.invoke({ messages: "Oslo and São Paulo?" });
    expect(messages.map(({ type, text }) => `${type}: ${text}`)).toEqual([
      "human: Oslo and São Paulo?",
      "ai: ",
      "tool: Oslo: sunny",
      "tool: São Paulo: sunny",
      "ai: Sunny in both.",
    ]);
    expect(server.requests[0]?.tools).toMatchObject([
      { type: "function", function: { name: "weather", parameters: { required: ["city"] } } },
    ]);
    expect(server.requests[1]?.messages).toMatchObject([
      { role: "system", content: "You help." },
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_a" }, { id: "call_b" }] },
      { role: "tool", tool_call_id: "call_a", content: "Oslo: sunny" },
      { role: "tool", tool_call_id: "call_b", content: "São Paulo: sunny" },
    ]);
    expect((messages.at(-1) as { usage_metadata?: object }).usage_metadata).toMatchObject({
      input_tokens: 11,
    });
  });

  it("streams: tokens one by one, arguments of calls cut anywhere become whole ones", async () => {
    const { server, model } = await openAI(asks, { text: "Sunny in both." });
    const checkpointer = SqliteSaver.fromConnString(":memory:");
    const agent = createAgent({ model, tools: [weather], checkpointer });
    const tokens: string[] = [];
    for await (const [message, metadata] of await agent.stream(
      { messages: "Oslo and São Paulo?" },
      { ...thread, streamMode: "messages" },
    )) {
      if (isAgentToken(metadata) && message.text !== "") tokens.push(message.text);
    }
    expect(tokens).toEqual(["Sunny ", "in ", "both."]);
    expect(server.requests.every(({ stream }) => stream === true)).toBe(true);
    const { values } = await agent.getState(thread);
    const [, reply] = values.full_messages as { tool_calls?: { args: object }[] }[];
    expect(reply?.tool_calls?.map(({ args }) => args)).toEqual([{ city: "Oslo" }, { city: "São Paulo" }]);
    expect(values.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "ai"]);
  });

  it("waits for a person between two processes of the thread", async () => {
    const { server, model } = await openAI(asks, { text: "Only Oslo." });
    const saver = SqliteSaver.fromConnString(":memory:");
    const make = () =>
      createAgent({
        model,
        tools: [weather],
        checkpointer: saver,
        middleware: [humanInTheLoopMiddleware({ interruptOn: { weather: true } })],
      });
    const { __interrupt__ } = await make().invoke({ messages: "Both?" }, thread);
    expect(__interrupt__?.[0]?.value).toMatchObject({ actionRequests: [{}, {}] });
    const decisions = [{ type: "approve" }, { type: "reject", message: "not that one" }];
    const { messages } = await make().invoke(new Command({ resume: { decisions } }), thread);
    expect(messages.at(-1)?.text).toBe("Only Oslo.");
    const results = server.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    const byCall = new Map(results.map((message) => [message.tool_call_id, message.content]));
    expect(byCall).toEqual(
      new Map([
        ["call_a", "Oslo: sunny"],
        ["call_b", "not that one"],
      ]),
    );
  });

  it("answers in a schema, by the provider's own format and by a tool", async () => {
    const City = z.object({ name: z.string(), people: z.number() });
    const oslo = { name: "Oslo", people: 700_000 };
    const native = await openAI({ text: JSON.stringify(oslo) });
    const byProvider = createAgent({ model: native.model, responseFormat: providerStrategy(City) });
    expect((await byProvider.invoke({ messages: "Oslo?" })).structuredResponse).toEqual(oslo);
    expect(native.server.requests[0]?.response_format).toMatchObject({ type: "json_schema" });

    const called = await openAI((request) => ({
      calls: [{ name: request.tools?.[0]?.function.name as string, args: oslo }],
    }));
    const byTool = createAgent({ model: called.model, responseFormat: toolStrategy(City) });
    expect((await byTool.invoke({ messages: "Oslo?" })).structuredResponse).toEqual(oslo);
    expect(called.server.requests[0]?.tool_choice).toBe("required");
  });

  it("is tried again when it is busy, and not when the key is wrong", async () => {
    const retry = modelRetryMiddleware({ initialDelayMs: 1, jitter: false, onFailure: "error" });
    const busy = await openAI({ status: 429 }, { status: 503 }, { text: "At last." });
    const { messages } = await createAgent({ model: busy.model, middleware: [retry] }).invoke({
      messages: "Hi",
    });
    expect(messages.at(-1)?.text).toBe("At last.");
    const refused = await openAI({ status: 401 });
    const agent = createAgent({ model: refused.model, middleware: [retry] });
    await expect(agent.invoke({ messages: "Hi" })).rejects.toThrow("401");
    expect(refused.server.requests).toHaveLength(1);
  });

  it.each([
    { streaming: false, streamMode: "values" },
    { streaming: false, streamMode: "messages" },
    { streaming: true, streamMode: "messages" },
  ] as const)("no call of a reply is made that was cut off: $streaming, $streamMode", async (how) => {
    const { streaming, streamMode } = how;
    const paid: number[] = [];
    const pay = tool(({ euros }: { euros: number }) => String(paid.push(euros)), {
      name: "pay",
      description: "Pays",
      schema: z.object({ euros: z.number() }),
    });
    const cut = { calls: [{ name: "pay", args: { euros: 1000 } }], room: '{"euros":10'.length };
    const { server, model } = await openAIThat({ streaming }, cut, { text: "paid" });
    for (const checkpointer of [undefined, SqliteSaver.fromConnString(":memory:")]) {
      const agent = createAgent({ model, tools: [pay], ...(checkpointer && { checkpointer }) });
      const stream = await agent.stream({ messages: "Pay 1000" }, { ...thread, streamMode });
      for await (const _ of stream);
    }
    expect(paid).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it("whoever answers without a role is the assistant", async () => {
    const { model } = await openAI({ text: "It is me.", hasRole: false });
    const agent = createAgent({ model, checkpointer: SqliteSaver.fromConnString(":memory:") });
    const stream = await agent.stream({ messages: "Who is it?" }, { ...thread, streamMode: "messages" });
    let said = "";
    for await (const [{ text }] of stream) said += text;
    const { values } = await agent.getState(thread);
    expect(values.messages.map(({ type, text }: BaseMessage) => [type, text])).toEqual([
      ["human", "Who is it?"],
      ["ai", said],
    ]);
  });

  it("is let go in the middle of a reply; what it had said stays as a part (E10)", async () => {
    const { server, model } = await openAI({ text: "It is sunny in", hang: true }, { text: "Oslo." });
    const agent = createAgent({ model, checkpointer: SqliteSaver.fromConnString(":memory:") });
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = async () => {
      const options = { ...thread, streamMode: "messages" as const, signal: stop.signal };
      for await (const [{ text }] of await agent.stream({ messages: "Where?" }, options)) {
        seen.push(text);
        if (text === "in") stop.abort();
      }
    };
    await expect(reading()).rejects.toThrow(/abort/i);
    const { values } = await agent.getState(thread);
    expect(values.messages.at(-1)?.text).toBe("It is sunny in");
    expect(isPartial(values.messages.at(-1) as never)).toBe(true);
    await expect.poll(server.closed).toBe(1);
    const { messages } = await agent.invoke({ messages: "Go on" }, thread);
    expect(messages.at(-1)?.text).toBe("Oslo.");
  });
});
