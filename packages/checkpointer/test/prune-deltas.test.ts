import { Annotation, DeltaChannel, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { ALL_SAVERS } from "./savers.ts";

const config = { configurable: { thread_id: "t" } };

const append = (log: string[], added: string[][]): string[] => [...log, ...added.flat()];

/** Checklist B5. */
it.each(ALL_SAVERS)(
  "$name: a prune leaves what LangGraph puts a DeltaChannel together from",
  async (kind) => {
    const { saver, close } = kind.open();
    const State = Annotation.Root({
      text: Annotation<string>(),
      log: new DeltaChannel(append, { initialValueFactory: () => [], snapshotFrequency: 3 }),
    });
    const graph = new StateGraph(State)
      .addNode("note", ({ text }) => ({ log: [text] }))
      .addEdge(START, "note")
      .compile({ checkpointer: saver });
    const logs = async () => {
      const found = new Map<string, unknown>();
      for await (const { config: at, values } of graph.getStateHistory(config))
        found.set(String(at.configurable?.["checkpoint_id"]), (values as { log: unknown }).log);
      return found;
    };

    // a step after a snapshot, which the next checkpoints do not hold
    for (const text of ["a", "b", "c", "d", "e"]) await graph.invoke({ text }, config);
    let before = await logs();
    await saver.prune("t", { keepLast: 1 });
    let after = await logs();
    expect(after.size).toBeLessThan(before.size);
    for (const [id, log] of after) expect(log).toEqual(before.get(id));

    // LangGraph counts nothing in an update
    await graph.updateState(config, { log: ["by hand"] }, "note");
    before = await logs();
    await saver.prune("t", { keepLast: 1 });
    after = await logs();
    for (const [id, log] of after) expect(log).toEqual(before.get(id));
    expect((await graph.getState(config)).values).toMatchObject({
      log: ["a", "b", "c", "d", "e", "by hand"],
    });
    await close();
  },
);
