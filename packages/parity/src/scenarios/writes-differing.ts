import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { channelsOf } from "../entries.ts";
import type { Difference } from "../scenario.ts";
import { thread } from "./kit.ts";

const ids = ({ messages }: { messages: BaseMessage[] }) => messages.map(({ id }) => id);

/** What a write leaves, where LangGraph leaves something else than was meant. */
export const differingWrites: readonly Difference[] = [
  {
    id: "overwrite-without-a-reducer",
    name: "an Overwrite of a key without a reducer, by a node, an input and an update of the state",
    there: [{ $overwrite: "node" }, { $overwrite: "input" }, { $overwrite: "update" }],
    here: ["node", "input", "update"],
    async run(lg) {
      const seen: unknown[] = [];
      const graph = new lg.StateGraph(
        lg.Annotation.Root({ key: lg.Annotation<unknown>(), by: lg.Annotation<string>() }),
      )
        .addNode("writes", ({ by }) => (by === "node" ? { key: new lg.Overwrite("node") } : {}))
        .addNode("reads", ({ key }) => {
          seen.push(key);
          return {};
        })
        .addEdge(lg.START, "writes")
        .addEdge("writes", "reads")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ by: "node" }, thread("1"));
      await graph.invoke({ by: "input", key: new lg.Overwrite("input") }, thread("1"));
      await graph.updateState(thread("1"), { key: new lg.Overwrite("update") }, "writes");
      await graph.invoke(null, thread("1"));
      return seen;
    },
  },
  {
    id: "barriers-without-names",
    name: "a barrier that was told no names, before and after it was stored as JSON",
    there: [false, true],
    here: [false, false],
    async run(lg) {
      const barrier = new (channelsOf(lg).DynamicBarrierValue)();
      const stored = JSON.parse(JSON.stringify(barrier.checkpoint()));
      return [barrier.isAvailable(), barrier.fromCheckpoint(stored).isAvailable()];
    },
  },
  {
    id: "what-a-waiting-task-pushed",
    name: "the output of a call that waits, behind a message that its node pushed, and the state",
    there: [["said", "pushed"], ["said"]],
    here: [["said"], ["said"]],
    async run(lg) {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("asks", (_, config) => {
          lg.pushMessage(new AIMessage({ id: "pushed", content: "a moment" }), config);
          return { messages: [new AIMessage({ id: "answer", content: String(lg.interrupt("well?")) })] };
        })
        .addEdge(lg.START, "asks")
        .compile({ checkpointer: new MemorySaver() });
      const messages = [new HumanMessage({ id: "said", content: "go" })];
      const output = ids(await graph.invoke({ messages }, thread("1")));
      return [output, ids((await graph.getState(thread("1"))).values as never)];
    },
  },
];
