import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, isAgentToken, isPartial, providerStrategy, toolStrategy } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Command } from "@skein/graph";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { humanInTheLoopMiddleware } from "../src/human-approval/index.ts";
import { modelRetryMiddleware } from "../src/model-retry/index.ts";
import { piiMiddleware } from "../src/pii/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { startOpenAI, type ChatRequest, type WireReply } from "./openai-server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) await stop();
});

/** The real client of OpenAI, and a server that answers it in order. */
async function openAI(...replies: (WireReply | ((request: ChatRequest) => WireReply))[]) {
  return await openAIThat({}, ...replies);
}
async function openAIThat(
  options: { readonly streaming?: boolean },
  ...replies: (WireReply | ((request: ChatRequest) => WireReply))[]
) {
  let said = 0;
  const server = await startOpenAI((request) => {
    const next = replies[Math.min(said, replies.length - 1)] as (typeof replies)[number];
    said += 1;
    return typeof next === "function" ? next(request) : next;
  });
  stops.push(server.stop);
  const model = new ChatOpenAI({
    model: "gpt-4o-mini",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: server.url },
    ...options,
  });
  return { server, model };
}

const weather = tool(({ city }: { city: string }) => `${city}: sunny`, {
  name: "weather",
  description: "Tells the weather",
  schema: z.object({ city: z.string() }),
});
const asks = {
  calls: [
    { id: "call_a", name: "weather", args: { city: "Oslo" } },
    { id: "call_b", name: "weather", args: { city: "São Paulo" } },
  ],
};
const lines = (list: readonly BaseMessage[]): string[] => list.map(({ type, text }) => `${type}: ${text}`);
const thread = { configurable: { thread_id: "t" } };

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

  // as LangChain's agent asks: with the provider's name by its responses, without by chat completions
  it.each([
    ["openai:gpt-4o", "/v1/responses"],
    ["gpt-4o", "/v1/chat/completions"],
  ])("is the agent's model when that is told its name: %s", async (name, path) => {
    const { server } = await openAI(asks, { text: "Sunny in both." }, asks, { text: "And tomorrow." });
    vi.stubEnv("OPENAI_API_KEY", "none");
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    const checkpointer = SqliteSaver.fromConnString(":memory:");
    const make = () =>
      createAgent({ model: name, tools: [weather], checkpointer, systemPrompt: "You help." });
    const tokens: string[] = [];
    for await (const [message, metadata] of await make().stream(
      { messages: "Both?" },
      { ...thread, streamMode: "messages" },
    )) {
      if (isAgentToken(metadata) && message.text !== "") tokens.push(message.text);
    }
    expect(tokens).toEqual(["Sunny ", "in ", "both."]);
    const { messages } = await make().invoke({ messages: "Tomorrow?" }, thread);
    const turn = ["ai: ", "tool: Oslo: sunny", "tool: São Paulo: sunny"];
    const all = ["human: Both?", ...turn, "ai: Sunny in both.", "human: Tomorrow?", ...turn];
    expect(lines(messages)).toEqual([...all, "ai: And tomorrow."]);
    const { values } = await make().getState(thread);
    expect(lines(values.full_messages as BaseMessage[])).toEqual(lines(messages));
    expect(server.paths).toEqual([path, path, path, path]);
    expect(server.requests.map(({ model, stream }) => [model, stream ?? false])).toEqual([
      ["gpt-4o", true],
      ["gpt-4o", true],
      ["gpt-4o", false],
      ["gpt-4o", false],
    ]);
    const calls = { role: "assistant", tool_calls: [{ id: "call_a" }, { id: "call_b" }] };
    const results = [
      { role: "tool", tool_call_id: "call_a", content: "Oslo: sunny" },
      { role: "tool", tool_call_id: "call_b", content: "São Paulo: sunny" },
    ];
    expect(server.requests[3]?.messages).toMatchObject([
      { role: "system", content: "You help." },
      { role: "user", content: "Both?" },
      calls,
      ...results,
      { role: "assistant", content: "Sunny in both." },
      { role: "user", content: "Tomorrow?" },
      calls,
      ...results,
    ]);
    expect(server.requests[3]?.tools).toMatchObject([{ function: { name: "weather" } }]);
    expect((messages.at(-1) as { usage_metadata?: object }).usage_metadata).toMatchObject({
      input_tokens: 11,
      output_tokens: 7,
    });
  });

  it.each(["values", "messages"] as const)(
    "no call of a response is made that was cut off: %s",
    async (streamMode) => {
      const cut = { calls: [{ name: "pay", args: { euros: 1000 } }], room: '{"euros":10'.length };
      const { server } = await openAI(cut, { text: "paid" });
      vi.stubEnv("OPENAI_API_KEY", "none");
      vi.stubEnv("OPENAI_BASE_URL", server.url);
      const paid: number[] = [];
      const pay = tool(({ euros }: { euros: number }) => String(paid.push(euros)), {
        name: "pay",
        description: "Pays",
        schema: z.object({ euros: z.number() }),
      });
      const agent = createAgent({ model: "openai:gpt-4o", tools: [pay] });
      for await (const _ of await agent.stream({ messages: "Pay 1000" }, { streamMode }));
      expect([paid, server.paths]).toEqual([[], ["/v1/responses"]]);
    },
  );

  it.each(["openai:gpt-4o", "gpt-4o"])(
    "reads an edited call as it was edited, and a redacted reply redacted: %s",
    async (name) => {
      const turns = [asks, { text: "Write to ann@example.com." }, { text: "Bye." }];
      const { server } = await openAI(...turns, ...turns);
      vi.stubEnv("OPENAI_API_KEY", "none");
      vi.stubEnv("OPENAI_BASE_URL", server.url);
      const agent = createAgent({
        model: name,
        tools: [weather],
        checkpointer: SqliteSaver.fromConnString(":memory:"),
        middleware: [
          humanInTheLoopMiddleware({ interruptOn: { weather: true } }),
          piiMiddleware("email", { applyToOutput: true }),
        ],
      });
      for (const streamMode of ["values", "messages"] as const) {
        const config = { configurable: { thread_id: streamMode }, streamMode };
        const from = server.requests.length;
        for await (const _ of await agent.stream({ messages: "Both?" }, config));
        const edited = { type: "edit", editedAction: { name: "weather", args: { city: "Bergen" } } };
        const resume = { decisions: [edited, { type: "approve" }] };
        for await (const _ of await agent.stream(new Command({ resume }), config));
        for await (const _ of await agent.stream({ messages: "Thanks" }, config));
        const [, second, third] = server.requests.slice(from);
        expect(second?.messages[1]?.tool_calls?.map((call) => call.function.arguments)).toEqual([
          '{"city":"Bergen"}',
          '{"city":"São Paulo"}',
        ]);
        expect(second?.messages[2]).toMatchObject({ content: "Bergen: sunny", tool_call_id: "call_a" });
        expect(JSON.stringify(third?.messages)).toContain("[REDACTED_EMAIL]");
        expect(JSON.stringify(third?.messages)).not.toContain("ann@");
      }
    },
  );

  it.each(["openai:gpt-4o", "gpt-4o"])("answers in a schema when it is told its name: %s", async (model) => {
    const City = z.object({ name: z.string(), people: z.number() });
    const oslo = { name: "Oslo", people: 700_000 };
    const { server } = await openAI((request) => {
      const [asked] = request.tools ?? [];
      return asked === undefined
        ? { text: JSON.stringify(oslo) }
        : { calls: [{ name: asked.function.name, args: oslo }] };
    });
    vi.stubEnv("OPENAI_API_KEY", "none");
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    // of what the plain schema means the model's profile decides, which has a format of the provider
    for (const responseFormat of [City, providerStrategy(City), toolStrategy(City), [City]]) {
      const { structuredResponse } = await createAgent({ model, responseFormat }).invoke({
        messages: "Oslo?",
      });
      expect(structuredResponse).toEqual(oslo);
    }
    const formats = server.requests.map(({ response_format, tools = [] }) => [
      response_format?.type,
      tools.length,
    ]);
    expect(formats).toEqual([
      ["json_schema", 0],
      ["json_schema", 0],
      [undefined, 1],
      [undefined, 1],
    ]);
  });

  it("is told of its provider's tools beside the agent's", async () => {
    const { server } = await openAI(asks, { text: "Sunny in both." });
    vi.stubEnv("OPENAI_API_KEY", "none");
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    const agent = createAgent({ model: "openai:gpt-4o", tools: [weather, { type: "web_search_preview" }] });
    expect((await agent.invoke({ messages: "Both?" })).messages.at(-1)?.text).toBe("Sunny in both.");
    expect(server.requests[1]?.tools).toMatchObject([
      { type: "function", function: { name: "weather" } },
      { type: "web_search_preview" },
    ]);
  });

  it("is let go in the middle of a response; what it had said stays as a part (E10)", async () => {
    const { server } = await openAI({ text: "It is sunny in", hang: true }, { text: "Oslo." });
    vi.stubEnv("OPENAI_API_KEY", "none");
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    const model = "openai:gpt-4o";
    const agent = createAgent({ model, checkpointer: SqliteSaver.fromConnString(":memory:") });
    const stop = new AbortController();
    const reading = async () => {
      const options = { ...thread, streamMode: "messages" as const, signal: stop.signal };
      for await (const [{ text }] of await agent.stream({ messages: "Where?" }, options)) {
        if (text === "in") stop.abort();
      }
    };
    await expect(reading()).rejects.toThrow(/abort/i);
    const { values } = await agent.getState(thread);
    expect(values.messages.at(-1)?.text).toBe("It is sunny in");
    expect(isPartial(values.messages.at(-1) as never)).toBe(true);
    expect((await agent.invoke({ messages: "Go on" }, thread)).messages.at(-1)?.text).toBe("Oslo.");
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("interrupted here");
    expect(new Set(server.paths)).toEqual(new Set(["/v1/responses"]));
  });

  it("writes summaries when the middleware is told its name", async () => {
    const { server, model } = await openAI({ text: "They talked." }, { text: "Fine." });
    vi.stubEnv("OPENAI_API_KEY", "none");
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    const summarization = summarizationMiddleware({
      model: "openai:gpt-4o",
      trigger: { messages: 4 },
      keep: { messages: 1 },
    });
    const agent = createAgent({ model, middleware: [summarization] });
    const messages = ["one", "two", "three", "four"].map((text) => ({ role: "user", content: text }));
    const result = await agent.invoke({ messages: messages as never });
    expect(server.requests.map((request) => request.model)).toEqual(["gpt-4o", "gpt-4o-mini"]);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("They talked.");
    expect(result.messages.at(-1)?.text).toBe("Fine.");
  });
});
