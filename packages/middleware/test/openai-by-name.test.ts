import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, isAgentToken, isPartial, providerStrategy, toolStrategy } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Command } from "@skein/graph";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { humanInTheLoopMiddleware } from "../src/human-approval/index.ts";
import { piiMiddleware } from "../src/pii/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { asks, lines, openAI, thread, weather } from "./openai-kit.ts";

describe("models of OpenAI by their names", () => {
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
