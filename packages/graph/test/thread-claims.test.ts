import { GraphError, Send, START, StateGraph } from "@skein/graph";
import { expect, test } from "vitest";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";

test("a second run on a thread is refused before it runs a node", async () => {
  const saver = new FakeSaver();
  let ran = 0;
  const gate = gateway();
  const graph = new StateGraph(Notes)
    .addNode("wait", async () => {
      ran += 1;
      await gate.opened;
      return {};
    })
    .addEdge(START, "wait")
    .compile({ checkpointer: saver });
  const first = graph.invoke({ topic: "x" }, thread);
  await expect(graph.invoke({ topic: "y" }, thread)).rejects.toSatisfy((e) =>
    GraphError.is(e, "THREAD_CONFLICT"),
  );
  gate.open();
  await first;
  expect(ran).toBe(1);
  await graph.invoke({ topic: "z" }, thread);
  expect(ran).toBe(2);
});

test("a failing run gives its thread back", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("f", () => {
      throw new TypeError("boom");
    })
    .addEdge(START, "f")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ topic: "x" }, thread)).rejects.toThrow(TypeError);
  expect(saver.calls.at(-1)).toBe("release");
  expect(saver.pending("1").map((w) => (w as unknown[])[1])).toEqual(["__error__"]);
});

test("a finished sibling is recorded while others run, and is not run again (A6, I6)", async () => {
  const saver = new FakeSaver();
  const runs = { good: 0, bad: 0 };
  const graph = new StateGraph(Notes)
    .addNode("good", async () => {
      runs.good += 1;
      return { notes: ["good"] };
    })
    .addNode("bad", async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (++runs.bad === 1) throw new Error("boom");
      return { notes: ["bad"] };
    })
    .addEdge(START, "good")
    .addEdge(START, "bad")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ topic: "x" }, thread)).rejects.toThrow("boom");
  expect(saver.calls).toContain("record 1");
  expect((await graph.getState(thread)).next).toEqual(["bad"]);
  const state = await graph.invoke(null, thread);
  // I2: task order, not the order in which they finished
  expect(state.notes).toEqual(["bad", "good"]);
  expect(runs).toEqual({ good: 1, bad: 2 });
});

test("a thread that cannot be read is given back", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addNode("b", () => ({ notes: ["b"] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: saver, interruptBefore: ["b"] });
  await graph.invoke({ notes: ["in"] }, thread);
  for (const channel of ["branch:to:b", "notes"]) {
    saver.corrupt = channel;
    await expect(graph.invoke(null, thread)).rejects.toMatchObject({ code: "STORAGE_CORRUPT" });
  }
  saver.corrupt = undefined;
  expect((await graph.invoke(null, thread)).notes).toEqual(["in", "a", "b"]);
});

test("a commit that fails is thrown, and the thread stands where it stood", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, thread);
  saver.failCommit = true;
  await expect(graph.invoke({ topic: "y" }, thread)).rejects.toSatisfy((e) =>
    GraphError.is(e, "STORAGE_UNAVAILABLE"),
  );
  saver.failCommit = false;
  expect((await graph.getState(thread)).values).toEqual({ topic: "x", notes: ["a"] });
});

test("Sends survive a crash between the steps", async () => {
  const saver = new FakeSaver();
  let fail = true;
  const graph = new StateGraph(Notes)
    .addNode("w", (task: { n: number }) => {
      if (fail) throw new Error("crash");
      return { notes: [`w${task.n}`] };
    })
    .addConditionalEdges(START, () => [new Send("w", { n: 1 }), new Send("w", { n: 2 })], ["w"])
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ topic: "x" }, thread)).rejects.toThrow("crash");
  fail = false;
  expect((await graph.invoke(null, thread)).notes).toEqual(["w1", "w2"]);
});

function gateway() {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  return { opened, open: () => gate.open?.() };
}
