import {
  Annotation,
  Command,
  GraphError,
  interrupt,
  INTERRUPT,
  isInterrupted,
  START,
  StateGraph,
} from "@skein/graph";
import { expect, test } from "vitest";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";
import { SAVERS_AND_FAKE } from "./support/savers.ts";

const ask = (name: string) => () => ({ notes: [`${name}: ${interrupt<string, string>(name)}`] });

const fails = (code: GraphError["code"]) => (error: unknown) => GraphError.is(error, code);

test.each(SAVERS_AND_FAKE)(
  "several interrupts of a node are answered in order (%s)",
  async (_name, saver) => {
    let runs = 0;
    const graph = new StateGraph(Notes)
      .addNode("ask", () => {
        runs += 1;
        return { notes: [interrupt<string, string>("first?"), interrupt<string, string>("second?")] };
      })
      .addEdge(START, "ask")
      .compile({ checkpointer: saver() });
    const one = await graph.invoke({ topic: "x" }, thread);
    expect(isInterrupted(one) && one[INTERRUPT]).toMatchObject([{ value: "first?" }]);
    expect((await graph.getState(thread)).tasks[0]?.interrupts).toMatchObject([{ value: "first?" }]);
    const two = await graph.invoke(new Command({ resume: "A" }), thread);
    expect(isInterrupted(two) && two[INTERRUPT]).toMatchObject([{ value: "second?" }]);
    // going on without an answer asks again; the first answer is not taken for the second
    expect(await graph.invoke(null, thread)).toMatchObject({ [INTERRUPT]: [{ value: "second?" }] });
    expect(await graph.invoke(new Command({ resume: "B" }), thread)).toEqual({
      topic: "x",
      notes: ["A", "B"],
    });
    expect(runs).toBe(4);
  },
);

test.each([[false], [0], [""], [null]])("%j is an answer", async (answer) => {
  const Any = Annotation.Root({ got: Annotation<unknown> });
  const graph = new StateGraph(Any)
    .addNode("ask", () => ({ got: [interrupt("?")] }))
    .addEdge(START, "ask")
    .compile({ checkpointer: new FakeSaver() });
  await graph.invoke({ got: "nothing" }, thread);
  expect(await graph.invoke(new Command({ resume: answer }), thread)).toEqual({ got: [answer] });
});

test("several tasks that wait are answered by id; one answer for all is refused", async () => {
  const graph = new StateGraph(Notes)
    .addNode("a", ask("a"))
    .addNode("b", ask("b"))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile({ checkpointer: new FakeSaver() });
  const waiting = await graph.invoke({ topic: "x" }, thread);
  const interrupts = isInterrupted(waiting) ? waiting[INTERRUPT] : [];
  await expect(graph.invoke(new Command({ resume: "?" }), thread)).rejects.toSatisfy(
    fails("AMBIGUOUS_RESUME"),
  );
  const answers = Object.fromEntries(interrupts.map(({ id, value }) => [id ?? "", `for ${value}`]));
  expect((await graph.invoke(new Command({ resume: answers }), thread)).notes).toEqual([
    "a: for a",
    "b: for b",
  ]);
});

test("a node that swallows the signal is interrupted all the same (I8)", async () => {
  const graph = new StateGraph(Notes)
    .addNode("careless", () => {
      try {
        return { notes: [interrupt<string, string>("sure?")] };
      } catch {
        return { notes: ["went on"] };
      }
    })
    .addEdge(START, "careless")
    .compile({ checkpointer: new FakeSaver() });
  const waiting = await graph.invoke({ topic: "x" }, thread);
  expect(waiting).toMatchObject({ notes: [], [INTERRUPT]: [{ value: "sure?" }] });
  expect((await graph.invoke(new Command({ resume: "yes" }), thread)).notes).toEqual(["yes"]);
});

test("nothing to resume, no saver, no thread, no input: each is said", async () => {
  const builder = new StateGraph(Notes).addNode("a", () => ({ notes: ["a"] })).addEdge(START, "a");
  const stored = builder.compile({ checkpointer: new FakeSaver() });
  await expect(stored.invoke(new Command({ resume: 1 }), thread)).rejects.toSatisfy(
    fails("NOTHING_TO_RESUME"),
  );
  await stored.invoke({ topic: "x" }, thread);
  await expect(stored.invoke(new Command({ resume: 1 }), thread)).rejects.toSatisfy(
    fails("NOTHING_TO_RESUME"),
  );
  await expect(stored.invoke({ topic: "x" })).rejects.toSatisfy(fails("MISSING_THREAD_ID"));
  const plain = builder.compile();
  await expect(plain.invoke(new Command({ resume: 1 }))).rejects.toSatisfy(fails("MISSING_CHECKPOINTER"));
  await expect(plain.invoke(null)).rejects.toSatisfy(fails("EMPTY_INPUT"));
  await expect(plain.getState(thread)).rejects.toSatisfy(fails("MISSING_CHECKPOINTER"));
  await expect(
    stored.updateState({ configurable: { ...thread.configurable, checkpoint_id: "no" } }, {}),
  ).rejects.toSatisfy(fails("UNKNOWN_CHECKPOINT"));
});

test("an answer that a failed attempt takes late is there for the next one", async () => {
  let attempts = 0;
  let late = Promise.resolve("");
  let goOn: (() => void) | undefined;
  const graph = new StateGraph(Notes)
    .addNode(
      "ask",
      async (_state, config) => {
        attempts += 1;
        if (attempts === 2) {
          const next = new Promise<void>((resolve) => (goOn = resolve));
          late = next.then(() => config.interrupt?.("sure?") as string);
          throw new Error("first");
        }
        goOn?.();
        return { notes: [await late, interrupt<string, string>("sure?")] };
      },
      { retryPolicy: { initialInterval: 1, jitter: false, logWarning: false } },
    )
    .addEdge(START, "ask")
    .compile({ checkpointer: new FakeSaver() });
  await graph.invoke({ topic: "x" }, thread);
  expect(await graph.invoke(new Command({ resume: "yes" }), thread)).toEqual({
    topic: "x",
    notes: ["yes", "yes"],
  });
  expect(attempts).toBe(3);
});
