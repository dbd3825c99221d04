import { Annotation } from "@langchain/langgraph";
import { createAgent, createMiddleware, type Runtime } from "langchain";
import { z } from "zod";
import { model } from "./kit.ts";

const Caller = z.object({ user: z.string(), tenant: z.string().default("main") });
const speaking = createMiddleware({
  name: "speaking",
  contextSchema: z.object({ language: z.string() }),
  beforeModel: (_state, runtime) => {
    runtime.context.language satisfies string;
  },
});
const toned = createMiddleware({
  name: "toned",
  contextSchema: z.object({ tone: z.string().default("kind") }),
  wrapModelCall: (request, handler) =>
    handler({ ...request, systemPrompt: `Be ${request.runtime.context.tone}.` }),
});
const agent = createAgent({ model, contextSchema: Caller });
const both = createAgent({ model, contextSchema: Caller, middleware: [speaking, toned] });
const speaker = createAgent({ model, middleware: [speaking] });
const kind = createAgent({ model, middleware: [toned] });
const plain = createAgent({ model });
const annotated = createAgent({ model, contextSchema: Annotation.Root({ user: Annotation<string> }) });
const go = { messages: "hi" };

export const bare: Runtime = {};
export const filled: Runtime<{ user: string }> = {
  context: { user: "ada" },
  configurable: { thread_id: "1" },
};

/** What callers pass as `context`. */
export async function contexts(): Promise<void> {
  await agent.invoke(go, { context: { user: "ada" } });
  await agent.invoke(go, { context: { user: "ada", tenant: "other" }, configurable: { thread_id: "1" } });
  await both.invoke(go, { context: { user: "ada", language: "de" } });
  await both.stream(go, { context: { user: "ada", language: "de", tone: "dry" }, streamMode: "values" });
  await speaker.invoke(go, { context: { language: "de" } });
  await kind.invoke(go, { context: {} });
  await kind.invoke(go);
  await plain.invoke(go, { context: { whatever: 3 }, recursionLimit: 9, tags: ["t"] });
  await annotated.invoke(go, { context: { user: "ada" } });
}

export async function notTheirContext(): Promise<void> {
  // @ts-expect-error -- a text
  await agent.invoke(go, { context: { user: 3 } });
  // @ts-expect-error -- without a user
  await agent.invoke(go, { context: { tenant: "other" } });
  // @ts-expect-error -- without any
  await agent.invoke(go, {});
  // @ts-expect-error -- no key of it
  await agent.invoke(go, { context: { user: "ada", nothing: 3 } });
  // @ts-expect-error -- without that of the middleware
  await both.invoke(go, { context: { user: "ada" } });
  // @ts-expect-error -- a text
  await speaker.stream(go, { context: { language: 3 } });
  // @ts-expect-error -- a text
  await annotated.invoke(go, { context: { user: 3 } });
  // @ts-expect-error -- it must have one
  ({}) satisfies Runtime<{ user: string }>;
}

export function notContexts(): void {
  // @ts-expect-error -- no schema
  createAgent({ model, contextSchema: 3 });
  // @ts-expect-error -- no object
  createMiddleware({ name: "text", contextSchema: z.string() });
  createMiddleware({
    name: "other",
    contextSchema: Caller,
    beforeModel: (_state, { context }) => {
      // @ts-expect-error -- no key of it
      void context.nothing;
    },
  });
}
