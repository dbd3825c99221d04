import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Annotation, Command, ReducedValue, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  createMiddleware,
  type AgentPrompt,
  type AnyAgentMiddleware,
  type JumpToTarget,
} from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);
const echo = tool(({ text }: { text: string }) => text, {
  name: "echo",
  description: "Says it back",
  schema: z.object({ text: z.string() }),
});

/** A middleware that writes down when its hooks run. */
function logging(name: string, log: string[]): AnyAgentMiddleware {
  const note = (what: string) => () => void log.push(`${name} ${what}`);
  return createMiddleware({
    name,
    beforeAgent: note("beforeAgent"),
    beforeModel: note("beforeModel"),
    afterModel: note("afterModel"),
    afterAgent: note("afterAgent"),
    wrapModelCall: async (request, handler) => {
      log.push(`${name} model in`);
      const reply = await handler(request);
      log.push(`${name} model out`);
      return reply;
    },
    wrapToolCall: async (request, handler) => {
      log.push(`${name} tool in`);
      const result = await handler(request);
      log.push(`${name} tool out`);
      return result;
    },
  });
}

/** A middleware that keeps what its hooks are told of the prompt. */
function told(seen: (AgentPrompt | undefined)[]): AnyAgentMiddleware {
  return createMiddleware({
    name: "told",
    beforeAgent: (_state, { prompt }) => void seen.push(prompt),
    beforeModel: (_state, { prompt }) => void seen.push(prompt),
  });
}

describe("what hooks are told of the prompt (C10)", () => {
  it("the system prompt and every tool, those of middleware included, as the same objects each time", async () => {
    const seen: (AgentPrompt | undefined)[] = [];
    const systemPrompt = new SystemMessage("Be kind.");
    const other = tool(() => "", { name: "other", schema: z.object({}) });
    const middleware = [told(seen), createMiddleware({ name: "tools", tools: [other] })];
    const model = new ScriptedModel(calls(["echo", { text: "x" }]), "a");
    await createAgent({ model, tools: [echo], systemPrompt, middleware }).invoke({ messages: "go" });
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]?.systemMessage).toBe(systemPrompt);
    expect(seen[0]?.tools).toEqual([echo, other]);
  });

  it("no system prompt where none is sent", async () => {
    const seen: (AgentPrompt | undefined)[] = [];
    const middleware = [told(seen)];
    await createAgent({ model: new ScriptedModel("a"), systemPrompt: "", middleware }).invoke({
      messages: "go",
    });
    expect(seen[0]).toEqual({ tools: [] });
  });
});

describe("order of hooks (E2)", () => {
  it("before in order, after reversed, wraps nested, agent hooks once a run", async () => {
    const log: string[] = [];
    const model = new ScriptedModel(calls(["echo", { text: "x" }]), "done");
    await createAgent({ model, tools: [echo], middleware: [logging("a", log), logging("b", log)] }).invoke({
      messages: "go",
    });
    const round = [
      "a beforeModel",
      "b beforeModel",
      "a model in",
      "b model in",
      "b model out",
      "a model out",
      "b afterModel",
      "a afterModel",
    ];
    expect(log).toEqual([
      "a beforeAgent",
      "b beforeAgent",
      ...round,
      "a tool in",
      "b tool in",
      "b tool out",
      "a tool out",
      ...round,
      "b afterAgent",
      "a afterAgent",
    ]);
  });

  it("absent hooks have no nodes", () => {
    const agent = createAgent({
      model: new ScriptedModel(),
      middleware: [createMiddleware({ name: "m", afterModel: () => undefined })],
    });
    expect([...agent.graph.program.nodes.keys()]).toEqual(["__start__", "m.after_model", "model_request"]);
  });
});

describe("what a hook returns", () => {
  it("is merged once, with the reducers of its keys", async () => {
    const seen: unknown[] = [];
    const middleware = createMiddleware({
      name: "notes",
      stateSchema: new StateSchema({
        notes: new ReducedValue(
          z.array(z.string()).default(() => []),
          {
            inputSchema: z.string(),
            reducer: (notes, note) => [...notes, note],
          },
        ),
      }),
      beforeModel: (state) => (seen.push([...state.notes]), { notes: "before" }),
      afterModel: (state) => (seen.push([...state.notes]), { notes: "after" }),
    });
    const result = await createAgent({ model: new ScriptedModel("a"), middleware: [middleware] }).invoke({
      messages: "go",
    });
    expect(seen).toEqual([[], ["before"]]);
    expect(result.notes).toEqual(["before", "after"]);
    expect(texts(result.messages)).toEqual(["go", "a"]);
  });

  it("may be of an Annotation.Root", async () => {
    const middleware = createMiddleware({
      name: "counts",
      stateSchema: Annotation.Root({
        count: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
      }),
      beforeModel: () => ({ count: 2 }),
    });
    const agent = createAgent({ model: new ScriptedModel("a"), middleware: [middleware] });
    expect((await agent.invoke({ messages: "go", count: 1 })).count).toBe(3);
  });

  it("private keys stay in the thread, and out of input and output", async () => {
    const seen: unknown[] = [];
    const middleware = createMiddleware({
      name: "private",
      stateSchema: z.object({ _secret: z.number().default(0), open: z.number().default(0) }),
      beforeModel: (state) => (
        seen.push(state._secret),
        { _secret: state._secret + 1, open: state.open + 1 }
      ),
    });
    const agent = createAgent({
      model: new ScriptedModel("a", "b"),
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    const first = await agent.invoke({ messages: "go", _secret: 41 } as never, thread);
    expect(first).not.toHaveProperty("_secret");
    expect(first.open).toBe(1);
    await agent.invoke({ messages: "go" }, thread);
    expect(seen).toEqual([0, 1]);
    expect((await agent.getState(thread)).values).toMatchObject({ _secret: 2 });
  });

  it("must be an object of keys", async () => {
    const middleware = createMiddleware({ name: "odd", beforeModel: (() => "text") as never });
    await expect(
      createAgent({ model: new ScriptedModel("a"), middleware: [middleware] }).invoke({ messages: "go" }),
    ).rejects.toMatchObject({
      code: "INVALID_MIDDLEWARE",
      message: expect.stringContaining('beforeModel of middleware "odd"'),
    });
  });

  it("an error of a hook is the caller's, as the same object", async () => {
    const error = new Error("mine");
    const middleware = createMiddleware({
      name: "throws",
      beforeModel: () => {
        throw error;
      },
    });
    await expect(
      createAgent({ model: new ScriptedModel("a"), middleware: [middleware] }).invoke({ messages: "go" }),
    ).rejects.toBe(error);
  });
});

/** A middleware that jumps, once; and a run with it, written down. */
const at = (
  hook: "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent",
  to: JumpToTarget,
  once = true,
) => {
  let jumped = false;
  return createMiddleware({
    name: "jumps",
    [hook]: {
      canJumpTo: [to],
      hook: () => {
        if (once && jumped) return undefined;
        jumped = true;
        return { jumpTo: to };
      },
    },
  });
};
const run = async (
  middleware: AnyAgentMiddleware,
  ...script: ConstructorParameters<typeof ScriptedModel>
) => {
  const log: string[] = [];
  const model = new ScriptedModel(...script);
  const watch = createMiddleware({
    name: "watch",
    beforeModel: () => void log.push("beforeModel"),
    afterModel: () => void log.push("afterModel"),
    afterAgent: () => void log.push("afterAgent"),
  });
  const agent = createAgent({ model, tools: [echo], middleware: [middleware, watch] });
  const { messages } = await agent.invoke({ messages: "go" });
  return { log, messages: texts(messages), calls: model.sent.length };
};

describe("jumps", () => {
  it.each(["beforeAgent", "beforeModel"] as const)(
    "to the end from %s runs afterAgent, and no model",
    async (hook) => {
      expect(await run(at(hook, "end"))).toEqual({ log: ["afterAgent"], messages: ["go"], calls: 0 });
    },
  );
  it("to the end from afterModel leaves the tools out", async () => {
    const result = await run(at("afterModel", "end"), calls(["echo", { text: "x" }]));
    expect(result).toEqual({
      log: ["beforeModel", "afterModel", "afterAgent"],
      messages: ["go", ""],
      calls: 1,
    });
  });
  it("to the end from afterAgent is where the run goes anyway", async () => {
    expect(await run(at("afterAgent", "end"), "a")).toMatchObject({ messages: ["go", "a"], calls: 1 });
  });
  it("to the model from afterModel asks again, through the hooks before it", async () => {
    const result = await run(at("afterModel", "model"), "first", "second");
    expect(result.log).toEqual(["beforeModel", "afterModel", "beforeModel", "afterModel", "afterAgent"]);
    expect(result.messages).toEqual(["go", "first", "second"]);
  });
  it("to the model from beforeModel leaves out the hooks between", async () => {
    const result = await run(at("beforeModel", "model"), "a");
    expect(result.log).toEqual(["afterModel", "afterAgent"]);
  });
  it("to the model from afterAgent begins another round", async () => {
    const result = await run(at("afterAgent", "model"), "a", "b");
    expect(result.messages).toEqual(["go", "a", "b"]);
  });
  it("to the tools from beforeModel runs calls that wait; without any it goes to the model", async () => {
    const model = new ScriptedModel("done");
    const agent = createAgent({ model, tools: [echo], middleware: [at("beforeModel", "tools")] });
    const messages = [new HumanMessage("go"), calls(["echo", { text: "x" }, "e"])];
    expect(texts((await agent.invoke({ messages })).messages)).toEqual(["go", "", "x", "done"]);
    expect((await run(at("beforeModel", "tools"), "a")).messages).toEqual(["go", "a"]);
  });
  it("one hook's jump is not taken for the next one's", async () => {
    const second = createMiddleware({
      name: "second",
      beforeModel: { canJumpTo: ["model", "end"], hook: () => undefined },
    });
    const model = new ScriptedModel("first", "second");
    const agent = createAgent({ model, middleware: [second, at("afterModel", "model")] });
    expect(texts((await agent.invoke({ messages: "go" })).messages)).toEqual(["go", "first", "second"]);
  });
  it("a target that the hook did not declare is refused", async () => {
    const middleware = createMiddleware({ name: "bold", beforeModel: () => ({ jumpTo: "end" }) });
    await expect(run(middleware)).rejects.toMatchObject({
      code: "INVALID_MIDDLEWARE",
      message: expect.stringContaining("canJumpTo"),
    });
  });
  it("calls that a hook answers itself are not run, and the model sees the answers", async () => {
    const answers = createMiddleware({
      name: "answers",
      afterModel: ({ messages }) => {
        const last = messages.at(-1) as AIMessage;
        return {
          messages: (last.tool_calls ?? []).map(
            ({ id }) => new ToolMessage({ content: "denied", tool_call_id: id as string }),
          ),
        };
      },
    });
    const model = new ScriptedModel(calls(["echo", { text: "x" }]), "understood");
    const { messages } = await createAgent({ model, tools: [echo], middleware: [answers] }).invoke({
      messages: "go",
    });
    expect(texts(messages)).toEqual(["go", "", "denied", "understood"]);
  });
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

const withContext = (seen: unknown[]) =>
  createMiddleware({
    name: "context",
    contextSchema: z.object({ user: z.string(), level: z.number().default(1) }),
    beforeModel: (_, { context }) => void seen.push(context),
    wrapModelCall: (request, handler) => (seen.push(request.runtime.context), handler(request)),
  });

describe("contextSchema of a middleware", () => {
  it("fills in defaults for hooks and wraps, and is applied once a run", async () => {
    const seen: unknown[] = [];
    const model = new ScriptedModel(calls(["echo", { text: "x" }]), "a");
    const agent = createAgent({ model, tools: [echo], middleware: [withContext(seen)] });
    await agent.invoke({ messages: "go" }, { context: { user: "ada" } });
    const [hook, wrap, hookAgain, wrapAgain] = seen;
    expect([hook, wrap]).toEqual([
      { user: "ada", level: 1 },
      { user: "ada", level: 1 },
    ]);
    expect(hookAgain).toBe(hook);
    expect(wrapAgain).toBe(wrap);
  });
  it("says which middleware misses what", async () => {
    const agent = createAgent({ model: new ScriptedModel("a"), middleware: [withContext([])] });
    await expect(agent.invoke({ messages: "go" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(/"context".*user/su),
    });
  });
});
