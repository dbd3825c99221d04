import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Engine, LangGraph } from "./engines.ts";
import type { Plain } from "./normalise.ts";
import { Recorder, type Stateful } from "./recorder.ts";
import { deltaState, leaves, thread, trailState } from "./scenarios/kit.ts";

/** A thread in two legs over one saver: the legs may run on different engines. */
export interface Crossing {
  readonly name: string;
  /** Keeps a value as deltas, which savers with change sets store their own way. */
  readonly deltas?: true;
  build(lg: LangGraph, saver: BaseCheckpointSaver, switches: { broken: boolean }): Stateful;
  first(graph: Stateful, t: Recorder, lg: LangGraph): Promise<void>;
  second(graph: Stateful, t: Recorder, lg: LangGraph): Promise<void>;
}

/** What is seen of the second leg, and everything that stands in the saver after it. */
export async function cross(
  crossing: Crossing,
  from: Engine,
  to: Engine,
  saver: BaseCheckpointSaver = new Recorder().saver(),
): Promise<Plain> {
  const switches = { broken: true };
  await crossing.first(crossing.build(from.lg, saver, switches), new Recorder(), from.lg);
  switches.broken = false;
  // LangGraph's ids go by the clock alone: those of one millisecond don't sort after another engine's
  await new Promise((resolve) => setTimeout(resolve, 2));
  const recorder = new Recorder();
  const graph = crossing.build(to.lg, saver, switches);
  const { values } = (await graph.getState(thread("1"))) as { values: unknown };
  recorder.note("values found", values);
  await crossing.second(graph, recorder, to.lg);
  await recorder.history(graph, thread("1"));
  await recorder.saved(saver, "1");
  return recorder.recording();
}

const config = thread("1");

export const crossings: readonly Crossing[] = [
  {
    name: "a second turn of a conversation",
    build: (lg, saver) =>
      new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("model", (state) => ({
          messages: [
            new AIMessage({ id: `m${state.messages.length}`, content: `to ${state.messages.at(-1)?.text}` }),
          ],
        }))
        .addEdge(lg.START, "model")
        .compile({ checkpointer: saver }),
    first: async (graph, t) =>
      void (await t.invoke(graph, { messages: [new HumanMessage({ id: "h1", content: "one" })] }, config)),
    second: async (graph, t) =>
      void (await t.stream(
        graph,
        { messages: [new HumanMessage({ id: "h2", content: "two" })] },
        { ...config, streamMode: ["updates", "values"] },
      )),
  },
  {
    name: "an open question",
    build: (lg, saver) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("ask", () => ({ trail: [`${lg.interrupt("one?")}, ${lg.interrupt("two?")}`] }))
        .addNode("quiet", leaves("quiet"))
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "a")
        .addEdge("a", "ask")
        .addEdge("a", "quiet")
        .addEdge(["ask", "quiet"], "end")
        .compile({ checkpointer: saver }),
    first: async (graph, t, lg) => {
      await t.invoke(graph, {}, config);
      await t.invoke(graph, new lg.Command({ resume: "first" }), config);
    },
    second: async (graph, t, lg) =>
      void (await t.invoke(graph, new lg.Command({ resume: "second" }), config)),
  },
  {
    name: "a static breakpoint",
    build: (lg, saver) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: saver, interruptBefore: ["b"] }),
    first: async (graph, t) => void (await t.invoke(graph, {}, config)),
    second: async (graph, t) => void (await t.invoke(graph, null, config)),
  },
  {
    name: "a failed step whose sibling is finished",
    build: (lg, saver, switches) =>
      new lg.StateGraph(trailState(lg))
        .addNode("good", () => ({ trail: [switches.broken ? "good, once" : "good, run again"] }))
        .addNode("bad", async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (switches.broken) throw new Error("user: broken");
          return { trail: ["bad"] };
        })
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "good")
        .addEdge(lg.START, "bad")
        .addEdge(["good", "bad"], "end")
        .compile({ checkpointer: saver }),
    first: async (graph, t) => void (await t.fails(() => graph.invoke({}, config))),
    second: async (graph, t) => void (await t.invoke(graph, null, config)),
  },
  {
    name: "Sends of which some ask",
    build: (lg, saver) =>
      new lg.StateGraph(trailState(lg))
        .addNode("plan", leaves("plan"))
        .addNode("work", (input: { item: number }) => ({
          trail: [input.item === 1 ? `1: ${lg.interrupt("go?")}` : String(input.item)],
        }))
        .addEdge(lg.START, "plan")
        .addConditionalEdges("plan", () => [0, 1, 2].map((item) => new lg.Send("work", { item })), ["work"])
        .compile({ checkpointer: saver }),
    first: async (graph, t) => void (await t.invoke(graph, {}, config)),
    second: async (graph, t, lg) => void (await t.invoke(graph, new lg.Command({ resume: "yes" }), config)),
  },
  {
    name: "a join that one of its sources has reached",
    build: (lg, saver) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addNode("b2", leaves("b2"))
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "b")
        .addEdge("b", "b2")
        .addEdge(["a", "b2"], "end")
        .compile({ checkpointer: saver, interruptBefore: ["b2"] }),
    first: async (graph, t) => void (await t.invoke(graph, {}, config)),
    second: async (graph, t) => void (await t.invoke(graph, null, config)),
  },
  {
    name: "a question inside a subgraph",
    build: (lg, saver) => {
      const State = () => lg.Annotation.Root({ last: lg.Annotation<string>() });
      const inner = new lg.StateGraph(State())
        .addNode("one", (state) => ({ last: `${state.last} one` }))
        .addNode("ask", (state) => ({ last: `${state.last} ${lg.interrupt("inside?")}` }))
        .addEdge(lg.START, "one")
        .addEdge("one", "ask")
        .compile();
      return new lg.StateGraph(State())
        .addNode("sub", inner)
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: saver });
    },
    first: async (graph, t) => void (await t.invoke(graph, { last: "in" }, config)),
    second: async (graph, t, lg) => void (await t.invoke(graph, new lg.Command({ resume: "yes" }), config)),
  },
  {
    name: "a fork of an old checkpoint",
    build: (lg, saver) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addNode("c", leaves("c"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .addEdge("b", "c")
        .compile({ checkpointer: saver }),
    first: async (graph, t) => void (await t.invoke(graph, { trail: ["in"] }, config)),
    second: async (graph, t) => {
      const old = (await t.history(graph, config)).find(({ next }) => next[0] === "b");
      if (old === undefined) throw new Error("no checkpoint before b");
      await t.invoke(graph, null, old.config);
    },
  },
  {
    name: "a value kept as deltas, over a snapshot",
    deltas: true,
    build: (lg, saver) =>
      new lg.StateGraph(deltaState(lg, 3))
        .addNode("a", () => ({ log: "a" }))
        .addNode("b", () => ({ log: "b" }))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: saver }),
    first: async (graph, t) => {
      for (const log of ["one", "two"]) await t.invoke(graph, { log }, config);
    },
    second: async (graph, t) => {
      for (const log of ["three", "four"]) await t.invoke(graph, { log }, config);
    },
  },
  {
    name: "deltas of a step that one of its tasks did not finish",
    deltas: true,
    build: (lg, saver) =>
      new lg.StateGraph(deltaState(lg, 3))
        .addNode("a", () => ({ log: "a" }))
        .addNode("good", () => ({ log: "good" }))
        .addNode("ask", () => ({ last: String(lg.interrupt("go?")) }))
        .addEdge(lg.START, "a")
        .addEdge("a", "good")
        .addEdge("a", "ask")
        .compile({ checkpointer: saver }),
    first: async (graph, t) => void (await t.invoke(graph, { log: "in" }, config)),
    second: async (graph, t, lg) => void (await t.invoke(graph, new lg.Command({ resume: "yes" }), config)),
  },
  {
    name: "deltas of a run with durability exit",
    deltas: true,
    build: (lg, saver) =>
      new lg.StateGraph(deltaState(lg, 3))
        .addNode("a", () => ({ log: "a" }))
        .addEdge(lg.START, "a")
        .compile({ checkpointer: saver }),
    first: async (graph, t) =>
      void (await t.invoke(graph, { log: "one" }, { ...config, durability: "exit" })),
    second: async (graph, t) =>
      void (await t.invoke(graph, { log: "two" }, { ...config, durability: "exit" })),
  },
  {
    name: "messages kept as deltas",
    deltas: true,
    build: (lg, saver) =>
      new lg.StateGraph(new lg.StateSchema({ messages: lg.MessagesDeltaValue }))
        .addNode("model", ({ messages }) => ({
          messages: [
            new AIMessage({ id: `m${messages.length}`, content: `to ${messages.at(-1)?.text}` }),
          ] as never,
        }))
        .addEdge(lg.START, "model")
        .compile({ checkpointer: saver }),
    first: async (graph, t) =>
      void (await t.invoke(graph, { messages: [new HumanMessage({ id: "h1", content: "one" })] }, config)),
    second: async (graph, t) =>
      void (await t.invoke(
        graph,
        { messages: [new HumanMessage({ id: "h1", content: "changed" }), new RemoveMessage({ id: "m1" })] },
        config,
      )),
  },
];
