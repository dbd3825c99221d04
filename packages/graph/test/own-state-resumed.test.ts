import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from "../src/index.ts";
import { FakeSaver } from "./support/fake-change-sets.ts";

const lines = () => Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] });
const State = Annotation.Root({ turn: Annotation<string>(), log: lines() });
const thread = { configurable: { thread_id: "t" } };
type Stop = { interruptBefore?: "kept"[] };

/** A graph that keeps its state, called behind a node. */
function around(work: (turn: string) => string[], stop: Stop = {}) {
  const Kept = Annotation.Root({ turn: Annotation<string>(), log: lines(), turns: lines() });
  const kept = new StateGraph(Kept)
    .addNode("work", ({ turn }) => ({ log: work(turn), turns: [turn] }))
    .addEdge(START, "work")
    .addEdge("work", END)
    .compile({ checkpointer: true });
  return new StateGraph(State)
    .addNode("before", () => ({}))
    .addNode("kept", kept)
    .addEdge(START, "before")
    .addEdge("before", "kept")
    .compile({ checkpointer: new FakeSaver(), ...stop });
}

describe("a graph that keeps its state, when the graph around it goes on (A10)", () => {
  it("is called by a task that did not call it before: behind a breakpoint", async () => {
    const graph = around((turn) => [turn], { interruptBefore: ["kept"] });
    for (const turn of ["one", "two", "three"]) {
      await graph.invoke({ turn }, thread);
      expect((await graph.invoke(null, thread)).turn).toBe(turn);
    }
    expect((await graph.getState(thread)).values.log).toEqual(["one", "two", "three"]);
  });

  it("is called by a task that did not call it before: after an update by hand", async () => {
    const graph = around((turn) => [turn]);
    await graph.invoke({ turn: "one" }, thread);
    await graph.updateState(thread, { turn: "two" }, "before");
    expect((await graph.invoke(null, thread)).log).toEqual(["one", "two"]);
  });

  it("goes on where it was left, and hands back what that task's call came to", async () => {
    const ran: string[] = [];
    const graph = around((turn) => {
      ran.push(turn);
      return [`${turn}: ${interrupt<string, string>("which?")}`];
    });
    await graph.invoke({ turn: "one" }, thread);
    await graph.updateState(thread, { log: ["by hand"] }, "before");
    // its question is still open
    const { log } = await graph.invoke(new Command({ resume: "this" }), thread);
    expect(log).toEqual(["by hand", "one: this"]);
    expect(ran).toEqual(["one", "one"]);
  });

  it("hands back what was written by hand in the place of its last node", async () => {
    const graph = around((turn) => [`${turn}: ${interrupt<string, string>("which?")}`]);
    await graph.invoke({ turn: "one" }, thread);
    const { tasks } = await graph.getState(thread, { subgraphs: true });
    const kept = tasks[0]?.state as { config: typeof thread } | undefined;
    await graph.updateState(kept?.config ?? thread, { log: ["by hand"] }, "work");
    expect((await graph.invoke(null, thread)).log).toEqual(["by hand"]);
  });
});

it("a graph that keeps its state below one that is not stored asks, is answered, and goes on where it was", async () => {
  for (const checkpointer of [new FakeSaver(), new MemorySaver(), SqliteSaver.fromConnString(":memory:")]) {
    const Kept = Annotation.Root({ turn: Annotation<string>(), turns: lines() });
    const ran: string[] = [];
    const kept = new StateGraph(Kept)
      .addNode("note", ({ turn }) => ({ turns: [turn] }))
      .addNode("ask", ({ turns }) => {
        ran.push(turns.join());
        return { turn: `${interrupt<string, string>(turns.join())} to ${turns.join()}` };
      })
      .addEdge(START, "note")
      .addEdge("note", "ask")
      .compile({ checkpointer: true });
    const unstored = new StateGraph(State)
      .addNode("kept", async ({ turn }) => ({ turn: (await kept.invoke({ turn })).turn }))
      .addEdge(START, "kept")
      .compile({ checkpointer: false });
    const graph = new StateGraph(State)
      .addNode("unstored", unstored)
      .addEdge(START, "unstored")
      .compile({ checkpointer });
    for (const turns of ["a", "a,b"]) {
      await graph.invoke({ turn: turns.slice(-1) }, thread);
      expect((await graph.invoke(new Command({ resume: "yes" }), thread)).turn).toBe(`yes to ${turns}`);
    }
    expect(ran).toEqual(["a", "a", "a,b", "a,b"]);
  }
});
