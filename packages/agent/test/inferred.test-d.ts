import { tool } from "@langchain/core/tools";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  type AgentState,
  createAgent,
  createMiddleware,
  type ExtractZodArrayTypes,
  type InferAgentTools,
  type ReactAgent,
  type ToolCallHandler,
  type ToolCallRequest,
  toolStrategy,
} from "../src/index.ts";

// what langchain's types do not say, or say otherwise; what they say is in packages/parity/src/agent-types

const model = "openai:gpt-5";
const Weather = z.object({ city: z.string(), rain: z.boolean().default(false) });
const Failure = z.object({ reason: z.string() });
const add = tool(({ a }) => a + 1, {
  name: "add",
  description: "Adds one",
  schema: z.object({ a: z.number() }),
});
const tools = [add] as const;

async function agents(): Promise<void> {
  const one = await createAgent({ model, responseFormat: toolStrategy(Weather) }).invoke({ messages: "?" });
  expectTypeOf(one.structuredResponse).toEqualTypeOf<{ city: string; rain: boolean }>();
  const several = await createAgent({ model, responseFormat: [Weather, Failure] }).invoke({ messages: "?" });
  expectTypeOf(several.structuredResponse).toEqualTypeOf<z.output<typeof Weather | typeof Failure>>();

  const own = createAgent({
    model,
    tools,
    stateSchema: z.object({ user: z.string(), _seen: z.string().optional() }),
  });
  expectTypeOf<InferAgentTools<typeof own>>().toEqualTypeOf<readonly [typeof add]>();
  // the thread may have a user, and messages, from an earlier turn
  const { user, ...rest } = await own.invoke({ messages: "hi" });
  expectTypeOf(user).toEqualTypeOf<string>();
  // @ts-expect-error -- private keys are returned to nobody
  void rest._seen;
  await own.invoke({ user: "ada" });
  const any: ReactAgent = own;
  const state = await any.invoke({ messages: "hi" });
  expectTypeOf(state.structuredResponse).toBeAny();
  expectTypeOf(state.messages).toEqualTypeOf<AgentState<undefined, []>["messages"]>();

  const run = await own.streamEvents({ messages: "hi" }, { version: "v3" });
  for await (const { output } of run.subagents) {
    expectTypeOf(await output).toEqualTypeOf<Record<string, unknown>>();
  }
}
void agents;

expectTypeOf<ExtractZodArrayTypes<[typeof Weather, typeof Failure]>>().toEqualTypeOf<
  z.output<typeof Weather | typeof Failure>
>();

const maybe = createMiddleware({
  name: "maybe",
  contextSchema: z.object({ user: z.string() }).optional(),
  // a helper that knows no state takes any request and its handler
  wrapToolCall: (request: ToolCallRequest, handler: ToolCallHandler) => handler(request),
});
void createAgent({ model, middleware: [maybe] }).invoke({ messages: "hi" }, {});
