import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { deltaState, thread } from "./kit.ts";

const says = (log: string) => () => ({ log, last: log });

function twoSteps(lg: LangGraph, options: object, every?: number) {
  return new lg.StateGraph(deltaState(lg, every))
    .addNode("a", says("a"))
    .addNode("b", says("b"))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile(options);
}

export const delta = [
  scenario("a delta value in a run without a checkpointer", async (lg, t) => {
    const graph = twoSteps(lg, {});
    await t.invoke(graph, { log: "in" });
    await t.steps(graph, { log: "in" });
  }),

  scenario("deltas as they are saved, over two turns", async (lg, t) => {
    const saver = t.saver();
    const graph = twoSteps(lg, { checkpointer: saver });
    await t.invoke(graph, { log: "one" }, thread("1"));
    await t.invoke(graph, { log: "two" }, thread("1"));
    await t.state(graph, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a snapshot after so many updates, and what is counted until then", async (lg, t) => {
    const saver = t.saver();
    const graph = twoSteps(lg, { checkpointer: saver }, 2);
    for (const log of ["one", "two", "three"]) await t.invoke(graph, { log }, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a turn that does not write the delta value counts as a superstep", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(deltaState(lg, 2))
      .addNode("a", () => ({ last: "a" }))
      .addEdge(lg.START, "a")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { log: "in" }, thread("1"));
    await t.invoke(graph, { last: "x" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("Overwrite of a delta value is stored as a whole", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(deltaState(lg))
      .addNode("a", says("a"))
      .addNode("clear", () => ({ log: new lg.Overwrite(["fresh"]) }))
      .addNode("b", says("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "clear")
      .addEdge("clear", "b")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { log: "in" }, thread("1"));
    t.note("again", (await graph.getState(thread("1"))).values);
    const found: unknown[] = [];
    for await (const { checkpoint, metadata } of saver.list(thread("1")))
      found.push([metadata, checkpoint.channel_values]);
    t.note("stored", found);
  }),

  scenario("deltas of a run with durability exit", async (lg, t) => {
    const saver = t.saver();
    const graph = twoSteps(lg, { checkpointer: saver });
    for (const log of ["one", "two"]) await t.invoke(graph, { log }, { ...thread("1"), durability: "exit" });
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("durability exit, with a snapshot at the end", async (lg, t) => {
    const saver = t.saver();
    const graph = twoSteps(lg, { checkpointer: saver }, 3);
    for (const log of ["one", "two"]) await t.invoke(graph, { log }, { ...thread("1"), durability: "exit" });
    await t.saved(saver, "1");
  }),

  scenario("a breakpoint under durability exit keeps the deltas so far", async (lg, t) => {
    const saver = t.saver();
    const graph = twoSteps(lg, { checkpointer: saver, interruptBefore: ["b"] });
    const config = { ...thread("1"), durability: "exit" };
    await t.invoke(graph, { log: "in" }, config);
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, config);
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupt between two deltas", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(deltaState(lg))
      .addNode("a", says("a"))
      .addNode("ask", () => ({ log: String(lg.interrupt("what?")) }))
      .addEdge(lg.START, "a")
      .addEdge("a", "ask")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { log: "in" }, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "this" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState of a delta value on a thread", async (lg, t) => {
    const saver = t.saver();
    const graph = twoSteps(lg, { checkpointer: saver });
    await t.invoke(graph, { log: "in" }, thread("1"));
    await graph.updateState(thread("1"), { log: "from outside" }, "b");
    await t.state(graph, thread("1"));
    await t.invoke(graph, { log: "again" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a copy of a state that was updated by its address, and on from there", async (lg, t) => {
    const graph = twoSteps(lg, { checkpointer: t.saver() });
    await t.invoke(graph, { log: "in" }, thread("1"));
    const { config } = await graph.getState(thread("1"));
    const updated = await graph.updateState(config, { log: "edited" }, "b");
    await graph.updateState(updated, null, "__copy__");
    t.note("copied", (await graph.getState(thread("1"))).values.log);
    await graph.updateState(thread("1"), { log: "more" }, "b");
    t.note("more", (await graph.getState(thread("1"))).values.log);
    const again = await graph.invoke({ log: "again" }, thread("1"));
    t.note("again", again.log);
  }),

  scenario("a node that writes a delta value several times in one step", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(deltaState(lg))
      .addNode(
        "a",
        () => [new lg.Command({ update: { log: "a1" } }), new lg.Command({ update: { log: "a2" } })] as never,
      )
      .addEdge(lg.START, "a")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { log: "in" }, thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("parallel tasks write a delta value: what a run saw is what is read later", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(deltaState(lg))
      .addNode("plan", () => ({}))
      .addNode("work", (input: { item: number }) => ({ log: `item ${input.item}` }))
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", () => [0, 1, 2, 3, 4].map((item) => new lg.Send("work", { item })), [
        "work",
      ])
      .compile({ checkpointer: saver });
    const { log } = await graph.invoke({ log: "in" }, thread("1"));
    t.note(
      "same later",
      JSON.stringify((await graph.getState(thread("1"))).values.log) === JSON.stringify(log),
    );
    t.note("all there", [...log].sort());
  }),

  scenario("MessagesDeltaValue: appended, replaced by id, removed, cleared", async (lg, t) => {
    const saver = t.saver();
    const State = new lg.StateSchema({ messages: lg.MessagesDeltaValue });
    const graph = new lg.StateGraph(State)
      .addNode("model", ({ messages }) => ({
        messages: [
          new AIMessage({ id: `m${messages.length}`, content: `to ${messages.at(-1)?.text}` }),
        ] as never,
      }))
      .addEdge(lg.START, "model")
      .compile({ checkpointer: saver });
    const say = (messages: unknown) => t.invoke(graph, { messages }, thread("1"));
    await say([new HumanMessage({ id: "h1", content: "one" })]);
    await say([
      new HumanMessage({ id: "h1", content: "one, changed" }),
      new HumanMessage({ id: "h2", content: "two" }),
    ]);
    await say([new RemoveMessage({ id: "h2" }), new RemoveMessage({ id: "never there" })]);
    await t.state(graph, thread("1"));
    await say([
      new RemoveMessage({ id: lg.REMOVE_ALL_MESSAGES }),
      new HumanMessage({ id: "h3", content: "fresh" }),
    ]);
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("messagesDeltaReducer by hand", async (lg, t) => {
    const one = new HumanMessage({ id: "1", content: "one" });
    const two = new HumanMessage({ id: "2", content: "two" });
    const reduce = (state: unknown[], writes: unknown[]) =>
      t.note("reduced", lg.messagesDeltaReducer(state as never, writes as never));
    reduce([], [one, [two, one]]);
    reduce([one], [{ role: "user", content: "plain", id: "p" }, [["ai", "tuple"]]]);
    reduce(
      [{ role: "user", content: "plain", id: "p" }],
      [new HumanMessage({ id: "p", content: "replaced" })],
    );
    reduce([one, two], [[new RemoveMessage({ id: "1" })], new HumanMessage({ id: "1", content: "back" })]);
    reduce([one, two], [new RemoveMessage({ id: lg.REMOVE_ALL_MESSAGES }), one]);
    reduce([one], [[new HumanMessage({ id: "n", content: "n" }), new RemoveMessage({ id: "n" })]]);
  }),

  scenario("a delta value that is validated, and refused", async (lg, t) => {
    const graph = new lg.StateGraph(deltaState(lg))
      .addNode("a", () => ({ log: 7 }) as never)
      .addEdge(lg.START, "a")
      .compile();
    await t.fails(() => graph.invoke({ log: "in" }));
    await t.fails(() => graph.invoke({ log: 5 } as never));
  }),
];
