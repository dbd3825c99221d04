import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { late, thread, trailState } from "./kit.ts";

const asks =
  (lg: LangGraph, ...questions: string[]) =>
  () => ({
    trail: questions.map((question) => `${question} ${lg.interrupt(question)}`),
  });

/** What a call asks, or what it left. */
const seen = (output: object): unknown => {
  const { __interrupt__: asked, trail } = output as { __interrupt__?: { value: unknown }[]; trail: string[] };
  return asked?.map(({ value }) => value) ?? trail;
};

/** A graph within that asks, stops at its own breakpoint, and asks in the next node. */
function stopping(lg: LangGraph) {
  const inner = new lg.StateGraph(trailState(lg))
    .addNode("asks", asks(lg, "pay?"))
    .addNode("held", asks(lg, "delete?"))
    .addEdge(lg.START, "asks")
    .addEdge("asks", "held")
    .compile({ interruptBefore: ["held"] });
  return new lg.StateGraph(trailState(lg))
    .addNode("within", inner)
    .addEdge(lg.START, "within")
    .compile({ checkpointer: new MemorySaver() });
}

/** Answers without an id that LangGraph hands to whoever asks first. */
export const bareAnswers: readonly Difference[] = [
  {
    id: "bare-answers",
    name: "an answer that a graph within took does not answer its next question behind a breakpoint",
    there: [["pay?"], [], ["pay? yes", "delete? yes"]],
    here: [["pay?"], [], ["delete?"]],
    async run(lg) {
      const graph = stopping(lg);
      const inputs = [{}, new lg.Command({ resume: "yes" }), null];
      const outputs: unknown[] = [];
      for (const input of inputs) outputs.push(seen(await graph.invoke(input as never, thread("1"))));
      return outputs;
    },
  },
  {
    id: "bare-answers",
    name: "a second answer to a question does not answer one that nobody saw",
    there: ["pay? yes", "delete? yes"],
    here: ["delete?"],
    async run(lg) {
      const graph = stopping(lg);
      await graph.invoke({}, thread("1"));
      await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      return seen(await graph.invoke(new lg.Command({ resume: "yes" }), thread("1")));
    },
  },
  {
    id: "bare-answers",
    name: "a second question in a graph within is asked again when nobody answers it",
    there: ["pay? yes", "delete? yes"],
    here: ["delete?"],
    async run(lg) {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("asks", asks(lg, "pay?", "delete?"))
        .addEdge(lg.START, "asks")
        .compile();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("within", inner)
        .addEdge(lg.START, "within")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      return seen(await graph.invoke(null, thread("1")));
    },
  },
  {
    id: "bare-answers",
    name: "an answer is not for a task that is tried again beside the one that asked",
    there: ["pay? yes", "delete? yes"],
    here: ["delete?"],
    async run(lg) {
      let tries = 0;
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("asks", async () => {
          // behind the other one's question
          await late(tries > 0 ? 5 : 0);
          return asks(lg, "pay?")();
        })
        .addNode("fails", async () => {
          if (tries++ > 0) return asks(lg, "delete?")();
          await late(5);
          throw new Error("user: failed");
        })
        .addEdge(lg.START, "asks")
        .addEdge(lg.START, "fails")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1")).catch(() => undefined);
      return seen(await graph.invoke(new lg.Command({ resume: "yes" }), thread("1")));
    },
  },
];
