import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);
const echo = tool(({ text }: { text: string }) => text, {
  name: "echo",
  description: "Says it back",
  schema: z.object({ text: z.string() }),
});

const wrapped = (wrap: Parameters<typeof createMiddleware>[0]["wrapModelCall"], name = "wrap") =>
  createMiddleware({ name, wrapModelCall: wrap });

describe("wrapModelCall", () => {
  it("may change prompt, messages and tools of one call, and the state stays as it is", async () => {
    const model = new ScriptedModel("a");
    const middleware = wrapped((request, handler) =>
      handler({
        ...request,
        systemPrompt: `${request.systemPrompt} Hurry.`,
        messages: request.messages.slice(-1),
        tools: [],
      }),
    );
    const agent = createAgent({ model, tools: [echo], systemPrompt: "Be kind.", middleware: [middleware] });
    const { messages } = await agent.invoke({
      messages: [new HumanMessage("one"), new AIMessage("two"), new HumanMessage("three")],
    });
    expect(texts(model.sent[0] ?? [])).toEqual(["Be kind. Hurry.", "three"]);
    expect(model.bound).toEqual([]);
    expect(texts(messages)).toEqual(["one", "two", "three", "a"]);
  });
  it("sees the prompt as the wraps around it left it, by text or as a message", async () => {
    const model = new ScriptedModel("a");
    const outer = wrapped(
      (request, handler) => handler({ ...request, systemMessage: new SystemMessage("outer") }),
      "outer",
    );
    const inner = wrapped(
      (request, handler) => handler({ ...request, systemPrompt: `${request.systemPrompt}, inner` }),
      "inner",
    );
    await createAgent({ model, middleware: [outer, inner] }).invoke({ messages: "go" });
    expect(texts(model.sent[0] ?? [])).toEqual(["outer, inner", "go"]);
  });
  it.each(["nothing", "model", "messages"])("says so when the handler is called without %s", async (left) => {
    const wrap = wrapped((request, handler) =>
      handler((left === "nothing" ? undefined : { ...request, [left]: undefined }) as never),
    );
    const agent = createAgent({ model: new ScriptedModel("a"), middleware: [wrap] });
    await expect(agent.invoke({ messages: "go" })).rejects.toMatchObject({
      code: "INVALID_MIDDLEWARE",
      message: expect.stringContaining('wrapModelCall of middleware "wrap"'),
    });
  });
  it("may retry, fall back to another model, or answer without one", async () => {
    const retry = wrapped(async (request, handler) => {
      try {
        return await handler(request);
      } catch {
        return handler({ ...request, model: new ScriptedModel("from the other") });
      }
    });
    const agent = createAgent({ model: new ScriptedModel(new Error("down")), middleware: [retry] });
    expect((await agent.invoke({ messages: "go" })).messages.at(-1)?.text).toBe("from the other");
    const cached = createAgent({
      model: new ScriptedModel(),
      middleware: [wrapped(async () => new AIMessage("cached"))],
    });
    expect((await cached.invoke({ messages: "go" })).messages.at(-1)?.text).toBe("cached");
  });
  it("may return a Command: the reply is kept, wraps around see it, and only the last attempt's command counts", async () => {
    const seen: string[] = [];
    const stateSchema = z.object({ mood: z.string().optional() });
    let attempt = 0;
    const inner = createMiddleware({
      name: "inner",
      stateSchema,
      wrapModelCall: async (request, handler) => {
        await handler(request);
        attempt += 1;
        return new Command({ update: { mood: `attempt ${attempt}` } });
      },
    });
    const outer = wrapped(async (request, handler) => {
      await handler(request);
      const reply = await handler(request);
      seen.push(reply.text);
      return reply;
    }, "outer");
    const agent = createAgent({ model: new ScriptedModel("a", "b"), middleware: [outer, inner] });
    const result = await agent.invoke({ messages: "go" });
    expect(seen).toEqual(["b"]);
    expect(result.mood).toBe("attempt 2");
    expect(texts(result.messages)).toEqual(["go", "b"]);
  });
  it.each([
    ["something that is no reply", wrapped((() => "text") as never), "returned string"],
    [
      "both forms of the prompt",
      wrapped((request, handler) =>
        handler({ ...request, systemPrompt: "a", systemMessage: new SystemMessage("b") }),
      ),
      "both systemPrompt and systemMessage",
    ],
    [
      "a tool that nothing can run",
      wrapped((request, handler) =>
        handler({
          ...request,
          tools: [tool(() => "", { name: "new", description: "", schema: z.object({}) })],
        }),
      ),
      "not a tool of the agent",
    ],
    [
      "another tool under a known name",
      wrapped((request, handler) =>
        handler({
          ...request,
          tools: [tool(() => "", { name: "echo", description: "", schema: z.object({}) })],
        }),
      ),
      "replaces a tool",
    ],
  ])("refuses %s", async (_, middleware, message) => {
    const agent = createAgent({ model: new ScriptedModel("a"), tools: [echo], middleware: [middleware] });
    await expect(agent.invoke({ messages: "go" })).rejects.toMatchObject({
      code: "INVALID_MIDDLEWARE",
      message: expect.stringContaining(message),
    });
  });
});

describe("wrapToolCall", () => {
  const failing = tool(
    () => {
      throw new Error("flaky");
    },
    { name: "flaky", description: "Fails", schema: z.object({}) },
  );
  const invoke = async (middleware: AnyAgentMiddleware, script = calls(["flaky", {}, "f"])) => {
    const agent = createAgent({
      model: new ScriptedModel(script, "done"),
      tools: [failing],
      middleware: [middleware],
    });
    return (await agent.invoke({ messages: "go" })).messages;
  };

  it("sees the tool's own error and may retry; one that it lets pass is the model's to see (E1)", async () => {
    let tries = 0;
    const retry = createMiddleware({
      name: "retry",
      wrapToolCall: async (request, handler) => {
        tries += 1;
        return tries < 3 ? handler(request).catch(() => handler(request)) : handler(request);
      },
    });
    const result = (await invoke(retry))[2] as ToolMessage;
    expect([result.status, result.text]).toEqual(["error", expect.stringContaining("flaky")]);
    const wraps = createMiddleware({
      name: "wraps",
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch (cause) {
          throw new Error("in a wrapper", { cause });
        }
      },
    });
    expect(((await invoke(wraps))[2] as ToolMessage).status).toBe("error");
  });
  it.each([[null], [undefined], ["text"], [0]])(
    "a tool that throws %s is told to the model (E1)",
    async (thrown) => {
      const odd = tool(
        () => {
          throw thrown;
        },
        { name: "odd", description: "Throws", schema: z.object({}) },
      );
      const pass = createMiddleware({ name: "pass", wrapToolCall: (request, handler) => handler(request) });
      for (const middleware of [[], [pass]]) {
        const model = new ScriptedModel(calls(["odd", {}]), "done");
        const { messages } = await createAgent({ model, tools: [odd], middleware }).invoke({
          messages: "go",
        });
        expect([(messages[2] as ToolMessage).status, messages[3]?.text]).toEqual(["error", "done"]);
      }
    },
  );
  it("a wrap that throws without a cause ends the run, also after a tool that threw nothing", async () => {
    const nothing = tool(
      () => {
        throw undefined;
      },
      { name: "nothing", description: "Throws", schema: z.object({}) },
    );
    const guard = createMiddleware({
      name: "guard",
      wrapToolCall: async (request, handler) => {
        await Promise.resolve(handler(request)).catch(() => undefined);
        throw new Error("not allowed");
      },
    });
    const model = new ScriptedModel(calls(["nothing", {}]), "done");
    const agent = createAgent({ model, tools: [nothing], middleware: [guard] });
    await expect(agent.invoke({ messages: "go" })).rejects.toThrow("not allowed");
  });
  it.each([undefined, {}])("says so when the handler is called without a call: %j", async (given) => {
    const wrap = createMiddleware({
      name: "wrap",
      wrapToolCall: (_request, handler) => handler(given as never),
    });
    const model = new ScriptedModel(calls(["echo", { text: "x" }]), "done");
    const agent = createAgent({ model, tools: [echo], middleware: [wrap] });
    await expect(agent.invoke({ messages: "go" })).rejects.toMatchObject({
      code: "INVALID_MIDDLEWARE",
      message: expect.stringContaining('wrapToolCall of middleware "wrap"'),
    });
  });
  it("an error of the wrap itself ends the run: limits and approval fail closed (E3)", async () => {
    const error = new Error("not allowed");
    const guard = createMiddleware({
      name: "guard",
      wrapToolCall: () => {
        throw error;
      },
    });
    await expect(invoke(guard)).rejects.toBe(error);
  });
  it("may change the call, answer it, or bring a tool that the agent does not have", async () => {
    const dynamic = createMiddleware({
      name: "dynamic",
      wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, echo] }),
      wrapToolCall: (request, handler) =>
        handler(
          request.toolCall.name === "echo"
            ? { ...request, tool: echo, toolCall: { ...request.toolCall, args: { text: "changed" } } }
            : request,
        ),
    });
    const messages = await invoke(dynamic, calls(["echo", { text: "x" }, "e"]));
    expect(messages[2]?.text).toBe("changed");
  });
  it("must return a ToolMessage or a Command", async () => {
    const odd = createMiddleware({ name: "odd", wrapToolCall: (() => "text") as never });
    await expect(invoke(odd)).rejects.toMatchObject({ code: "INVALID_MIDDLEWARE" });
  });
});
