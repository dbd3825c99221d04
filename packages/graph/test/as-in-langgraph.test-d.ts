import type { AIMessage } from "@langchain/core/messages";
import { Annotation, Command, END, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { expectTypeOf, test } from "vitest";

/** Programs that compile, or do not, as they are on LangGraph. */
const State = Annotation.Root({ a: Annotation<string>, n: Annotation<number> });
const graph = new StateGraph(State)
  .addNode("one", async function* () {
    yield { a: "1" };
  })
  .addEdge(START, "one")
  .addEdge("one", END)
  .compile();

test("the definition of an Annotation.Root may be named as a type argument", () => {
  const named = new StateGraph<typeof State.spec>(State).addNode("n", ({ a }) => {
    expectTypeOf(a).toEqualTypeOf<string>();
    return { n: 1 };
  });
  expectTypeOf(named).toHaveProperty("compile");
  // @ts-expect-error -- no state
  void new StateGraph(5);
});

async function calls(): Promise<void> {
  const events = await graph.stream({ a: "x" }, { encoding: "text/event-stream" });
  for await (const chunk of events) expectTypeOf(chunk).toEqualTypeOf<Uint8Array>();
  for await (const chunk of await graph.stream({ a: "x" }, { streamMode: "values" }))
    expectTypeOf(chunk.a).toEqualTypeOf<string>();

  type Options = NonNullable<Parameters<typeof graph.invoke>[1]>;
  const options: Options = { recursionLimit: 5 };
  expectTypeOf((await graph.invoke({ a: "x" }, options)).n).toEqualTypeOf<number>();

  await graph.invoke(new Command({ update: { a: "x" } }));
  // @ts-expect-error -- a command that writes the wrong type
  await graph.invoke(new Command({ update: { a: 5 } }));
}
void calls;

async function states(): Promise<void> {
  const chat = new StateGraph(MessagesAnnotation)
    .addNode("n", () => ({}))
    .addEdge(START, "n")
    .compile();
  const { values } = await chat.getState({ configurable: { thread_id: "1" } });
  const calls: AIMessage["tool_calls"] = values.messages.at(-1).tool_calls;
  void calls;
}
void states;
