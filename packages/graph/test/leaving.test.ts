import { describe, expect, it } from "vitest";
import { Annotation, END, MemorySaver, START, StateGraph } from "../src/index.ts";

const State = Annotation.Root({
  trail: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const thread = { configurable: { thread_id: "t" } };

/** Its second node runs until it is told to stop. */
function endless() {
  let isStopped = false;
  let begin: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const graph = new StateGraph(State)
    .addNode("first", () => ({ trail: ["first"] }))
    .addNode("endless", (_, { signal }) => {
      begin?.();
      return new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          isStopped = true;
          reject(new Error("stopped"));
        });
      });
    })
    .addEdge(START, "first")
    .addEdge("first", "endless")
    .addEdge("endless", END)
    .compile({ checkpointer: new MemorySaver() });
  return { graph, begun, isStopped: () => isStopped };
}

type Graph = ReturnType<typeof endless>["graph"];

describe("a reader that leaves while the next chunk is waited for", () => {
  const text = { encoding: "text/event-stream" } as const;
  it.each<[string, (graph: Graph) => Promise<AsyncIterable<unknown>> | AsyncIterable<unknown>]>([
    ["stream", (graph) => graph.stream({}, thread)],
    ["stream as text", (graph) => graph.stream({}, { ...thread, ...text })],
    ["streamEvents v1", (graph) => graph.streamEvents({}, { ...thread, version: "v1" })],
    ["streamEvents v2", (graph) => graph.streamEvents({}, { ...thread, version: "v2" })],
    ["streamEvents v2 as text", (graph) => graph.streamEvents({}, { ...thread, version: "v2", ...text })],
  ])("stops the run and is let go: %s", async (_, open) => {
    const { graph, begun, isStopped } = endless();
    for await (const chunk of await open(graph)) {
      expect(chunk).toBeDefined();
      await begun;
      // the stream asks for the next one ahead of its reader
      await new Promise((resolve) => setTimeout(resolve, 20));
      break;
    }
    expect(isStopped()).toBe(true);
    const { next, values } = await graph.getState(thread);
    expect([next, values]).toEqual([["endless"], { trail: ["first"] }]);
  });

  it("an abort of the caller's stops a run whose events are read as well", async () => {
    const { graph, begun, isStopped } = endless();
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      for await (const event of graph.streamEvents({}, { ...thread, version: "v2", signal: stop.signal }))
        void event;
    };
    void begun.then(() => stop.abort(new Error("enough")));
    await expect(read()).rejects.toThrow("enough");
    expect(isStopped()).toBe(true);
  });
});
