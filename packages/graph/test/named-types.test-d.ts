import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseChannel,
  type CompiledGraphType,
  type NodeType,
  type Overwrite,
  StateGraph,
  StateSchema,
  START,
  type StreamOutputMap,
  type ToStateDefinition,
} from "@skein/graph";
import type { InteropZodToStateDefinition, UpdateType } from "@skein/graph/zod";
import { expectTypeOf } from "vitest";
import { z } from "zod";

// a graph's type, by what is known of it
type Known = CompiledGraphType<{
  state: { topic: string };
  input: { topic?: string };
  output: { topic: string };
  node: "plan";
  context: { user: string };
}>;
async function calls(graph: Known, unknown: CompiledGraphType): Promise<void> {
  expectTypeOf(await graph.invoke({ topic: "t" }, { context: { user: "u" } })).toEqualTypeOf<{
    topic: string;
  }>();
  // @ts-expect-error -- no key of its input
  await graph.invoke({ other: 1 });
  expectTypeOf((await graph.getState({})).values).toBeAny();
  await unknown.invoke({ anything: 1 });
}
void calls;
const State = Annotation.Root({ topic: Annotation<string> });
const graph = new StateGraph(State)
  .addNode("plan", () => ({}))
  .addEdge(START, "plan")
  .compile();
expectTypeOf(graph).toExtend<CompiledGraphType>();

// streams
expectTypeOf<StreamOutputMap<"values", false, { u: 1 }, { v: 1 }, "n">>().toEqualTypeOf<{ v: 1 }>();
expectTypeOf<StreamOutputMap<undefined, true, { u: 1 }, { v: 1 }, "n">>().toEqualTypeOf<
  [string[], Record<"n", { u: 1 }>]
>();
expectTypeOf<StreamOutputMap<["messages"], false, 0, 0, "n">>().toEqualTypeOf<
  // oxlint-disable-next-line typescript/no-explicit-any -- a message's metadata
  ["messages", [BaseMessage, Record<string, any>]]
>();
expectTypeOf<
  StreamOutputMap<"values", false, 0, 0, "n", unknown, 0, "text/event-stream">
>().toEqualTypeOf<Uint8Array>();

// states, whatever they were written in
const Schema = new StateSchema({ topic: z.string() });
const Zod = z.object({
  topic: z.string(),
  list: z.array(z.string()),
});
expectTypeOf<ToStateDefinition<typeof State>>().toEqualTypeOf<(typeof State)["spec"]>();
expectTypeOf<ToStateDefinition<typeof Schema>["topic"]["ValueType"]>().toEqualTypeOf<string>();
expectTypeOf<ToStateDefinition<typeof Zod>>().toEqualTypeOf<InteropZodToStateDefinition<typeof Zod>>();
expectTypeOf<ToStateDefinition<(typeof State)["spec"]>>().toEqualTypeOf<(typeof State)["spec"]>();
expectTypeOf<InteropZodToStateDefinition<typeof Zod>["list"]>().toEqualTypeOf<
  BaseChannel<string[], string[]>
>();
expectTypeOf<UpdateType<typeof Zod>>().toEqualTypeOf<{ topic?: string; list?: string[] }>();
expectTypeOf<NodeType<{ topic: BaseChannel<string, string | Overwrite<string>> }>>().returns.toExtend<
  { topic?: string | Overwrite<string> } | Promise<{ topic?: string | Overwrite<string> }>
>();
