import type { LanguageModelLike } from "@langchain/core/language_models/base";
import type { BaseMessage } from "@langchain/core/messages";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { Annotation, entrypoint, getPreviousState, MessagesAnnotation, task } from "../src/index.ts";
import { createReactAgent, ToolNode, toolsCondition } from "../src/prebuilt.ts";

const add = task("add", (a: number, b: number) => a + b);
expectTypeOf(add).toEqualTypeOf<(a: number, b: number) => Promise<number>>();
const load = task({ name: "load", retry: { maxAttempts: 2 } }, async (url: string) => ({ url, size: 1 }));
expectTypeOf(load).toEqualTypeOf<(url: string) => Promise<{ url: string; size: number }>>();
// @ts-expect-error -- generators are refused
task("generator", function* () {
  yield 1;
});
// @ts-expect-error -- generators are refused
entrypoint("generator", async function* () {
  yield 1;
});

const workflow = entrypoint("workflow", async (input: { n: number }, config) => {
  expectTypeOf(config.signal).toEqualTypeOf<AbortSignal | undefined>();
  return { sum: await add(input.n, 1) };
});
const finals = entrypoint("finals", async (n: number) =>
  entrypoint.final({ value: `${n}`, save: getPreviousState<number>() + n }),
);
const mixed = entrypoint("mixed", async (n: number) =>
  n > 1 ? entrypoint.final({ value: "final", save: n }) : n,
);

async function calls(): Promise<void> {
  expectTypeOf(await workflow.invoke({ n: 1 })).toEqualTypeOf<{ sum: number }>();
  await workflow.invoke(null);
  // @ts-expect-error -- another input
  await workflow.invoke({ n: "1" });
  expectTypeOf(await finals.invoke(1)).toEqualTypeOf<string>();
  expectTypeOf(await mixed.invoke(1)).toEqualTypeOf<string | number>();
  expectTypeOf((await workflow.getState({})).values).toBeAny();
  for await (const chunk of await workflow.stream({ n: 1 }, { streamMode: "values" })) {
    expectTypeOf(chunk).toEqualTypeOf<{ sum: number }>();
  }
}
void calls;

const llm = null as unknown as LanguageModelLike;
const plain = createReactAgent({ llm, tools: [] });
const State = Annotation.Root({ ...MessagesAnnotation.spec, user: Annotation<string>() });
const own = createReactAgent({
  llm: (state, runtime) => {
    expectTypeOf(state.user).toEqualTypeOf<string>();
    expectTypeOf(state.llmInputMessages).toEqualTypeOf<BaseMessage[]>();
    expectTypeOf(runtime.context?.tenant).toEqualTypeOf<string | undefined>();
    return llm;
  },
  tools: new ToolNode([]),
  stateSchema: State,
  contextSchema: z.object({ tenant: z.string() }),
  responseFormat: z.object({ sum: z.number() }),
  preModelHook: (state) => ({ llmInputMessages: state.messages.slice(-2) }),
  interruptBefore: ["tools"],
});
// @ts-expect-error -- no such node
createReactAgent({ llm, tools: [], interruptBefore: ["other"] });
// @ts-expect-error -- no such version
createReactAgent({ llm, tools: [], version: "v3" });

async function agents(): Promise<void> {
  const answer = await plain.invoke({ messages: "hi" });
  expectTypeOf(answer.messages).toEqualTypeOf<BaseMessage[]>();
  const more = await own.invoke({ messages: "hi", user: "ada" }, { context: { tenant: "t" } });
  expectTypeOf(more.user).toEqualTypeOf<string>();
  expectTypeOf(more.structuredResponse.sum).toEqualTypeOf<number>();
  // @ts-expect-error -- a key of the wrong type
  await own.invoke({ messages: "hi", user: 7 });
  expectTypeOf(toolsCondition(answer)).toEqualTypeOf<"tools" | "__end__">();
}
void agents;

// What programs written for LangGraph do with an entrypoint's chunks and options.
const asked = entrypoint({ name: "asked" }, async (input: { q: string }) => ({ r: input.q }));
async function read(options: Parameters<typeof asked.invoke>[1]): Promise<string> {
  for await (const chunk of await asked.stream({ q: "" }, { streamMode: "updates" })) void chunk["asked"].r;
  const result: Awaited<ReturnType<typeof asked.invoke>> = { r: "" };
  return (await asked.invoke({ q: "" }, options)).r + result.r;
}
void read;
