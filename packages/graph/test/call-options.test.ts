import { MemorySaver } from "@skein/checkpointer";
import { expect, test } from "vitest";
import { Annotation, interrupt, START, StateGraph } from "@skein/graph";

const State = Annotation.Root({ n: Annotation<number>, asked: Annotation<string> });
const thread = { configurable: { thread_id: "t" } };
const twoSteps = () =>
  new StateGraph(State)
    .addNode("a", ({ n }) => ({ n: n + 1 }))
    .addNode("b", ({ n }) => ({ n: n * 2 }))
    .addEdge(START, "a")
    .addEdge("a", "b");

async function stored(options: object): Promise<number> {
  const graph = twoSteps().compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ n: 1 }, { ...thread, ...options });
  let count = 0;
  for await (const _state of graph.getStateHistory(thread)) count += 1;
  return count;
}

test("checkpointDuring is durability by its older name", async () => {
  expect(await stored({ checkpointDuring: true })).toBe(await stored({ durability: "async" }));
  expect(await stored({ checkpointDuring: false })).toBe(1);
  await expect(stored({ checkpointDuring: true, durability: "sync" })).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
  });
});

test("inputKeys and outputKeys name keys of the state, or the call is refused", async () => {
  const graph = twoSteps().compile();
  expect(await graph.invoke({ n: 1 }, { inputKeys: "n", outputKeys: "n" })).toBe(4);
  for (const keys of [{ inputKeys: ["nobody"] }, { outputKeys: ["nobody"] }]) {
    await expect(graph.invoke({ n: 1 }, keys)).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  }
});

test("the interrupt that a graph declares is what its nodes find", async () => {
  const graph = new StateGraph({
    state: State,
    interrupt: { who: interrupt<string, string>, plain: interrupt },
    nodes: ["ask"],
  })
    .addEdge(START, "ask")
    .addNode("ask", (_state, config) => ({ asked: config.interrupt.who("who?") }))
    .compile({ checkpointer: new MemorySaver() });
  const waits = await graph.invoke({ n: 1 }, thread);
  expect(graph.isInterrupted(waits) && waits.__interrupt__[0]?.value).toBe("who?");
});
