import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** a -> b -> c, with the breakpoints given. */
function chain(lg: LangGraph, t: Recorder, breakpoints: object = {}) {
  const saver = t.saver();
  const graph = new lg.StateGraph(trailState(lg))
    .addNode({ a: leaves("a"), b: leaves("b"), c: leaves("c") })
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile({ checkpointer: saver, ...breakpoints });
  return { graph, saver };
}

export const waiting = [
  scenario("breakpoints before two nodes in turn, and each time on with null", async (lg, t) => {
    const { graph, saver } = chain(lg, t, { interruptBefore: ["a", "c"] });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("breakpoints after every node", async (lg, t) => {
    const { graph, saver } = chain(lg, t, { interruptAfter: "*" });
    await t.stream(graph, {}, { ...thread("1"), streamMode: ["updates", "values"] });
    for (let turn = 0; turn < 3; turn += 1) {
      await t.stream(graph, null, { ...thread("1"), streamMode: ["updates", "values"] });
      await t.state(graph, thread("1"));
    }
    await t.saved(saver, "1");
  }),

  scenario("breakpoints before and after one node", async (lg, t) => {
    const { graph } = chain(lg, t, { interruptBefore: ["b"], interruptAfter: ["b"] });
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
  }),

  scenario("breakpoints of a call replace those of the graph", async (lg, t) => {
    const { graph } = chain(lg, t, { interruptBefore: ["b"] });
    await t.invoke(graph, {}, { ...thread("1"), interruptBefore: ["c"] });
    await t.state(graph, thread("1"));
    await t.invoke(graph, {}, { ...thread("2"), interruptBefore: [] });
    await t.state(graph, thread("2"));
  }),

  scenario("a breakpoint at one of several parallel nodes holds them all", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), b: leaves("b"), c: leaves("c") })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .compile({ checkpointer: t.saver(), interruptBefore: ["c"] });
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
  }),

  scenario("a new input at a breakpoint starts over", async (lg, t) => {
    const { graph, saver } = chain(lg, t, { interruptBefore: ["b"] });
    await t.invoke(graph, { last: "one" }, thread("1"));
    await t.invoke(graph, { last: "two" }, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a breakpoint and an update as the node that was held", async (lg, t) => {
    const { graph, saver } = chain(lg, t, { interruptBefore: ["b"] });
    await t.invoke(graph, {}, thread("1"));
    await graph.updateState(thread("1"), { trail: ["in b's place"] }, "b");
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("breakpoints without a checkpointer", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), b: leaves("b") })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ interruptBefore: ["b"] });
    await t.stream(graph, {}, { streamMode: ["updates", "values"] });
  }),

  scenario("interrupts of one node in a loop, each time answered", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", (state) => ({ trail: [String(lg.interrupt(`${state.total}?`))], total: 1 }))
      .addEdge(lg.START, "ask")
      .addConditionalEdges("ask", (state) => (state.total < 3 ? "ask" : lg.END), ["ask", lg.END])
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    for (const resume of ["a", "b", "c"]) await t.invoke(graph, new lg.Command({ resume }), thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupt's value of every kind", async (lg, t) => {
    for (const value of [{ a: [1, null] }, [1, 2], 0, "", null, true]) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("ask", () => ({ last: JSON.stringify(lg.interrupt(value)) }))
        .addEdge(lg.START, "ask")
        .compile({ checkpointer: t.saver() });
      await t.invoke(graph, {}, thread("1"));
      await t.invoke(graph, new lg.Command({ resume: { answer: value } }), thread("1"));
    }
  }),

  scenario("questions of a node are answered by a map, one id for both in turn", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [`${lg.interrupt("one?")}, ${lg.interrupt("two?")}`] }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: saver });
    for (const answer of ["first", "second"]) {
      if (answer === "first") await t.invoke(graph, {}, thread("1"));
      const { tasks } = await graph.getState(thread("1"));
      const id = tasks[0]?.interrupts[0]?.id ?? "none";
      await t.invoke(graph, new lg.Command({ resume: { [id]: answer } }), thread("1"));
    }
    await t.saved(saver, "1");
  }),

  scenario("an answer to one of two open questions leaves the other open", async (lg, t) => {
    const ask = (name: string) => () => ({ trail: [`${name}: ${lg.interrupt(`${name}?`)}`] });
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", ask("a"))
      .addNode("b", ask("b"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .addEdge(["a", "b"], "end")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    const { tasks } = await graph.getState(thread("1"));
    const id = tasks.find(({ name }) => name === "a")?.interrupts[0]?.id ?? "none";
    await t.stream(graph, new lg.Command({ resume: { [id]: "yes" } }), {
      ...thread("1"),
      streamMode: ["updates", "values"],
    });
    await t.invoke(graph, new lg.Command({ resume: "the other" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupt beside a failure: which comes out, and what goes on", async (lg, t) => {
    const saver = t.saver();
    let broken = true;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addNode("bad", () => {
        if (broken) throw new Error("user: bad");
        return { trail: ["good now"] };
      })
      .addEdge(lg.START, "ask")
      .addEdge(lg.START, "bad")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, thread("1")));
    broken = false;
    await t.invoke(graph, null, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("interrupts in an async node, after waiting and inside Promise.all", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", async () => {
        await Promise.resolve();
        const later = Promise.resolve("more");
        const [answer, more] = await Promise.all([
          Promise.resolve().then(() => lg.interrupt<string, string>("?")),
          later,
        ]);
        return { trail: [answer, more] };
      })
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("questions that one node asks at once are asked one after the other", async (lg, t) => {
    const ask = async (question: string): Promise<string> =>
      question + lg.interrupt<string, string>(question);
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", async () => ({ trail: await Promise.all([ask("1?"), ask("2?"), ask("3?")]) }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    for (const resume of ["one", "two", "three"])
      await t.invoke(graph, new lg.Command({ resume }), thread("1"));
  }),

  scenario("the interrupt of the runtime argument is the same as the function", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", (_state, runtime) => ({ trail: [String(runtime.interrupt?.("?"))] }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("a breakpoint and a question in one graph", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "ask")
      .addEdge("ask", "b")
      .compile({ checkpointer: saver, interruptBefore: ["ask", "b"] });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an answer that a graph within took does not answer who asks after it", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("ask", () => ({ last: String(lg.interrupt("inside?")) }))
      .addNode("held", () => ({}))
      .addEdge(lg.START, "ask")
      .addEdge("ask", "held")
      .compile({ interruptBefore: ["held"] });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addNode("approve", () => ({ trail: [String(lg.interrupt("approve?"))] }))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "approve")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "no" }), thread("1"));
  }),

  scenario("an answer at a breakpoint is not for the question of a later step", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("held", leaves("held"))
      .addNode("approve", () => ({ trail: [String(lg.interrupt("approve?"))] }))
      .addEdge(lg.START, "held")
      .addEdge("held", "approve")
      .compile({ checkpointer: t.saver(), interruptBefore: ["held"] });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "early" }), thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "right" }), thread("1"));
  }),

  scenario("a new input gives up a question whose node had taken a first answer", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("asks", () => ({ trail: [`${lg.interrupt("first?")} ${lg.interrupt("second?")}`] }))
      .addNode("other", leaves("other"))
      .addConditionalEdges(lg.START, ({ last }) => (last === "ask" ? "asks" : "other"), ["asks", "other"])
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "ask" }, thread("1"));
    const { config } = await graph.getState(thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "one" }), thread("1"));
    await t.invoke(graph, { last: "no more" }, thread("1"));
    await t.history(graph, thread("1"));
    // and so at the checkpoint of the question
    await t.invoke(graph, { last: "nor here" }, config);
    await t.invoke(graph, null, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),
];
