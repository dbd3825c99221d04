import { Annotation, MemorySaver, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";

const State = Annotation.Root({
  topic: Annotation<string>,
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});
const oneNode = (options?: object) =>
  new StateGraph(State).addNode("n", () => ({ log: "n" }), options ?? {}).addEdge(START, "n");
const thread = { configurable: { thread_id: "1" } };
const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;

describe("A8 options of a call that mean nothing are refused, and nothing runs", () => {
  const graph = oneNode().compile({ checkpointer: new MemorySaver() });
  it.each([
    ["maxConcurrency 0", { maxConcurrency: 0 }, "INVALID_CONFIGURATION"],
    ["maxConcurrency NaN", { maxConcurrency: Number.NaN }, "INVALID_CONFIGURATION"],
    ["an unknown durability", { durability: "never" }, "INVALID_CONFIGURATION"],
    ["an unknown encoding", { encoding: "json", streamMode: "updates" }, "INVALID_CONFIGURATION"],
    ["a breakpoint that is a text", { interruptAfter: "n" }, "INVALID_CONFIGURATION"],
    ["a thread that is an object", { configurable: { thread_id: {} } }, "INVALID_CONFIGURATION"],
  ])("%s", async (_, options, expected) => {
    const call = graph.invoke({ topic: "t" }, { ...thread, ...options } as never);
    await expect(call).rejects.toEqual(code(expected));
    expect((await graph.getState(thread)).values).toEqual({});
  });
});

describe("A8 what a graph is built of is checked when it is given", () => {
  it("edges lead from names to a name", () => {
    const builder = oneNode();
    for (const [from, to] of [
      [undefined, "n"],
      [[], "n"],
      ["n", undefined],
      [["n", 5], "n"],
    ]) {
      expect(() => builder.addEdge(from as never, to as never)).toThrow(code("INVALID_EDGE") as Error);
    }
  });
  it("attempts are counted from 1", () => {
    for (const maxAttempts of [0, Number.NaN, -1]) {
      const options = { retryPolicy: { maxAttempts } };
      expect(() => oneNode(options)).toThrow(code("INVALID_CONFIGURATION") as Error);
    }
  });
  it("a checkpointer has the methods of one", async () => {
    for (const checkpointer of [{}, MemorySaver, "memory"] as unknown as MemorySaver[]) {
      const call = oneNode().compile({ checkpointer }).invoke({ topic: "t" }, thread);
      await expect(call).rejects.toEqual(code("INVALID_CONFIGURATION"));
    }
  });
});
