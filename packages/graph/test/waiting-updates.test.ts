import { once } from "node:events";
import { MemorySaver } from "@skein/checkpointer/memory";
import { expect, it } from "vitest";
import { Annotation, START, StateGraph } from "../src/index.ts";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const thread = { configurable: { thread_id: "t" } };

const waiting = { configurable: { onConflict: { waitMs: 5_000 } } };

it.each([
  ["in the config", waiting, {}],
  ["bound to the graph", { configurable: {} }, waiting],
])("an update waits for a run of its thread: the policy %s", async (_, given, bound) => {
  const [begun, gate] = [new AbortController(), new AbortController()];
  const graph = new StateGraph(State)
    .addNode("node", async () => {
      begun.abort();
      await once(gate.signal, "abort");
      return { log: ["node"] };
    })
    .addEdge(START, "node")
    .compile({ checkpointer: new MemorySaver() });
  const began = once(begun.signal, "abort");
  const run = graph.invoke({ log: ["input"] }, thread);
  await began;
  const refused = graph.updateState(thread, { log: ["refused"] }, "node");
  await expect(refused).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
  const config = { configurable: { ...thread.configurable, ...given.configurable } };
  const update = graph.withConfig(bound).updateState(config, { log: ["update"] }, "node");
  gate.abort();
  await Promise.all([run, update]);
  expect((await graph.getState(thread)).values).toEqual({ log: ["input", "node", "update"] });
});
