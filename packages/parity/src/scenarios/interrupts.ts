import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

function asking(lg: LangGraph, t: Recorder, questions: readonly string[]) {
  const saver = t.saver();
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("before", leaves("before"))
    .addNode("ask", () => {
      const answers = questions.map((question) => lg.interrupt<string, unknown>(question));
      return { trail: answers.map((answer) => `answer ${JSON.stringify(answer)}`) };
    })
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "before")
    .addEdge("before", "ask")
    .addEdge("ask", "after")
    .compile({ checkpointer: saver });
  return { graph, saver };
}

/** Three parallel nodes that ask, one that does not. */
function askingTogether(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const ask = (name: string) => () => ({ trail: [`${name}: ${lg.interrupt(`${name}?`)}`] });
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("a", ask("a"))
    .addNode("b", ask("b"))
    .addNode("quiet", leaves("quiet"))
    .addNode("end", leaves("end"))
    .addEdge(lg.START, "a")
    .addEdge(lg.START, "b")
    .addEdge(lg.START, "quiet")
    .addEdge(["a", "b", "quiet"], "end")
    .compile({ checkpointer: saver });
  return { graph, saver };
}

export const interrupts = [
  scenario("A10 an interrupt stops the run, is seen, and resumes by value", async (lg, t) => {
    const { graph, saver } = asking(lg, t, ["go on?"]);
    const output = await t.invoke(graph, { trail: ["in"] }, thread("1"));
    t.note("isInterrupted", lg.isInterrupted(output));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.state(graph, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupt as seen in updates and values streams, before and after resuming", async (lg, t) => {
    const { graph } = asking(lg, t, ["go on?"]);
    await t.stream(graph, {}, { ...thread("1"), streamMode: ["updates", "values"] });
    await t.stream(graph, new lg.Command({ resume: "yes" }), {
      ...thread("1"),
      streamMode: ["updates", "values"],
    });
  }),

  scenario(
    "two interrupts in one node are answered one after the other; the node runs from its start",
    async (lg, t) => {
      const { graph, saver } = asking(lg, t, ["first?", "second?"]);
      await t.invoke(graph, {}, thread("1"));
      await t.invoke(graph, new lg.Command({ resume: 1 }), thread("1"));
      await t.saved(saver, "1");
      await t.invoke(graph, new lg.Command({ resume: { two: 2 } }), thread("1"));
      await t.saved(saver, "1");
    },
  ),

  scenario("resume with objects, lists and text", async (lg, t) => {
    const { graph } = asking(lg, t, ["1?", "2?", "3?"]);
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(
      graph,
      new lg.Command({ resume: { approved: true, list: [1, { a: null }] } }),
      thread("1"),
    );
    await t.invoke(graph, new lg.Command({ resume: ["x"] }), thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "text" }), thread("1"));
  }),

  scenario("several interrupts at once: finished siblings keep their results", async (lg, t) => {
    const { graph, saver } = askingTogether(lg, t);
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("several interrupts at once: resume by a map of ids", async (lg, t) => {
    const { graph, saver } = askingTogether(lg, t);
    await t.invoke(graph, {}, thread("1"));
    const { tasks } = await t.state(graph, thread("1"));
    const resume = Object.fromEntries(
      tasks.flatMap((task) => task.interrupts.map((one) => [one.id, `for ${String(one.value)}`])),
    );
    await t.invoke(graph, new lg.Command({ resume }), thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("several interrupts at once: answered one by one by id", async (lg, t) => {
    const { graph, saver } = askingTogether(lg, t);
    await t.invoke(graph, {}, thread("1"));
    const first = (await t.state(graph, thread("1"))).tasks.find((task) => task.name === "b");
    await t.invoke(
      graph,
      new lg.Command({ resume: { [String(first?.interrupts[0]?.id)]: "b first" } }),
      thread("1"),
    );
    const { tasks } = await t.state(graph, thread("1"));
    const left = tasks.find((task) => task.name === "a");
    await t.invoke(
      graph,
      new lg.Command({ resume: { [String(left?.interrupts[0]?.id)]: "a then" } }),
      thread("1"),
    );
    await t.saved(saver, "1");
  }),

  scenario("interrupt outside of a graph is refused", async (lg, t) => {
    await t.fails(() => lg.interrupt("?"));
  }),

  scenario("I8 a node that catches the interrupt signal is still interrupted", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        try {
          return { trail: [`answer ${lg.interrupt("?")}`] };
        } catch (error) {
          if (lg.isGraphBubbleUp(error)) throw error;
          return { trail: ["swallowed"] };
        }
      })
      .addEdge(lg.START, "a")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("interrupt in a node that was reached by Send, several of them", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", (input: { item: number }) => ({
        trail: [input.item === 1 ? `${input.item}` : `${input.item}: ${lg.interrupt(`${input.item}?`)}`],
      }))
      .addConditionalEdges(lg.START, () => [0, 1, 2].map((item) => new lg.Send("work", { item })), ["work"])
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    const { tasks } = await t.state(graph, thread("1"));
    const resume = Object.fromEntries(
      tasks.flatMap((task) => task.interrupts.map((one) => [one.id, one.value])),
    );
    await t.invoke(graph, new lg.Command({ resume }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a new input at an interrupt starts over instead of resuming", async (lg, t) => {
    const { graph, saver } = asking(lg, t, ["go on?"]);
    await t.invoke(graph, { trail: ["one"] }, thread("1"));
    await t.invoke(graph, { trail: ["two"] }, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("null as input at an interrupt asks the same again", async (lg, t) => {
    const { graph, saver } = asking(lg, t, ["go on?"]);
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("resume together with update and goto", async (lg, t) => {
    const { graph, saver } = asking(lg, t, ["go on?"]);
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes", update: { last: "by command" } }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("A10 static breakpoint before a node", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile({ checkpointer: saver, interruptBefore: ["b", "c"] });
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.state(graph, thread("1"));
    await t.stream(graph, null, { ...thread("1"), streamMode: ["values", "updates"] });
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("static breakpoint after a node, and for all nodes, given at the call", async (lg, t) => {
    const build = () =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: t.saver() });
    const after = build();
    await t.stream(after, {}, { ...thread("1"), interruptAfter: ["a"], streamMode: ["values", "updates"] });
    await t.state(after, thread("1"));
    await t.invoke(after, null, thread("1"));
    const all = build();
    await t.invoke(all, {}, { ...thread("1"), interruptBefore: "*" });
    await t.invoke(all, null, { ...thread("1"), interruptBefore: "*" });
    await t.invoke(all, null, { ...thread("1"), interruptBefore: "*" });
    await t.state(all, thread("1"));
  }),

  scenario("a breakpoint, an update of the state, and on", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", (state) => ({ trail: [`b saw ${state.last}`] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver, interruptBefore: ["b"] });
    await t.invoke(graph, {}, thread("1"));
    await graph.updateState(thread("1"), { last: "by hand" });
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupt without a checkpointer", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ last: lg.interrupt<string, string>("?") }))
      .addEdge(lg.START, "a")
      .compile();
    await t.fails(() => graph.invoke({}));
  }),
];
