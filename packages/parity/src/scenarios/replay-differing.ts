import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Snapshot } from "../recorder.ts";
import type { Difference } from "../scenario.ts";
import { thread, trailState } from "./kit.ts";

/** sub: good and ask, side by side; counts what it runs. */
function sideBySide(lg: LangGraph) {
  const runs = { good: 0 };
  const inner = new lg.StateGraph(trailState(lg))
    .addNode("good", () => ({ trail: [`good ${(runs.good += 1)}`] }))
    .addNode("ask", () => ({ last: String(lg.interrupt("?")) }))
    .addEdge(lg.START, "good")
    .addEdge(lg.START, "ask")
    .compile();
  const graph = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode("sub", inner)
    .addEdge(lg.START, "sub")
    .compile({ checkpointer: new MemorySaver() });
  return { runs, graph };
}

/** sub (keeps a state of its own): pre -> ask */
function keeping(lg: LangGraph) {
  const inner = new lg.StateGraph(trailState(lg))
    .addNode("pre", () => ({ last: "inside" }))
    .addNode("ask", () => ({ last: String(lg.interrupt("?")) }))
    .addEdge(lg.START, "pre")
    .addEdge("pre", "ask")
    .compile({ checkpointer: true });
  return new lg.StateGraph(trailState(lg))
    .addNode("sub", inner)
    .addEdge(lg.START, "sub")
    .compile({ checkpointer: new MemorySaver() });
}

/** What the original does with states within subgraphs that differs. */
export const withinSubgraphs: readonly Difference[] = [
  {
    id: "resume-within-subgraphs",
    name: "a finished sibling in a subgraph is not run again when its question is answered",
    there: 2,
    here: 1,
    async run(lg) {
      const { runs, graph } = sideBySide(lg);
      await graph.invoke({ last: "in" }, thread("1"));
      await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      return runs.good;
    },
  },
  {
    id: "resume-within-subgraphs",
    name: "an answer to an old state within a subgraph is taken",
    there: ["in", ["?"]],
    here: ["another", []],
    async run(lg) {
      const { graph } = sideBySide(lg);
      await graph.invoke({ last: "in" }, thread("1"));
      const { tasks } = (await graph.getState(thread("1"), { subgraphs: true })) as unknown as Snapshot;
      await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      const within = tasks[0]?.state as Snapshot;
      const output = await graph.invoke(new lg.Command({ resume: "another" }), within.config as never);
      const open = (output as { __interrupt__?: { value: unknown }[] }).__interrupt__ ?? [];
      return [output.last, open.map(({ value }) => value)];
    },
  },
  {
    id: "resume-within-subgraphs",
    name: "the state that a waiting subgraph keeps is in its caller's snapshot",
    there: [[], []],
    here: [["ask"], ["?"]],
    async run(lg) {
      const graph = keeping(lg);
      await graph.invoke({ last: "in" }, thread("1"));
      const { tasks } = await graph.getState(thread("1"), { subgraphs: true });
      const state = tasks[0]?.state as Snapshot;
      return [state.next, state.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value))];
    },
  },
  {
    id: "resume-within-subgraphs",
    name: "the config by which a snapshot names a state that a subgraph keeps reads and updates it",
    there: [null, "inside"],
    here: ["inside", "edited"],
    async run(lg) {
      const graph = keeping(lg);
      await graph.invoke({ last: "in" }, thread("1"));
      const { tasks } = await graph.getState(thread("1"));
      const named = tasks[0]?.state as ReturnType<typeof thread>;
      const read = await graph.getState(named);
      await graph.updateState(named, { last: "edited" });
      const kept = await graph.getState(thread("1", { checkpoint_ns: "sub" }));
      return [read.values.last ?? null, kept.values.last];
    },
  },
  {
    id: "resume-within-subgraphs",
    name: "a graph that keeps its state is called behind a breakpoint, also when it was called before",
    there: ["one", "one"],
    here: ["one", "two"],
    async run(lg) {
      const State = lg.Annotation.Root({ last: lg.Annotation<string>() });
      const kept = new lg.StateGraph(State)
        .addNode("work", ({ last }) => ({ last }))
        .addEdge(lg.START, "work")
        .compile({ checkpointer: true });
      const graph = new lg.StateGraph(State)
        .addNode("sub", kept)
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: new lg.MemorySaver(), interruptBefore: ["sub"] });
      const seen: unknown[] = [];
      for (const last of ["one", "two"]) {
        await graph.invoke({ last }, thread("1"));
        seen.push((await graph.invoke(null, thread("1"))).last);
      }
      return seen;
    },
  },
];
