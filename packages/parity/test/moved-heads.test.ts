import * as theirs from "@langchain/langgraph";
import { MemorySaver as Reference } from "@langchain/langgraph-checkpoint";
import { goTo, MemorySaver } from "@skein/checkpointer";
import * as ours from "@skein/graph";
import { expect, it } from "vitest";

const thread = { configurable: { thread_id: "t" } };

function waiting(engine: typeof theirs, checkpointer: Reference) {
  const State = engine.Annotation.Root({
    log: engine.Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  return new engine.StateGraph(State)
    .addNode("ask", () => ({ log: [engine.interrupt<string, string>("q?")] }))
    .addNode("side", () => ({ log: ["side"] }))
    .addNode("end", () => ({ log: ["end"] }))
    .addEdge(engine.START, "ask")
    .addEdge(engine.START, "side")
    .addEdge("ask", "end")
    .compile({ checkpointer });
}

const shown = ({ values, next, tasks }: theirs.StateSnapshot) => ({
  values: values as unknown,
  next,
  tasks: tasks.map(({ name, interrupts, result }) => [name, interrupts.length, result]),
});

/** What three readers see of a checkpoint that was made the head again, after its question was answered. */
async function seen(engine: typeof theirs, saver: Reference, move: (checkpointId: string) => unknown) {
  const graph = waiting(engine, saver);
  await graph.invoke({ log: ["in"] }, thread);
  const { config } = await graph.getState(thread);
  await graph.invoke(new engine.Command({ resume: "yes" }), thread);
  const id = config.configurable?.["checkpoint_id"] as string;
  await move(id);
  const ofHistory: unknown[] = [];
  for await (const one of graph.getStateHistory(thread))
    if (one.config.configurable?.["checkpoint_id"] === id) ofHistory.push(shown(one));
  return {
    newest: shown(await graph.getState(thread)),
    named: shown(await graph.getState(config)),
    ofHistory,
  };
}

it("what tasks of an unfinished step wrote is in the newest state, and in no state of the history", async () => {
  const reference = new Reference();
  // LangGraph moves no head: there the checkpoints behind it are gone
  const cut = (id: string): void => {
    const stored = reference.storage["t"]?.[""] ?? {};
    for (const other of Object.keys(stored)) if (other > id) delete stored[other];
  };
  const expected = await seen(theirs, reference, cut);
  expect(expected.newest.values).toEqual({ log: ["in", "yes", "side"] });
  expect(expected.ofHistory).toEqual([expected.named]);
  expect(expected.named.values).toEqual({ log: ["in"] });
  const saver = new MemorySaver();
  const onOurs = seen(ours as never, saver as never, (id) => goTo(saver, "t", id));
  expect(await onOurs).toEqual(expected);
});
