import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { thread, trailState } from "./kit.ts";

const EXIT = { ...thread("1"), durability: "exit" } as const;

/** Two nodes that ask at once, in one step. */
function twoQuestions(lg: LangGraph, leave: (text: string) => object = (text) => ({ trail: [text] })) {
  const asks = (question: string) => () => leave(`${question} ${lg.interrupt(question)}`);
  return new lg.StateGraph(trailState(lg))
    .addNode("one", asks("one?"))
    .addNode("two", asks("two?"))
    .addEdge(lg.START, "one")
    .addEdge(lg.START, "two")
    .compile({ checkpointer: new MemorySaver() });
}

/** A node beside a graph that keeps its own state, of which it counts the runs. */
function counting(lg: LangGraph) {
  const inner = new lg.StateGraph(trailState(lg))
    .addNode("counts", ({ total }) => ({ total: 1, last: `run ${total + 1}` }))
    .addEdge(lg.START, "counts")
    .compile({ checkpointer: true });
  return new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode("within", async (_, config) => ({ last: (await inner.invoke({}, config)).last }))
    .addNode("after", () => ({}))
    .addEdge(lg.START, "within")
    .addEdge("within", "after")
    .compile({ checkpointer: new MemorySaver(), interruptBefore: ["within"] });
}

type Interrupted = { readonly __interrupt__: readonly { readonly id: string }[] };

/** What LangGraph does in durability "exit", and in no other. */
export const exitDifferences: readonly Difference[] = [
  {
    id: "durability-exit",
    name: "exit: what a finished task wrote is applied once, also when its sibling waits for two more calls",
    there: ["one? yes", "one? yes", "two? yes"],
    here: ["one? yes", "two? yes"],
    async run(lg) {
      const graph = twoQuestions(lg);
      const asked = (await graph.invoke({}, EXIT)) as unknown as Interrupted;
      const [one, two] = asked.__interrupt__.map(({ id }) => id);
      await graph.invoke(new lg.Command({ resume: { [String(one)]: "yes" } }), EXIT);
      await graph.invoke(null, EXIT);
      return (await graph.invoke(new lg.Command({ resume: { [String(two)]: "yes" } }), EXIT)).trail;
    },
  },
  {
    id: "durability-exit",
    name: "exit: a checkpoint is not its own parent",
    there: true,
    here: false,
    async run(lg) {
      const graph = twoQuestions(lg);
      await graph.invoke({}, EXIT);
      await graph.invoke(null, EXIT);
      const { config, parentConfig } = await graph.getState(thread("1"));
      return parentConfig?.configurable?.["checkpoint_id"] === config.configurable?.["checkpoint_id"];
    },
  },
  {
    id: "durability-exit",
    name: "exit: a thread that goes back takes a subgraph's own state with it",
    there: { sync: "run 1", exit: "run 2" },
    here: { sync: "run 1", exit: "run 1" },
    async run(lg) {
      const seen: Record<string, string> = {};
      for (const durability of ["sync", "exit"] as const) {
        const graph = counting(lg);
        const config = { ...thread("1"), durability };
        await graph.invoke({}, config);
        const { config: before } = await graph.getState(thread("1"));
        await graph.invoke(null, config);
        seen[durability] = (await graph.invoke(null, { ...before, durability })).last;
      }
      return seen;
    },
  },
  {
    id: "durability-exit",
    name: "exit: what a Command wrote beside its goto is shown once while a node waits",
    there: ["told", "told"],
    here: ["told"],
    async run(lg) {
      const graph = twoQuestions(lg);
      await graph.invoke({}, EXIT);
      await graph.invoke(new lg.Command({ goto: "one", update: { trail: ["told"] } }), EXIT);
      return (await graph.getState(thread("1"))).values.trail;
    },
  },
  {
    id: "durability-exit",
    name: "exit: a step whose writes do not fit together waits to be run again",
    there: [],
    here: ["one", "two"],
    async run(lg) {
      const graph = twoQuestions(lg, (text) => ({ last: text }));
      const asked = (await graph.invoke({}, EXIT)) as unknown as Interrupted;
      const resume = Object.fromEntries(asked.__interrupt__.map(({ id }) => [id, "yes"]));
      await graph.invoke(new lg.Command({ resume }), EXIT).catch(() => {});
      return (await graph.getState(thread("1"))).next;
    },
  },
];
