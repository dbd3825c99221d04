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

test("an error handler finds what its node found, and writes what a node writes", () => {
  void new StateGraph(State)
    .addNode("one", ({ n }) => ({ n }), {
      errorHandler: async (state, { node, error }) => {
        expectTypeOf(state).toEqualTypeOf<typeof State.State>();
        return new Command({ goto: END, update: { a: `${node}: ${error.message}` } });
      },
    })
    // does not say what the node finds
    .addNode("two", ({ n }) => ({ n }), { errorHandler: (_state: unknown) => ({ n: 1 }) })
    .addNode("three", ({ extra }: { extra: string }) => ({ a: extra }), {
      errorHandler: ({ extra }) => ({ a: extra }),
    })
    .addNode("four", () => ({ n: 1 }), {
      errorHandler: () => {
        throw new Error("no way out");
      },
    })
    .setNodeDefaults({ errorHandler: (state) => (state === undefined ? undefined : { n: 2 }) });
  // @ts-expect-error -- writes the wrong type
  void new StateGraph(State).addNode("one", () => ({ n: 1 }), { errorHandler: () => ({ n: "x" }) });
  // @ts-expect-error -- no update
  void new StateGraph(State).addNode("one", () => ({ n: 1 }), { errorHandler: () => 5 });
  // @ts-expect-error -- the node finds something else
  void new StateGraph(State).addNode("one", () => ({ n: 1 }), { errorHandler: (_state: number) => ({}) });
  // @ts-expect-error -- writes the wrong type
  void new StateGraph(State).setNodeDefaults({ errorHandler: () => ({ n: "x" }) });
});

async function declared() {
  return { kind: "a", n: 1 };
}

test("an asynchronous node may return literals that have widened, and no other types", () => {
  const Kinds = Annotation.Root({
    kind: Annotation<"a" | "b">,
    n: Annotation<1 | 2>,
    plain: Annotation<number>,
  });
  const kinds = new StateGraph(Kinds)
    .addNode("declared", declared)
    .addNode("variable", async () => {
      const out = { kind: "a" };
      return out;
    })
    .addNode("command", async () => {
      const update = { kind: "b" };
      return new Command({ update, goto: END });
    })
    .addNode({ declaredToo: declared });
  expectTypeOf(kinds).toHaveProperty("compile");
  // @ts-expect-error -- no text, widened or not
  void new StateGraph(Kinds).addNode("wrong", async () => ({ plain: "1" }));
  // @ts-expect-error -- refused there, too
  void new StateGraph(Kinds).addNode("sync", () => {
    const out = { kind: "a" };
    return out;
  });
});

test("a map of functions by key is a node", () => {
  const mapped = new StateGraph(State).addNode("map", { a: () => "x", n: async () => 1 });
  expectTypeOf(mapped).toHaveProperty("compile");
  // @ts-expect-error -- no function
  void new StateGraph(State).addNode("map", { a: "x" });
});
