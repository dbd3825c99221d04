import type { BaseMessage } from "@langchain/core/messages";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  Annotation,
  channelField,
  type ChannelField,
  Command,
  END,
  MessagesAnnotation,
  type Messages,
  MessagesValue,
  type Overwrite,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
  UntrackedValue,
} from "@skein/graph";

const State = Annotation.Root({
  topic: Annotation<string>,
  notes: Annotation<string[], string>({ reducer: (a, b) => [...a, b], default: () => [] }),
});
expectTypeOf<typeof State.State>().toEqualTypeOf<{ topic: string; notes: string[] }>();
expectTypeOf<typeof State.Update>().toEqualTypeOf<{ topic?: string; notes?: string | Overwrite<string[]> }>();
expectTypeOf<typeof MessagesAnnotation.State>().toEqualTypeOf<{ messages: BaseMessage[] }>();

const field: ChannelField<number[], number> = channelField(() => {
  throw new Error("for its type only");
});
const Schema = new StateSchema({
  messages: MessagesValue,
  count: z.number().default(0),
  log: new ReducedValue(z.array(z.string()), { inputSchema: z.string(), reducer: (a, b) => [...a, b] }),
  cache: new UntrackedValue(z.string()),
  field,
});
expectTypeOf<typeof Schema.State>().toEqualTypeOf<{
  messages: BaseMessage[];
  count: number;
  log: string[];
  cache: string;
  field: number[];
}>();
expectTypeOf<typeof Schema.Update.count>().toEqualTypeOf<number | undefined>();
expectTypeOf<typeof Schema.Update.field>().toEqualTypeOf<number | undefined>();
expectTypeOf<typeof Schema.Update.log>().toEqualTypeOf<string | Overwrite<string[]> | undefined>();
expectTypeOf<Messages>().toExtend<typeof Schema.Update.messages>();

const graph = new StateGraph(Schema)
  .addNode("one", (state, config) => {
    expectTypeOf(state.count).toEqualTypeOf<number>();
    expectTypeOf(config.signal).toEqualTypeOf<AbortSignal>();
    return { count: state.count + 1 };
  })
  .addNode("two", async (state) => new Command({ update: { log: state.log.join() }, goto: "one" }), {
    ends: ["one"],
  })
  .addEdge(START, "one")
  .addEdge("one", "two")
  .addConditionalEdges("two", (state) => (state.count > 1 ? END : "one"), { one: "one", [END]: END })
  .compile();
// @ts-expect-error -- no such node
new StateGraph(State).addNode("a", () => ({})).addEdge("a", "b");
// @ts-expect-error -- a key of the wrong type
new StateGraph(State).addNode("a", () => ({ topic: 7 }));

async function calls(): Promise<void> {
  const result = await graph.invoke({ count: 1, messages: "hi" });
  expectTypeOf(result.count).toEqualTypeOf<number>();
  expectTypeOf(result.messages).toEqualTypeOf<BaseMessage[]>();
  // @ts-expect-error -- a key of the wrong type
  await graph.invoke({ count: "1" });
  await graph.invoke(null);
  await graph.invoke(new Command({ resume: true }));
  for await (const chunk of await graph.stream({ count: 1 }, { streamMode: "values" })) {
    expectTypeOf(chunk.count).toEqualTypeOf<number>();
  }
  for await (const [mode, chunk] of await graph.stream({ count: 1 }, { streamMode: ["values", "custom"] })) {
    expectTypeOf(mode).toEqualTypeOf<"values" | "custom">();
    if (mode === "values") expectTypeOf(chunk.log).toEqualTypeOf<string[]>();
  }
  for await (const [namespace, chunk] of await graph.stream(
    { count: 1 },
    { streamMode: "messages", subgraphs: true },
  )) {
    expectTypeOf(namespace).toEqualTypeOf<string[]>();
    expectTypeOf(chunk[0]).toEqualTypeOf<BaseMessage>();
  }
}
void calls;

const Zod = z.object({ a: z.string(), n: z.number().default(1) });
const fromZod = new StateGraph(Zod, z.object({ user: z.string() }))
  .addNode("x", (state, config) => {
    expectTypeOf(state).toEqualTypeOf<{ a: string; n: number }>();
    expectTypeOf(config.context?.user).toEqualTypeOf<string | undefined>();
    return { n: 2 };
  })
  .addEdge(START, "x")
  .compile();
expectTypeOf<Awaited<ReturnType<typeof fromZod.invoke<undefined>>>>().toEqualTypeOf<{
  a: string;
  n: number;
}>();

const builder = new StateGraph(State);
const typed: typeof builder.Node = (state) => ({ notes: state.topic });
void builder.addNode("typed", typed);
// @ts-expect-error -- not what a node of this state returns
const untyped: typeof builder.Node = () => ({ notes: 5 });
void untyped;

const narrowed = new StateGraph({
  state: State,
  input: Annotation.Root({ topic: Annotation<string> }),
  output: Annotation.Root({ notes: State.spec.notes }),
})
  .addNode("x", (state: { topic: string }) => ({ notes: state.topic }), {
    input: Annotation.Root({ topic: Annotation<string> }),
  })
  .addEdge(START, "x")
  .compile();
async function narrow(): Promise<void> {
  expectTypeOf(await narrowed.invoke({ topic: "t" })).toEqualTypeOf<{ notes: string[] }>();
  // @ts-expect-error -- not in the input
  await narrowed.invoke({ notes: "n" });
}
void narrow;
