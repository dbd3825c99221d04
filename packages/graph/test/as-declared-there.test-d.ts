import type { BaseMessage } from "@langchain/core/messages";
import { registry, type UpdateType } from "@skein/graph/zod";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import * as mini from "zod/v4-mini";
import {
  Annotation,
  Command,
  type CompiledStateGraph,
  type ConditionalEdgeRouter,
  END,
  type GraphNode,
  isParentCommand,
  type LangGraphRunnableConfig,
  type Messages,
  MessagesZodMeta,
  ParentCommand,
  Send,
  START,
  StateGraph,
  type StateSnapshot,
  StateSchema,
  type StreamOutputMap,
} from "@skein/graph";

// Types that programs for LangGraph rely on.

const State = Annotation.Root({ topic: Annotation<string>, n: Annotation<number> });
const Asked = Annotation.Root({ topic: Annotation<string> });
const Context = z.object({ user: z.string(), level: z.number() });
interface Caller {
  user: string;
  level: number;
}

// A node with an input of its own is given that, also when it is written in place.
void new StateGraph(State)
  .addNode(
    "own",
    (state) => {
      expectTypeOf(state).toEqualTypeOf<{ since: Date }>();
      return { n: state.since.getTime() };
    },
    { input: new StateSchema({ since: z.date() }), metadata: { kind: "date" } },
  )
  .addNode(
    "whole",
    (state) => {
      expectTypeOf(state).toEqualTypeOf<{ topic: string; n: number }>();
      return {};
    },
    { retryPolicy: { maxAttempts: 2, retryOn: (error) => error instanceof TypeError } },
  );

// What only the input of another node has may be written, of any type, beside keys of the state or alone.
const Secret = Annotation.Root({ secret: Annotation<string> });
void new StateGraph(State)
  .addNode("writes", async () => ({ secret: "x" }))
  .addNode("reads", ({ secret }) => ({ topic: secret }), { input: Secret })
  .addNode({ both: () => ({ secret: "x", n: 1 }) })
  .addNode("chooses", () => (Math.random() < 0.5 ? { secret: "x" } : new Command({ goto: END })))
  .addSequence([["first", () => ({ secret: "x" })]]);
// @ts-expect-error -- a wrong type beside it
void new StateGraph(State).addNode("a", async () => ({ secret: "x", n: "one" }));
// A node may return where to go next alone, or beside a Command.
void new StateGraph(State)
  .addNode("a", () => new Send("b", { topic: "t" }), { ends: ["b"] })
  .addNode("b", async () => [new Send("a", {}), new Command({ update: { n: 1 } })]);
// @ts-expect-error -- no update, though it has members
void new StateGraph(State).addNode("a", async () => [5]);

// Options that name no context leave it open.
const open = new StateGraph(State, { input: Asked, nodes: ["one", "two"] });
const openGraph = open
  .addNode("one", (_state, config) => {
    expectTypeOf<NonNullable<typeof config.context>["anything"]>().toBeUnknown();
    return {};
  })
  .addEdge(START, "one")
  .compile();
// @ts-expect-error -- no such option
void new StateGraph(State, { inputs: Asked });
// @ts-expect-error -- no options at all
void new StateGraph(State, 5);

// The context's schema may stand in the place of the options, whatever it was written in.
void new StateGraph(State, Asked).addNode("a", (_state, { context }) => ({ topic: context?.topic ?? "" }));
void new StateGraph(State, z3.object({ user: z3.string() })).addNode("a", (_state, config) => {
  expectTypeOf(config.context).toEqualTypeOf<{ user: string } | undefined>();
  return {};
});

// Where Commands of `builder.Node` lead is one of the builder's nodes.
const leads: typeof open.Node = () => new Command({ goto: "two", update: { n: 1, other: 2 } });
// @ts-expect-error -- no node of it
const strays: typeof open.Node = async () => new Command({ goto: "three" });
void [leads, strays];

// What the context's schema declares has its type in `configurable`, too.
void new StateGraph(State, { context: Context }).addNode("a", (_state, { configurable, context }) => {
  expectTypeOf(context).toEqualTypeOf<Caller | undefined>();
  expectTypeOf(configurable?.user).toEqualTypeOf<string | undefined>();
  return {};
});
expectTypeOf<LangGraphRunnableConfig<Caller>["configurable"]>().toExtend<Caller | undefined>();
// @ts-expect-error -- a name is no number
void new StateGraph(State, { context: Context }).addNode("a", (_state, config) => ({
  n: config.configurable?.user,
}));
expectTypeOf<NonNullable<LangGraphRunnableConfig["context"]>["anything"]>().toBeAny();
const byLevel: ConditionalEdgeRouter<typeof State, Caller, "a"> = (_state, { configurable }) => {
  expectTypeOf(configurable?.level).toEqualTypeOf<number | undefined>();
  return "a";
};
void byLevel;

// A router's Sends carry the state, and END stands alone.
type Router = ConditionalEdgeRouter<typeof State, Record<string, unknown>, "a" | "b">;
const routers: Router[] = [
  () => [new Send("a", { topic: "", n: 1 }), "b"],
  () => END,
  async () => new Send("b", { topic: "", n: 1 }),
  // @ts-expect-error -- not the whole state
  () => new Send("a", { n: 1 }),
  // @ts-expect-error -- END among others
  () => ["a", END],
];
void routers;

// Keys of a zod object that may be absent are keys of the state; a context may lack them.
const Zod = z.object({ n: z.number().default(1), note: z.string().optional() });
const noted: GraphNode<typeof Zod> = (state) => {
  expectTypeOf(state).toEqualTypeOf<{ n: number; note: string | undefined }>();
  return { note: "x" };
};
const inZod = new StateGraph(State, Zod)
  .addNode("a", () => ({}))
  .addEdge(START, "a")
  .compile();
void noted;

// What is registered with zod says what may be written.
const Four = z.object({ messages: z.custom<BaseMessage[]>().register(registry, MessagesZodMeta) });
const Mini = mini.object({ messages: mini.custom<BaseMessage[]>().register(registry, MessagesZodMeta) });
expectTypeOf<{ messages?: Messages }>().toExtend<UpdateType<typeof Four>>();
expectTypeOf<{ messages?: Messages }>().toExtend<UpdateType<typeof Mini>>();
const passes = (state: { messages: BaseMessage[] }): { messages?: Messages } => state;
void new StateGraph(Four).addNode({ passes });
void new StateGraph(Mini).addNode("passes", passes);
const Sum = z.object({
  n: z.number().register(registry, { reducer: { fn: (n: number, text: string) => n + Number(text) } }),
});
void new StateGraph(Sum).addNode("a", () => ({ n: "5" }));
// @ts-expect-error -- neither a number nor a text
void new StateGraph(Sum).addNode("a", () => ({ n: true }));

// The config of a node that stands outside of its graph is a config, and fits any graph.
const outside: typeof State.Node = (_state, config) => ({ topic: String(config.configurable?.user) });
// @ts-expect-error -- no member of it
const guessing: typeof State.Node = (_state, config) => ({ topic: config.nothing });
void new StateGraph(State, { context: Context }).addNode("a", outside);
void guessing;

expectTypeOf<
  StreamOutputMap<"updates", false, { n: number }, unknown, "a" | "b", { a: { n: 1 } }>
>().toEqualTypeOf<{ a?: { n: 1 } }>();

async function calls(): Promise<void> {
  const known: CompiledStateGraph<typeof State.State, typeof State.Update, "a"> = inZod as never;
  expectTypeOf((await known.invoke({ topic: "t" })).anything).toBeUnknown();
  await openGraph.invoke({ topic: "t" }, { context: { anything: 1 } });
  await inZod.invoke({}, { context: { n: 1 } });
  expectTypeOf(await inZod.batch([{ topic: "t" }])).toEqualTypeOf<{ topic: string; n: number }[]>();
  for await (const chunk of await inZod.stream({ topic: "t" })) {
    // what a node returned is of the types that it returns, not of all that it may write
    const topics: string[] = Object.values(chunk).map(({ topic }) => topic);
    // @ts-expect-error -- no node of that name
    void [topics, chunk.b];
  }
  // @ts-expect-error -- an encoding is for streams
  await inZod.invoke({ topic: "t" }, { encoding: "text/event-stream" });
}
void calls;

async function states(error: unknown): Promise<void> {
  const { tasks } = await inZod.getState({ configurable: { thread_id: "1" } }, { subgraphs: true });
  const [task] = tasks;
  // of a graph that the task calls: its state, or the config to ask for it
  expectTypeOf(task?.state).toEqualTypeOf<LangGraphRunnableConfig | StateSnapshot | undefined>();
  if (task?.state !== undefined && "tasks" in task.state) void task.state.tasks[0]?.interrupts[0]?.value;
  else void task?.state?.configurable?.["checkpoint_ns"];

  if (isParentCommand(error)) expectTypeOf(error.command).toEqualTypeOf<Command>();
  if (error instanceof ParentCommand) {
    const { command } = error;
    expectTypeOf(command.goto).toEqualTypeOf<string | Send | (string | Send)[] | undefined>();
    if (Array.isArray(command.goto)) expectTypeOf(command.goto).toEqualTypeOf<(string | Send)[]>();
    command.goto = "elsewhere";
  }
  const [sent] = [new Send("a", { topic: "t" })] as Send[];
  if (sent !== undefined) expectTypeOf(sent.args).toBeAny();
}
void states;

// A command writes any key, an input those of its schema; nodes are known by their names.
const asking = new StateGraph(State, { input: Asked })
  .addNode("x", () => ({ n: 1 }))
  .addEdge(START, "x")
  .compile();
void asking.invoke(new Command({ resume: "ok", update: { n: 2 } }));
// @ts-expect-error -- no input of this graph
void asking.invoke({ n: 2 });
expectTypeOf<keyof typeof asking.nodes>().toEqualTypeOf<"x" | "__start__">();
