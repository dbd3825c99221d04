import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { LangGraph } from "../engines.ts";
import { type Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

const ai = (id: string, content = id): AIMessage => new AIMessage({ id, content });

/** a, which returns what it is told to, then b if that leads there. */
const returning = (lg: LangGraph, returned: () => unknown) =>
  new lg.StateGraph(trailState(lg))
    .addNode("a", returned as () => object, { ends: ["b"] })
    .addNode("b", ({ last }) => ({ trail: [`b ${last ?? ""}`] }))
    .addEdge(lg.START, "a")
    .compile();

/** Chunks of mode "messages": which message, what it says, whose it is. */
async function messages(
  t: Recorder,
  graph: { stream(input: never, config: object): Promise<AsyncIterable<unknown>> },
  input: object,
): Promise<void> {
  const said: unknown[] = [];
  for await (const chunk of await graph.stream(input as never, { streamMode: "messages" })) {
    const [message, metadata] = chunk as [BaseMessage, Record<string, unknown>];
    said.push([message.id, message.content, metadata["langgraph_node"]]);
  }
  t.note("messages", said);
}

/** What nodes hand back, in every form. */
// its literal has widened
async function declared() {
  const update = { kind: "done" };
  return update;
}

export const nodeReturns = [
  scenario("a node returns a Send", async (lg, t) => {
    const graph = returning(lg, () => new lg.Send("b", { last: "sent" }));
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: ["updates", "tasks", "values"] });
  }),

  scenario("commands in every form", async (lg, t) => {
    const { Command, Send, END } = lg;
    const forms: Record<string, () => unknown> = {
      "pairs, one key twice": () =>
        new Command({
          update: [
            ["trail", ["1"]],
            ["trail", ["2"]],
            ["last", "x"],
          ],
          goto: "b",
        }),
      "to the end": () => new Command({ update: { trail: ["1"] }, goto: END }),
      "to the end and on": () => new Command({ goto: [END, "b"] }),
      "an answer within a node": () => new Command({ resume: 1, goto: "b" }),
      "beside nothing": () => [new Command({ goto: "b" }), null],
      "beside a text": () => [new Command({ goto: "b" }), "x"],
      "beside an update": () => [{ trail: ["x"] }, new Command({ goto: new Send("b", { last: "y" }) })],
      "that goes nowhere": () => new Command({ goto: null as never, update: { trail: ["n"] } }),
      "that writes nothing": () => new Command({ update: null as never, goto: "b" }),
      "a list of updates": () => [{ trail: ["x"] }],
      "a list of Sends": () => [new Send("b", {})],
      "an empty list": () => [],
      "a text": () => "x",
      "an empty text": () => "",
      "a figure": () => 5,
      zero: () => 0,
      false: () => false,
      "a map": () => new Map([["trail", ["m"]]]),
      "an instance": () =>
        new (class {
          trail = ["c"];
        })(),
    };
    for (const [form, returned] of Object.entries(forms)) {
      const graph = returning(lg, returned);
      t.note(form, await graph.invoke({}).catch(() => "refused"));
    }
  }),

  scenario("a message that is pushed again under its id is shown again", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", (_state, config) => {
        for (const progress of ["1", "2", "3"]) lg.pushMessage(ai("progress", progress), config);
        lg.pushMessage(ai("question", "edited"), config);
        return { messages: [ai("progress", "done")] };
      })
      .addEdge(lg.START, "a")
      .compile();
    const input = { messages: [new HumanMessage({ id: "question", content: "?" })] };
    await messages(t, graph, input);
    await t.invoke(graph, input);
  }),

  scenario(
    "messages pushed to other keys, to none, by attempts that fail and in a limited time",
    async (lg, t) => {
      let tries = 0;
      const State = lg.Annotation.Root({
        ...lg.MessagesAnnotation.spec,
        notes: lg.Annotation<BaseMessage[]>({ reducer: lg.messagesStateReducer, default: () => [] }),
      });
      const graph = new lg.StateGraph(State)
        .addNode(
          "a",
          (_state, config) => {
            tries += 1;
            lg.pushMessage(ai(`try ${tries}`), config);
            lg.pushMessage(ai("note"), { ...config, stateKey: "notes" } as never);
            lg.pushMessage(ai("shown"), { ...config, stateKey: null } as never);
            lg.pushMessage({ role: "assistant", content: "plain", id: "plain" }, config);
            if (tries % 3 !== 0) throw new Error("user: again");
            return { messages: [ai("returned"), ai("plain", "replaced")] };
          },
          {
            retryPolicy: { initialInterval: 1, jitter: false, logWarning: false },
            timeout: 2_000,
          },
        )
        .addEdge(lg.START, "a")
        .compile();
      await messages(t, graph, { messages: [] });
      await t.stream(graph, { messages: [] }, { streamMode: ["updates", "values"] });
    },
  ),

  scenario("messages pushed in a subgraph, by a runnable and by what a node calls", async (lg, t) => {
    const pushing = (id: string) => (_state: unknown, config: object) => {
      lg.pushMessage(ai(id), config);
      return {};
    };
    const inner = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("x", pushing("inner"))
      .addEdge(lg.START, "x")
      .compile();
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addSequence({
        inner,
        runnable: RunnableLambda.from(pushing("runnable")),
        calls: async (_state: unknown, config: object) => {
          await RunnableLambda.from(pushing("called")).invoke(1, config);
          return {};
        },
      } as never)
      .addEdge(lg.START, "inner" as never)
      .compile();
    await messages(t, graph, { messages: [] });
    await t.invoke(graph, { messages: [] });
  }),

  scenario(
    "a tool that is called after a sibling failed does not keep the run from ending",
    async (lg, t) => {
      const answer = tool(async () => "answer", { name: "answer", description: "x", schema: z.object({}) });
      let fail!: () => void;
      const failed = new Promise<void>((resolve) => (fail = resolve));
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("fails", async () => {
          await late(5);
          fail();
          throw new Error("user: failed");
        })
        .addNode("calls", async (_state, config) => {
          await failed.then(() => late(25));
          return { trail: [await answer.invoke({}, config)] };
        })
        .addNode(
          "limited",
          async (_state, config) => {
            await failed.then(() => late(25));
            return { trail: [await answer.invoke({}, config)] };
          },
          { timeout: 5_000 },
        )
        .addEdge(lg.START, "fails")
        .addEdge(lg.START, "calls")
        .addEdge(lg.START, "limited")
        .compile({ checkpointer: t.saver() });
      await t.fails(() => graph.invoke({}, thread("1")));
      t.note("next", (await graph.getState(thread("1"))).next);
    },
  ),

  scenario("a Command that goes nowhere as input, and one among updates of other nodes", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ update: { trail: ["a"] }, goto: null as never }))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: t.saver() });
    await t.steps(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ update: { last: "x" }, goto: null as never }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("tasks that a node calls push messages, and return what they return", async (lg, t) => {
    const says = lg.task("says", async (id: string, wait: number) => {
      await late(wait);
      lg.pushMessage(ai(id));
      return `${id} is said`;
    });
    const inner = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("calls", async () => {
        const said = await Promise.all([says("slow", 5), says("quick", 0)]);
        return { messages: [ai("returned", `${said.join()}, ${lg.interrupt("and?")}`)] };
      })
      .addEdge(lg.START, "calls")
      .compile();
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("inner", inner)
      .addEdge(lg.START, "inner")
      .compile({ checkpointer: t.saver() });
    await graph.invoke({}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "that is all" }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a Command that is told where to lead after it was made", async (lg, t) => {
    for (const goto of ["second", ["second", "third"], undefined, new lg.Send("third", {})]) {
      const set = (command: InstanceType<typeof lg.Command>): typeof command => {
        if (goto === undefined) delete command.goto;
        else command.goto = goto;
        t.note("as JSON", JSON.stringify(command));
        return command;
      };
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("first", () => set(new lg.Command({ update: { trail: ["first"] }, goto: "third" })), {
          ends: ["second", "third"],
        })
        .addNode("second", leaves("second"))
        .addNode("third", leaves("third"))
        .addEdge(lg.START, "first")
        .compile({ checkpointer: t.saver() });
      await t.invoke(graph, {}, thread("1"));
      await t.invoke(graph, set(new lg.Command({ update: { last: "x" }, goto: "third" })), thread("1"));
    }
  }),

  scenario("a node that is a map of functions, or asynchronous and declared elsewhere", async (lg, t) => {
    const state = lg.Annotation.Root({ kind: lg.Annotation<"begun" | "done">, n: lg.Annotation<number> });
    const graph = new lg.StateGraph(state)
      .addNode("map", { n: async () => 1, kind: () => "begun" as const })
      .addNode("declared", declared)
      .addEdge(lg.START, "map")
      .addEdge("map", "declared")
      .compile();
    await t.stream(graph, {}, { streamMode: ["updates", "values"] });
  }),
];
