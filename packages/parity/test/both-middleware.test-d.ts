import type { BaseMessage } from "@langchain/core/messages";
import { type AgentMiddleware, type AnyAgentMiddleware, createAgent, createMiddleware } from "@skein/agent";
import {
  contextEditingMiddleware,
  dynamicSystemPromptMiddleware,
  humanInTheLoopMiddleware,
  llmToolSelectorMiddleware,
  modelCallLimitMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  piiMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
  toolCallLimitMiddleware,
  toolEmulatorMiddleware,
  toolRetryMiddleware,
} from "@skein/middleware";
import * as lc from "langchain";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { add, model } from "../src/agent-types/kit.ts";

const Counted = z.object({ rounds: z.number().default(0) });
const Caller = z.object({ user: z.string() });
const ours = createMiddleware({
  name: "ours",
  stateSchema: Counted,
  contextSchema: Caller,
  tools: [add],
  beforeModel: ({ rounds }, { context }) => ({ rounds: rounds + context.user.length }),
  afterModel: { canJumpTo: ["end"], hook: ({ rounds }) => (rounds > 3 ? { jumpTo: "end" } : undefined) },
  wrapModelCall: (request, handler) => handler({ ...request, systemPrompt: request.runtime.context.user }),
  wrapToolCall: (request, handler) => handler(request),
});
const theirs = lc.createMiddleware({
  name: "theirs",
  stateSchema: Counted,
  contextSchema: Caller,
  beforeModel: ({ rounds }) => ({ rounds: rounds + 1 }),
  wrapModelCall: (request, handler) => handler(request),
  wrapToolCall: (request, handler) => handler(request),
});
const plain: AgentMiddleware = createMiddleware({ name: "plain", beforeModel: () => ({ messages: "hi" }) });

const go = { messages: "hi" };
const context = { user: "ada" };

/** Ours in LangChain's agent. */
async function there(): Promise<void> {
  const stock = lc.createAgent({
    model,
    middleware: [
      todoListMiddleware(),
      humanInTheLoopMiddleware({ interruptOn: { add: true } }),
      modelRetryMiddleware(),
      toolRetryMiddleware(),
      piiMiddleware("email"),
      summarizationMiddleware({ model, trigger: { messages: 9 } }),
      modelCallLimitMiddleware({ runLimit: 1 }),
      toolCallLimitMiddleware({ runLimit: 1 }),
      modelFallbackMiddleware(model),
      llmToolSelectorMiddleware({ model }),
      toolEmulatorMiddleware(),
      contextEditingMiddleware(),
      dynamicSystemPromptMiddleware(() => "Be kind."),
    ],
  });
  expectTypeOf((await stock.invoke(go)).todos[0]!.content).toEqualTypeOf<string>();
  const own = lc.createAgent({ model, middleware: [ours, createMiddleware({ name: "bare" })] });
  expectTypeOf((await own.invoke(go, { context })).rounds).toEqualTypeOf<number>();
  // @ts-expect-error -- without a user
  await own.invoke(go, { context: {} });
  const list: lc.AgentMiddleware[] = [ours, todoListMiddleware(), plain as lc.AgentMiddleware];
  lc.createAgent({ model, middleware: list });
}

/** Theirs in our agent. */
async function here(): Promise<void> {
  const own = createAgent({ model, middleware: [theirs, lc.modelRetryMiddleware()] });
  expectTypeOf((await own.invoke(go, { context })).rounds).toEqualTypeOf<number>();
  const list: AnyAgentMiddleware[] = [theirs, ours, plain, lc.modelRetryMiddleware()];
  createAgent({ model, middleware: list });
}

/** What ours is given is as strict as before. */
function strict(): void {
  const held: AgentMiddleware = {
    name: "held",
    beforeModel: ({ messages }) => void (messages satisfies BaseMessage[]),
    // @ts-expect-error -- no reply
    wrapModelCall: () => "text",
  };
  const exact: AgentMiddleware<typeof Counted, typeof Caller, z.output<typeof Caller>> = ours;
  void [held, exact];
  // @ts-expect-error -- a number
  createMiddleware({ name: "a", stateSchema: Counted, beforeModel: () => ({ rounds: "one" }) });
  // @ts-expect-error -- of another state
  const other: AgentMiddleware<typeof Caller> = ours;
  void other;
}
void [there, here, strict];
