import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z as z4 } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { createAgent, createMiddleware, type ResponseSchema, toolStrategy } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/** The same schemas, each written in one version of zod. */
const versions = {
  "zod 3": {
    tool: z3.object({ text: z3.string(), times: z3.number().default(2) }),
    answer: z3.object({ sum: z3.number() }),
    state: z3.object({ topic: z3.string().default("maths"), maybe: z3.string().optional() }),
    counted: z3.object({ count: z3.number().default(0), _secret: z3.string().default("s") }),
    user: z3.object({ user: z3.string() }),
    level: z3.object({ level: z3.number().default(1) }),
  },
  "zod 4": {
    tool: z4.object({ text: z4.string(), times: z4.number().default(2) }),
    answer: z4.object({ sum: z4.number() }),
    state: z4.object({ topic: z4.string().default("maths"), maybe: z4.string().optional() }),
    counted: z4.object({ count: z4.number().default(0), _secret: z4.string().default("s") }),
    user: z4.object({ user: z4.string() }),
    level: z4.object({ level: z4.number().default(1) }),
  },
  "zod mini": {
    tool: mini.object({ text: mini.string(), times: mini._default(mini.number(), 2) }),
    answer: mini.object({ sum: mini.number() }),
    state: mini.object({
      topic: mini._default(mini.string(), "maths"),
      maybe: mini.optional(mini.string()),
    }),
    counted: mini.object({
      count: mini._default(mini.number(), 0),
      _secret: mini._default(mini.string(), "s"),
    }),
    user: mini.object({ user: mini.string() }),
    level: mini.object({ level: mini._default(mini.number(), 1) }),
  },
};

describe.each(Object.entries(versions))("E1 each place of an agent takes a schema of %s", (_, schemas) => {
  it("a tool: defaults are filled in, and what does not fit is told to the model", async () => {
    const seen: unknown[] = [];
    const shout = tool(((input: unknown) => (seen.push(input), "shouted")) as never, {
      name: "shout",
      description: "Shouts",
      schema: schemas.tool as never,
    });
    const model = new ScriptedModel(calls(["shout", { text: "a" }]), calls(["shout", { text: 5 }]), "done");
    const { messages } = await createAgent({ model, tools: [shout] }).invoke({ messages: "go" });
    expect(seen).toEqual([{ text: "a", times: 2 }]);
    const results = messages.filter(({ type }) => type === "tool") as { status?: string }[];
    expect(results.map(({ status }) => status)).toEqual(["success", "error"]);
  });
  it("a structured response", async () => {
    const model = new ScriptedModel(
      (_messages) => calls([name(), { sum: "x" }]),
      () => calls([name(), { sum: 3 }]),
    );
    const name = (): string =>
      (model.bound[0]?.[0] as { function: { name: string } } | undefined)?.function.name ?? "none";
    const responseFormat = toolStrategy(schemas.answer as ResponseSchema);
    const { structuredResponse } = await createAgent({ model, responseFormat }).invoke({ messages: "?" });
    expect(structuredResponse).toEqual({ sum: 3 });
  });
  it("states of the agent and of a middleware", async () => {
    const count = createMiddleware({
      name: "Count",
      stateSchema: schemas.counted as never,
      afterModel: (state) => ({ count: Number((state as { count?: number }).count) + 1 }) as never,
    });
    const agent = createAgent({
      model: new ScriptedModel("a", "b"),
      stateSchema: schemas.state as never,
      middleware: [count],
      checkpointer: new MemorySaver(),
    });
    const thread = { configurable: { thread_id: "1" } };
    const first = await agent.invoke({ messages: "go" } as never, thread);
    expect(first).toMatchObject({ topic: "maths", count: 1 });
    expect(first).not.toHaveProperty("_secret");
    const second = await agent.invoke({ messages: "on", topic: "art", maybe: "m" } as never, thread);
    expect(second).toMatchObject({ topic: "art", maybe: "m", count: 2 });
  });
  it("contexts of the agent and of a middleware", async () => {
    const seen: unknown[] = [];
    const looks = createMiddleware({
      name: "Looks",
      contextSchema: schemas.level as never,
      wrapModelCall: (request, handler) => {
        seen.push(request.runtime.context);
        return handler(request);
      },
    });
    const agent = createAgent({
      model: new ScriptedModel("a", "b"),
      contextSchema: schemas.user as never,
      middleware: [looks],
    });
    for (const context of [{ user: "me" }, { user: "me", level: 5 }]) {
      await agent.invoke({ messages: "go" }, { context } as never);
    }
    expect(seen).toMatchObject([{ level: 1 }, { level: 5 }]);
    await expect(agent.invoke({ messages: "go" }, { context: { user: 1 } } as never)).rejects.toThrow("user");
  });
});
