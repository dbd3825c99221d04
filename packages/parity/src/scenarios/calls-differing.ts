import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

const NO_ID = "0".repeat(32);
const NO_CHECKPOINT = "1ef00000-0000-6000-8000-000000000000";

function oneNode(lg: LangGraph, node: (state: unknown, config: unknown) => object) {
  return new lg.StateGraph(trailState(lg))
    .addNode("n", node)
    .addEdge(lg.START, "n")
    .compile({ checkpointer: new MemorySaver() });
}

/** Calls that cannot be meant, and what the original makes of them. */
export const meaninglessCalls: readonly Difference[] = [
  {
    id: "calls-that-mean-nothing",
    name: "answers to questions that nobody asks",
    there: ["?"],
    here: "refused: NOTHING_TO_RESUME",
    async run(lg) {
      const graph = oneNode(lg, () => ({ last: lg.interrupt("?") }));
      await graph.invoke({ last: "in" }, thread("1"));
      const output = await graph.invoke(new lg.Command({ resume: { [NO_ID]: "x" } }), thread("1"));
      return (output as { __interrupt__?: { value: unknown }[] }).__interrupt__?.map(({ value }) => value);
    },
  },
  {
    id: "calls-that-mean-nothing",
    name: "a checkpoint that the thread does not have",
    there: { last: "second", total: 1, trail: ["n"] },
    here: "refused: UNKNOWN_CHECKPOINT",
    async run(lg) {
      const graph = oneNode(lg, () => ({ trail: ["n"], total: 1 }));
      await graph.invoke({ last: "first" }, thread("1"));
      return graph.invoke({ last: "second" }, thread("1", { checkpoint_id: NO_CHECKPOINT }));
    },
  },
  {
    id: "calls-that-mean-nothing",
    name: "a stream mode that does not exist",
    there: [],
    here: "refused: INVALID_CONFIGURATION",
    async run(lg) {
      const chunks: unknown[] = [];
      const graph = oneNode(lg, () => ({ last: "n" }));
      const options = { ...thread("1"), streamMode: "value" as never };
      for await (const chunk of await graph.stream({ last: "in" }, options)) chunks.push(chunk);
      return chunks;
    },
  },
  {
    id: "calls-that-mean-nothing",
    name: "a reducer that is no function",
    there: "refused: TypeError",
    here: "refused: INVALID_STATE_SCHEMA",
    async run(lg) {
      const State = lg.Annotation.Root({ a: lg.Annotation<string>({ reducer: "append" as never }) });
      const graph = new lg.StateGraph(State)
        .addNode("n", () => ({ a: "n" }))
        .addEdge(lg.START, "n")
        .compile();
      return graph.invoke({ a: "in" });
    },
  },
  {
    id: "calls-that-mean-nothing",
    name: "a Send without an input",
    there: [],
    here: ["undefined"],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("n", (state) => ({ trail: [typeof state] }))
        .addConditionalEdges(lg.START, () => new lg.Send("n", undefined), ["n"])
        .compile();
      return (await graph.invoke({ total: 1 })).trail;
    },
  },
  {
    id: "calls-that-mean-nothing",
    name: "goto in a program wired by hand, where no edge leads there",
    there: "in",
    here: "refused: UNKNOWN_NODE",
    async run(lg) {
      const { Channel, Pregel } = pregelOf(lg);
      const { LastValue } = channelsOf(lg);
      const program = new Pregel({
        nodes: { n: Channel.subscribeTo("a").pipe(Channel.writeTo(["b"])) },
        channels: { a: new LastValue<string>(), b: new LastValue<string>() },
        inputChannels: "a",
        outputChannels: "b",
        checkpointer: new MemorySaver(),
      });
      await program.invoke("in", thread("1"));
      return program.invoke(new lg.Command({ goto: "n" }), thread("1"));
    },
  },
  {
    id: "calls-that-mean-nothing",
    name: "a program wired by hand that writes to a channel it does not have",
    there: [null],
    here: "refused: UNKNOWN_CHANNEL",
    async run(lg) {
      const { Channel, Pregel } = pregelOf(lg);
      const { LastValue } = channelsOf(lg);
      const program = new Pregel({
        nodes: { n: Channel.subscribeTo("a").pipe(Channel.writeTo(["bb"])) },
        channels: { a: new LastValue<string>(), b: new LastValue<string>() },
        inputChannels: "a",
        outputChannels: "b",
      });
      return [await program.invoke("in")];
    },
  },
  {
    id: "names-of-runs-within",
    name: "the name of a run in a node's config: when nobody listens, and when somebody does",
    there: ["n", "undefined"],
    here: ["undefined", "undefined"],
    async run(lg) {
      const names: string[] = [];
      const graph = oneNode(lg, (_state, config) => {
        names.push(String((config as { runName?: string }).runName));
        return {};
      });
      await graph.invoke({}, thread("1"));
      await graph.invoke({}, { ...thread("2"), callbacks: [{ handleChainStart() {} }] });
      return names;
    },
  },
  {
    id: "node-that-ran-last",
    name: "an update without asNode, when one node ran twice in a row, by two of its triggers",
    there: "refused: Ambiguous update",
    here: ["a", "b", "c", "u1", "c", "u2"],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addNode("c", leaves("c"))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "b")
        .addEdge("a", "c")
        .addEdge(["a", "b"], "c")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      await graph.updateState(thread("1"), { trail: ["u1"] });
      await graph.invoke(null, thread("1"));
      try {
        await graph.updateState(thread("1"), { trail: ["u2"] });
      } catch (error) {
        return `refused: ${(error as Error).message.slice(0, "Ambiguous update".length)}`;
      }
      return (await graph.getState(thread("1"))).values.trail;
    },
  },
];
