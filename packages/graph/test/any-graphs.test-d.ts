import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { createReactAgent } from "@skein/graph/prebuilt";
import { expectTypeOf } from "vitest";
import {
  Annotation,
  type AnnotationRoot,
  type CompiledStateGraph,
  type ConditionalEdgeRouter,
  entrypoint,
  type GraphNode,
  Overwrite,
  type OverwriteValue,
  type Pregel,
  START,
  StateGraph,
  type StateGraphArgs,
} from "@skein/graph";

// Types of graphs that programs for LangGraph leave open, or put together from others.
// oxlint-disable typescript/no-explicit-any -- they are what is tested

const State = Annotation.Root({ topic: Annotation<string>, n: Annotation<number> });
const graph = new StateGraph(State)
  .addNode("a", ({ topic }) => ({ topic }))
  .addEdge(START, "a")
  .compile();

// What a graph gives whose type says nothing may be read.
type Prototypes = ReturnType<typeof StateGraph.prototype.compile>;
type Instances = ReturnType<InstanceType<typeof StateGraph>["compile"]>;
export const reads = async (
  one: Prototypes,
  two: Instances,
  three: CompiledStateGraph<any, any, any, any, any, any>,
): Promise<unknown[]> => [
  (await one.invoke({})).messages,
  (await two.invoke({})).topic,
  (await three.invoke({})).topic,
];
void new StateGraph<any>(State).addNode("a", async (state) => ({ topic: state.topic }));
export const node: GraphNode<any> = (state) => ({ topic: state.other });
export const router: ConditionalEdgeRouter<any, any, any> = (state, config) =>
  config.configurable?.["next"] ?? state.next;

// LangGraph's SDK types what it gives clients by these.
expectTypeOf<(typeof graph)["~RunOutput"]>().toEqualTypeOf<{ topic: string; n: number }>();
expectTypeOf<(typeof graph)["~OutputType"]["topic"]>().toEqualTypeOf<string>();
expectTypeOf<(typeof graph)["~NodeType"]>().toEqualTypeOf<"a" | "__start__">();

// An agent is a graph of any nodes.
declare const llm: BaseChatModel;
const agent = createReactAgent({ llm, tools: [] });
export const cached: ReturnType<typeof createReactAgent> = agent;
export const open: CompiledStateGraph<any, any>[] = [agent, cached];
export const named: CompiledStateGraph<{ messages: BaseMessage[] }, any, "__start__" | "agent" | "tools"> =
  agent;

// Whatever runs is a Pregel.
export const programs: Pregel<any, any>[] = [graph, agent, entrypoint("e", async (n: number) => n)];

// What is overwritten is written as an Overwrite.
export const overwrite: OverwriteValue<string[]> = new Overwrite(["all"]);

// The state of the form of LangGraph's first versions, in a variable.
interface Asked {
  q: string;
  list: string[];
}
const args: StateGraphArgs<Asked> = {
  channels: { q: null, list: { value: (a: string[], b: string[]) => a.concat(b), default: () => [] } },
};
const asked = new StateGraph(args)
  .addNode("a", ({ q }) => ({ q: q.trim() }))
  .addEdge(START, "a")
  .compile();
expectTypeOf(asked).toHaveProperty("State").toEqualTypeOf<Asked>();

// A builder compiles again.
void graph.builder.compile({ name: "again" }).invoke({ topic: "x" });

// A helper for states that it does not know.
export const helper = async <S extends AnnotationRoot<any>>(state: S, input: S["Update"]): Promise<unknown> =>
  new StateGraph(state)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .compile()
    .invoke(input);

// Nine types, of which LangGraph has other ones in the last places.
export type Nine = CompiledStateGraph<any, any, any, any, any, any, unknown, unknown, unknown>;
