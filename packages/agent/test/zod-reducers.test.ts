import { tool } from "@langchain/core/tools";
import { ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { Command, MessagesZodMeta } from "@skein/graph";
import { registry, withLangGraph } from "@skein/graph/zod";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createAgent, createMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const joined = (left: string[], right: string | string[]): string[] => left.concat(right);
const note = tool(
  ({ text }, { toolCallId }: { toolCallId: string }) =>
    new Command({
      update: { notes: text, messages: [new ToolMessage({ content: "ok", tool_call_id: toolCallId })] },
    }),
  { name: "note", description: "Notes", schema: z.object({ text: z.string() }) },
);
const STATES: readonly [string, unknown][] = [
  [
    "withLangGraph",
    z.object({
      notes: withLangGraph(z.array(z.string()), {
        reducer: { schema: z.string(), fn: joined },
        default: () => [],
      }),
    }),
  ],
  [
    "register",
    z.object({
      notes: z
        .array(z.string())
        .default([])
        .register(registry, { reducer: { schema: z.string() as never, fn: joined as never } }),
    }),
  ],
  ["zod 3", z3.object({ notes: z3.array(z3.string()).default([]).langgraph.reducer(joined, z3.string()) })],
];

describe("reducers that zod schemas were given hold in agents", () => {
  it.each(STATES)(
    "of the agent, for calls at the same time, turn by turn: %s",
    async (_name, stateSchema) => {
      const both = calls(["note", { text: "a" }], ["note", { text: "b" }]);
      const model = new ScriptedModel(both, "one", both, "two");
      const schema = stateSchema as z.ZodObject;
      const agent = createAgent({
        model,
        tools: [note],
        stateSchema: schema,
        checkpointer: new MemorySaver(),
      });
      const thread = { configurable: { thread_id: "t" } };
      expect(await agent.invoke({ messages: "go" }, thread)).toMatchObject({ notes: ["a", "b"] });
      const given = { messages: "go", notes: "c" } as never;
      expect(await agent.invoke(given, thread)).toMatchObject({ notes: ["a", "b", "c", "a", "b"] });
    },
  );

  it.each(STATES)("of a middleware: %s", async (_name, stateSchema) => {
    const middleware = createMiddleware({
      name: "noting",
      stateSchema: stateSchema as z.ZodObject,
      beforeModel: () => ({ notes: "before" }),
      afterModel: () => ({ notes: "after" }),
    });
    const agent = createAgent({ model: new ScriptedModel("one"), middleware: [middleware] });
    expect(await agent.invoke({ messages: "go" })).toMatchObject({ notes: ["before", "after"] });
  });

  it.each(["any", "a", "reads-a", "node:x", "b c"])("whatever the key is called: %s", async (key) => {
    const stateSchema = z.object({
      [key]: withLangGraph(z.array(z.string()), {
        reducer: { schema: z.string(), fn: joined },
        default: () => [],
      }),
    });
    const middleware = createMiddleware({
      name: "twice",
      beforeModel: () => ({ [key]: "x" }) as never,
      afterModel: () => ({ [key]: "y" }) as never,
    });
    const agent = createAgent({ model: new ScriptedModel("one"), stateSchema, middleware: [middleware] });
    expect(await agent.invoke({ messages: "go" } as never)).toMatchObject({ [key]: ["x", "y"] });
  });

  it("what a write is not is refused; keys of messages take messages", async () => {
    const schema = STATES[0]?.[1];
    const agent = createAgent({ model: new ScriptedModel("one"), stateSchema: schema as z.ZodObject });
    await expect(agent.invoke({ messages: "go", notes: 5 } as never)).rejects.toThrow('field "notes"');
    const drafts = z.custom<unknown[]>().register(registry, MessagesZodMeta as never);
    const drafting = createAgent({ model: new ScriptedModel("one"), stateSchema: z.object({ drafts }) });
    const result = await drafting.invoke({
      messages: "go",
      drafts: [{ role: "user", content: "a draft" }],
    } as never);
    expect((result as unknown as { drafts: { text: string }[] }).drafts[0]?.text).toBe("a draft");
  });
});
