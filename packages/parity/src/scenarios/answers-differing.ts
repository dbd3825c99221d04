import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** before -> ask (interrupts once per question) -> after */
function asking(lg: LangGraph, questions: readonly string[]) {
  return new lg.StateGraph(trailState(lg))
    .addNode("ask", () => ({
      trail: questions.map((question) => `answer ${JSON.stringify(lg.interrupt(question))}`),
    }))
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "ask")
    .addEdge("ask", "after")
    .compile({ checkpointer: new MemorySaver() });
}

const resumeWith = (value: unknown, there: unknown): Difference => ({
  id: "falsy-resume",
  name: `resume with ${JSON.stringify(value)} answers the interrupt`,
  there,
  here: [`answer ${JSON.stringify(value)}`, "after"],
  async run(lg) {
    const graph = asking(lg, ["go on?"]);
    await graph.invoke({}, thread("1"));
    return (await graph.invoke(new lg.Command({ resume: value }), thread("1"))).trail;
  },
});

const fail = (): never => {
  throw new Error("user: failed");
};

/** Questions of a run, their answers, and calls that answer nothing. */
export const answersToQuestions: readonly Difference[] = [
  resumeWith(false, "refused: EmptyInputError"),
  resumeWith(0, "refused: EmptyInputError"),
  resumeWith("", "refused: EmptyInputError"),
  resumeWith(null, "refused: EmptyInputError"),

  {
    id: "next-names-what-waits",
    name: "a node that asks its second question is still next",
    there: [],
    here: ["ask"],
    async run(lg) {
      const graph = asking(lg, ["first?", "second?"]);
      await graph.invoke({}, thread("1"));
      await graph.invoke(new lg.Command({ resume: "one" }), thread("1"));
      return (await graph.getState(thread("1"))).next;
    },
  },

  {
    id: "next-names-what-waits",
    name: "a node whose error handler is still to run is still next",
    there: [],
    here: ["bad"],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("bad", fail, { errorHandler: () => ({ trail: [lg.interrupt("what now?")] }) })
        .addEdge(lg.START, "bad")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      return (await graph.getState(thread("1"))).next;
    },
  },

  {
    id: "wrong-calls-are-errors",
    name: "a bare resume value while two questions are open",
    there: ["a: which?", "b: which?"],
    here: "refused: AMBIGUOUS_RESUME",
    async run(lg) {
      const ask = (name: string) => () => ({ trail: [`${name}: ${lg.interrupt(`${name}?`)}`] });
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", ask("a"))
        .addNode("b", ask("b"))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "b")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      return (await graph.invoke(new lg.Command({ resume: "which?" }), thread("1"))).trail;
    },
  },
  {
    id: "wrong-calls-are-errors",
    name: "resume with nothing to resume",
    there: ["after"],
    here: "refused: NOTHING_TO_RESUME",
    async run(lg) {
      const graph = asking(lg, []);
      await graph.invoke({}, thread("1"));
      return (await graph.invoke(new lg.Command({ resume: "for nothing" }), thread("1"))).trail;
    },
  },
  {
    id: "wrong-calls-are-errors",
    name: "goto to a node that does not exist",
    there: null,
    here: "refused: UNKNOWN_NODE",
    run: async (lg) =>
      await new lg.StateGraph(trailState(lg))
        .addNode("a", () => new lg.Command({ goto: "nowhere" }))
        .addEdge(lg.START, "a")
        .compile()
        .invoke({}),
  },
  {
    id: "wrong-calls-are-errors",
    name: "a Command to the parent where there is none",
    there: null,
    here: "refused: OUTSIDE_RUN",
    run: async (lg) =>
      await new lg.StateGraph(trailState(lg))
        .addNode("a", () => new lg.Command({ graph: lg.Command.PARENT, goto: "a" }))
        .addEdge(lg.START, "a")
        .compile()
        .invoke({}),
  },

  {
    id: "swallowed-interrupt",
    name: "a catch that swallows the interrupt does not hide it",
    there: { interrupted: false, trail: ["swallowed"] },
    here: { interrupted: true, trail: [] },
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          try {
            return { trail: [`answer ${lg.interrupt("?")}`] };
          } catch {
            return { trail: ["swallowed"] };
          }
        })
        .addEdge(lg.START, "a")
        .compile({ checkpointer: new MemorySaver() });
      const output = await graph.invoke({}, thread("1"));
      return { interrupted: lg.isInterrupted(output), trail: output.trail ?? [] };
    },
  },
];
