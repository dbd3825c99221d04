import { SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Annotation, ReducedValue, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type AgentPrompt, type AnyAgentMiddleware } from "../src/index.ts";
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

  it("the window of the model, also of one that is bound to a config", async () => {
    for (const bind of [(model: ScriptedModel) => model, (model: ScriptedModel) => model.withConfig({})]) {
      const seen: (AgentPrompt | undefined)[] = [];
      const model = new ScriptedModel("a");
      Object.defineProperty(model, "profile", { value: { maxInputTokens: 900 } });
      await createAgent({ model: bind(model), middleware: [told(seen)] }).invoke({ messages: "go" });
      expect(seen[0]?.window).toBe(900);
    }
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
  it("what a schema makes that is no plain object reaches hooks as it is", async () => {
    class Tenant {
      readonly #id: string;
      constructor(id: string) {
        this.#id = id;
      }
      greet(): string {
        return `hello ${this.#id}`;
      }
    }
    const id = z.object({ id: z.string() });
    const seen: unknown[] = [];
    const middleware = [
      createMiddleware({
        name: "instance",
        contextSchema: id.transform((given) => new Tenant(given.id)),
        beforeModel: (_, { context }) => void seen.push(context.greet()),
        wrapModelCall: (request, handler) => (seen.push(request.runtime.context.greet()), handler(request)),
      }),
      createMiddleware({
        name: "text",
        contextSchema: id.transform((given) => given.id),
        beforeModel: (_, { context }) => void seen.push(context),
      }),
    ];
    const agent = createAgent({ model: new ScriptedModel("a"), middleware: middleware as never });
    await agent.invoke({ messages: "go" }, { context: { id: "t" } });
    expect(seen).toEqual(["hello t", "t", "hello t"]);
  });
  it("says which middleware misses what", async () => {
    const agent = createAgent({ model: new ScriptedModel("a"), middleware: [withContext([])] });
    await expect(agent.invoke({ messages: "go" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(/"context".*user/su),
    });
  });
});
