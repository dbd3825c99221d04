import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { Annotation, START, StateGraph } from "@skein/graph";

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const late = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each([
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
] as const)("a stream whose reader has left, on %s", (_name, make) => {
  it.each(["updates", "tasks", "debug", "values"] as const)(
    "leaves the thread free, and what was shown is not run again: %s",
    async (streamMode) => {
      const ran: string[] = [];
      const node = (name: string, ms: number) => async () => {
        await late(ms);
        ran.push(name);
        return { log: [name] };
      };
      const graph = new StateGraph(State)
        .addNode("quick", node("quick", 1))
        .addNode("slow", node("slow", 30))
        .addEdge(START, "quick")
        .addEdge(START, "slow")
        .compile({ checkpointer: make() });
      for await (const chunk of await graph.stream({}, { ...thread, streamMode })) {
        if (JSON.stringify(chunk).includes('["quick"]')) break;
      }
      const { log } = await graph.invoke(null, thread);
      expect(log.toSorted()).toEqual(["quick", "slow"]);
      expect(ran.filter((name) => name === "quick")).toHaveLength(1);
    },
  );
});
