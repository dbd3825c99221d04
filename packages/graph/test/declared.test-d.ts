import { RunnableLambda } from "@langchain/core/runnables";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  type ConditionalEdgeRouter,
  END,
  type GraphNode,
  interrupt,
  type InferInterruptInputType,
  type InferInterruptResumeType,
  type InferWriterType,
  type LangGraphRunnableConfig,
  type NodeType,
  START,
  StateGraph,
  StateSchema,
  type Send,
  writer,
} from "@skein/graph";

const State = new StateSchema({ topic: z.string(), count: z.number().default(0) });

const graph = new StateGraph({
  state: State,
  interrupt: { approve: interrupt<{ plan: string }, boolean>, name: interrupt<string, string> },
  writer: writer<{ percent: number }>,
  nodes: ["plan", "act"],
})
  .addEdge(START, "plan")
  .addEdge("plan", "act")
  .addNode("plan", (state, config) => {
    expectTypeOf(config.interrupt.approve({ plan: state.topic })).toEqualTypeOf<boolean>();
    expectTypeOf(config.interrupt.name("who?")).toEqualTypeOf<string>();
    config.writer({ percent: 50 });
    // @ts-expect-error -- not what the graph declares
    config.writer("half");
    return { count: 1 };
  })
  .addNode("act", () => ({}))
  .compile();
// @ts-expect-error -- not among the nodes
new StateGraph({ state: State, nodes: ["plan"] }).addEdge("plan", "act");

const declared = { approve: interrupt<{ plan: string }, boolean>, name: interrupt<string, string> };
expectTypeOf<InferInterruptInputType<typeof declared>>().toEqualTypeOf<{ plan: string } | string>();
expectTypeOf<InferInterruptResumeType<typeof declared>>().toEqualTypeOf<boolean | string>();
const progress = writer<{ percent: number }>;
expectTypeOf<InferWriterType<typeof progress>>().toEqualTypeOf<{ percent: number }>();

async function calls(): Promise<void> {
  const values = await graph.invoke({ topic: "t" });
  if (graph.isInterrupted(values)) {
    expectTypeOf(values.__interrupt__[0]?.value).toEqualTypeOf<{ plan: string } | string | undefined>();
  }
  for await (const chunk of await graph.stream({ topic: "t" }, { streamMode: "custom" })) {
    expectTypeOf(chunk).toEqualTypeOf<{ percent: number }>();
  }
  await graph.invoke(new Command({ resume: true }));
  // @ts-expect-error -- no answer to any of its questions
  await graph.invoke(new Command({ resume: 7 }));
}
void calls;

const node: GraphNode<typeof State> = (state) => ({ count: state.count + 1 });
const typed: GraphNode<{ InputSchema: typeof State; Nodes: "act" }> = (state) =>
  new Command({ goto: "act", update: { topic: state.topic } });
const route: ConditionalEdgeRouter<typeof State, Record<string, unknown>, "act"> = (state) =>
  state.count > 1 ? END : "act";
expectTypeOf<Awaited<ReturnType<typeof route>>>().toExtend<string | Send | (string | Send)[]>();
new StateGraph(State)
  .addNode("plan", node)
  .addNode("act", node)
  .addNode("typed", typed)
  .addNode("handed", (_state, config: LangGraphRunnableConfig) => ({ topic: String(config.runName) }))
  .addConditionalEdges("plan", route);

// a command may be for the graph around, whose keys are not known here
new StateGraph(State).addNode("up", () => new Command({ graph: Command.PARENT, update: { elsewhere: 1 } }));

interface Old {
  log: string[];
  last: string;
}
const old = new StateGraph<Old>({
  channels: { log: { reducer: (a: string[], b: string[]) => [...a, ...b] }, last: null },
}).addNode("a", (state) => {
  expectTypeOf(state).toEqualTypeOf<Old>();
  return { last: state.log.join() };
});
void old;

const Classic = Annotation.Root({ topic: Annotation<string> });
const classic: typeof Classic.Node = (state) => ({ topic: state.topic });
// a node that is typed by its state fits the graph, and may look at its config
const asking: typeof Classic.Node = (state, config) => ({ topic: state.topic + config.configurable?.user });
const ahead: NodeType<(typeof Classic)["spec"]> = async (state) => ({ topic: state.topic });
const runnable: typeof Classic.Node = RunnableLambda.from((state: typeof Classic.State) => state);
void new StateGraph(Classic)
  .addNode("classic", classic)
  .addNode("asking", asking)
  .addNode("ahead", ahead)
  .addNode("runnable", runnable)
  .addEdge(START, "classic");
// @ts-expect-error -- a key of the wrong type
const wrong: typeof Classic.Node = () => ({ topic: 5 });
void wrong;
// what comes back from a question is not known
expectTypeOf(interrupt("what?")).toBeAny();
