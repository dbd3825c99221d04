import type { BaseMessage } from "@langchain/core/messages";
import { registry, withLangGraph } from "@skein/graph/zod";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  Command,
  DeltaValue,
  END,
  type Messages,
  MessagesDeltaValue,
  MessagesZodMeta,
  MessagesZodState,
  type Overwrite,
  reducers,
  START,
  StateGraph,
  type StateOf,
  StateSchema,
  type UpdateOf,
} from "@skein/graph";

const Delta = new StateSchema({
  messages: MessagesDeltaValue,
  log: new DeltaValue(z.array(z.string()), { inputSchema: z.string(), reducer: (a, b) => [...a, ...b] }),
});
expectTypeOf<typeof Delta.State>().toEqualTypeOf<{ messages: BaseMessage[]; log: string[] }>();
expectTypeOf<typeof Delta.Update.log>().toEqualTypeOf<string | Overwrite<string[]> | undefined>();
expectTypeOf<Messages>().toExtend<typeof Delta.Update.messages>();

const Zod = z.object({
  log: withLangGraph(z.array(z.string()), {
    reducer: { schema: z.string(), fn: (log: string[], line: string) => [...log, line] },
  }),
  n: z.number().default(1),
});
expectTypeOf<StateOf<typeof Zod>>().toEqualTypeOf<{ log: string[]; n: number }>();
expectTypeOf<UpdateOf<typeof Zod>["log"]>().toEqualTypeOf<string | Overwrite<string[]> | undefined>();
expectTypeOf<UpdateOf<typeof Zod>["n"]>().toEqualTypeOf<number | undefined>();

const Registered = z.object({ messages: z.custom<BaseMessage[]>().register(registry, MessagesZodMeta) });
expectTypeOf<StateOf<typeof Registered>["messages"]>().toEqualTypeOf<BaseMessage[]>();

const Three = z3.object({ a: z3.string(), n: z3.number().default(2) });
expectTypeOf<StateOf<typeof Three>>().toEqualTypeOf<{ a: string; n: number }>();
expectTypeOf<UpdateOf<typeof Three>>().toEqualTypeOf<{ a?: string; n?: number | undefined }>();
expectTypeOf<StateOf<typeof MessagesZodState>>().toEqualTypeOf<{ messages: BaseMessage[] }>();

const graph = new StateGraph(Zod)
  .addNode("a", (state) => {
    expectTypeOf(state).toEqualTypeOf<{ log: string[]; n: number }>();
    return { log: "line" };
  })
  .addNode("b", () => new Command({ update: { n: 2 }, goto: "a" }), { ends: ["a", END] })
  .addEdge(START, "a")
  .addEdge("a", "b")
  .compile();
// @ts-expect-error -- one line is written, not the list
new StateGraph(Zod).addNode("a", () => ({ log: ["line"] }));
// @ts-expect-error -- a command that updates a key with the wrong type
new StateGraph(Zod).addNode("a", () => new Command({ update: { n: "two" } }));
async function calls(): Promise<void> {
  expectTypeOf(await graph.invoke({ log: "x" })).toEqualTypeOf<{ log: string[]; n: number }>();
  const { values, next } = await graph.getState({});
  // a thread may be of another program: values are any, as in LangGraph
  expectTypeOf(values).toBeAny();
  expectTypeOf(next).toExtend<readonly string[]>();
  for await (const chunk of await graph.stream({ log: "x" }, { streamMode: "updates" })) {
    expectTypeOf(chunk).toExtend<object>();
  }
  // @ts-expect-error -- a key of the wrong type
  await graph.invoke({ n: "1" });
}
void calls;

const node: typeof Delta.Node = (state, config) => ({ log: state.log.join() + config.configurable?.user });
void new StateGraph(Delta).addNode("node", node).addEdge(START, "node");
expectTypeOf(reducers.append([1], 2)).toEqualTypeOf<number[]>();
expectTypeOf(graph.getGraph().drawDot()).toEqualTypeOf<string>();
