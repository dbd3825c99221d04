import { Annotation, DeltaChannel, START, StateGraph } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branches, CHANGE_SETS, deleteBranch, type Claim } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { commitValue } from "./steps.ts";

const config = { configurable: { thread_id: "t" } };
const append = (log: string[], added: string[][]): string[] => [...log, ...added.flat()];

const stateWith = (snapshotFrequency: number) =>
  Annotation.Root({
    text: Annotation<string>(),
    log: new DeltaChannel(append, { initialValueFactory: () => [], snapshotFrequency }),
  });
const State = stateWith(3);

/** Checklist B5. */
describe.each(ALL_SAVERS)("a prune of a thread with a DeltaChannel of LangGraph, $name", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, close } = kind.open()));
  afterEach(() => close());

  const compiled = (answer: (text: string) => { text?: string; log?: string[] }) =>
    new StateGraph(State)
      .addNode("note", ({ text }) => answer(text))
      .addEdge(START, "note")
      .compile({ checkpointer: saver });

  it("leaves what the channel is put together from", async () => {
    const graph = compiled((text) => ({ log: [text] }));
    /** Of each checkpoint. */
    const logs = async () => {
      const found = new Map<string, unknown>();
      for await (const { config: at, values } of graph.getStateHistory(config))
        found.set(String(at.configurable?.["checkpoint_id"]), (values as { log: unknown }).log);
      return found;
    };
    // the step after a snapshot takes it out
    for (const text of ["a", "b", "c", "d", "e"]) await graph.invoke({ text }, config);
    const before = await logs();
    await saver.prune("t", { keepLast: 1 });
    const after = await logs();
    expect(after.size).toBeLessThan(before.size);
    for (const [id, log] of after) expect(log).toEqual(before.get(id));

    // LangGraph counts nothing in an update
    await graph.updateState(config, { log: ["by hand"] }, "note");
    const all = ["a", "b", "c", "d", "e", "by hand"];
    await saver.prune("t", { keepLast: 1 });
    expect((await graph.getState(config)).values).toMatchObject({ log: all });

    // our engine counts nothing either
    const opened = await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
    await commitValue(saver, opened.claim as Claim, "9".repeat(32), opened.headId);
    await saver[CHANGE_SETS].release(opened.claim as Claim);
    await saver.prune("t", { keepLast: 1 });
    expect((await graph.getState(config)).values).toMatchObject({ log: all });
  });

  it("leaves what LangGraph reads on a branch from where the other one was about to write", async () => {
    const graph = new StateGraph(stateWith(100))
      .addNode("note", ({ text }) => ({ log: [text] }))
      .addNode("end", () => ({}))
      .addEdge(START, "note")
      .addEdge("note", "end")
      .compile({ checkpointer: saver });
    await graph.invoke({ text: "a" }, config);
    const [, asked] = await saver.checkpoints("t");
    await graph.invoke({ text: "b" }, { configurable: { thread_id: "t", checkpoint_id: asked?.id } });
    await graph.invoke({ text: "c" }, config);
    const { values } = await graph.getState(config);
    const [, other] = await branches(saver, "t");
    await deleteBranch(saver, "t", other?.tip ?? "");
    await saver.prune("t", { keepLast: 1 });
    expect((await graph.getState(config)).values).toEqual(values);
    expect(values).toMatchObject({ log: ["a", "b", "c"] });
  });

  it("keeps nothing for one that nobody wrote to", async () => {
    const graph = compiled((text) => ({ text }));
    for (const text of ["a", "b", "c"]) await graph.invoke({ text }, config);
    expect(await saver.prune("t", { keepLast: 1 })).toMatchObject({ checkpointsKept: 1 });
    expect((await graph.getState(config)).values).toMatchObject({ text: "c", log: [] });
  });

  it("of a subgraph that went on from one branch to another stays what both wrote, when the one is deleted", async () => {
    const seen: string[][] = [];
    const inner = new StateGraph(stateWith(100))
      .addNode("note", ({ text }) => ({ log: [text] }))
      .addNode("look", ({ log }) => {
        seen.push(log);
        return {};
      })
      .addEdge(START, "note")
      .addEdge("note", "look")
      .compile({ checkpointer: true });
    const graph = new StateGraph(Annotation.Root({ text: Annotation<string>() }))
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: saver });
    await graph.invoke({ text: "a" }, config);
    const { config: parting } = await graph.getState(config);
    await graph.invoke({ text: "b" }, config);
    await graph.invoke({ text: "c" }, parting);
    const [, other] = await branches(saver, "t");
    await deleteBranch(saver, "t", other?.tip ?? "");
    await graph.invoke({ text: "d" }, config);
    expect(seen.slice(-2)).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c", "d"],
    ]);
  });
});
