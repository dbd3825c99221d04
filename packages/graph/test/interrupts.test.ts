import { setImmediate as turn } from "node:timers/promises";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
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
import { describe, expect, test } from "vitest";
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

const asks = async (name: string) => `${name}: ${interrupt<string, string>(name)}`;

const asking = (name: string) =>
  new StateGraph(Notes)
    .addNode("ask", async () => ask(name)())
    .addEdge(START, "ask")
    .compile({ checkpointer: true });

test.each(SAVERS_AND_FAKE)(
  "of two questions that a node asks at once the first is shown, and the answer is for it (%s)",
  async (_name, saver) => {
    const graph = new StateGraph(Notes)
      .addNode("ask", async () => ({ notes: await Promise.all([asks("one?"), asks("two?")]) }))
      .addEdge(START, "ask")
      .compile({ checkpointer: saver() });
    const open = async () => (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts);
    const one = await graph.invoke({ topic: "x" }, thread);
    expect(isInterrupted(one) && one[INTERRUPT]).toMatchObject([{ value: "one?" }]);
    expect(await open()).toMatchObject([{ value: "one?" }]);
    const two = await graph.invoke(new Command({ resume: "1" }), thread);
    expect(isInterrupted(two) && two[INTERRUPT]).toMatchObject([{ value: "two?" }]);
    expect(await open()).toMatchObject([{ value: "two?" }]);
    const end = await graph.invoke(new Command({ resume: "2" }), thread);
    expect(end.notes).toEqual(["one?: 1", "two?: 2"]);
  },
);

test.each(SAVERS_AND_FAKE)(
  "of two graphs that a node calls at once, the question that is shown first can be answered first (%s)",
  async (_name, saver) => {
    const graphs = [asking("one?"), asking("two?")];
    const graph = new StateGraph(Notes)
      .addNode("both", async (_state, config) => {
        const ended = await Promise.all(graphs.map((each) => each.invoke({ topic: "y" }, config)));
        return { notes: ended.flatMap(({ notes }) => notes) };
      })
      .addEdge(START, "both")
      .compile({ checkpointer: saver() });
    const asked = await graph.invoke({ topic: "x" }, thread);
    const open = isInterrupted(asked) ? asked[INTERRUPT] : [];
    const [first] = open;
    expect((await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts)).toEqual(open);
    const again = await graph.invoke(new Command({ resume: { [String(first?.id)]: "1" } }), thread);
    const [second] = isInterrupted(again) ? again[INTERRUPT] : [];
    // on a saver that takes its time either graph may be the first to ask
    const answers = new Map<unknown, string>([
      [first?.value, "1"],
      [second?.value, "2"],
    ]);
    const end = await graph.invoke(new Command({ resume: { [String(second?.id)]: "2" } }), thread);
    expect(end.notes).toEqual(["one?", "two?"].map((question) => `${question}: ${answers.get(question)}`));
  },
);

describe.each(SAVERS_AND_FAKE)("of several questions within a graph (%s)", (_name, saver) => {
  const inner = new StateGraph(Notes)
    .addNode("one", ask("one?"))
    .addNode("two", ask("two?"))
    .addEdge(START, "one")
    .addEdge(START, "two")
    .compile();
  const outer = (node: typeof inner | ((state: { topic: string }) => Promise<object>)) =>
    new StateGraph(Notes)
      .addNode("inner", node as typeof inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: saver() });
  const kinds = [
    ["that is a node", () => outer(inner)],
    ["that a node calls", () => outer(({ topic }) => inner.invoke({ topic }))],
  ] as const;
  const durabilities = ["sync", "async", "exit"] as const;

  test.each(
    kinds.flatMap(([kind, make]) => durabilities.map((durability) => [kind, durability, make] as const)),
  )("%s, the one that is shown last can be answered first (%s)", async (_kind, durability, make) => {
    const graph = make();
    const options = { ...thread, durability };
    const asked = await graph.invoke({ topic: "x" }, options);
    const open = isInterrupted(asked) ? asked[INTERRUPT] : [];
    expect(open).toMatchObject([{ value: "one?" }, { value: "two?" }]);
    expect((await graph.getState(thread)).tasks[0]?.interrupts).toEqual(open);
    // whoever answers without an id is asked which one is meant
    await expect(graph.invoke(new Command({ resume: "any" }), options)).rejects.toMatchObject({
      code: "AMBIGUOUS_RESUME",
      details: { ids: open.map(({ id }) => id) },
    });
    const again = await graph.invoke(new Command({ resume: { [open[1]?.id ?? ""]: "2" } }), options);
    expect(isInterrupted(again) && again[INTERRUPT]).toEqual([open[0]]);
    expect((await graph.getState(thread)).tasks[0]?.interrupts).toEqual([open[0]]);
    const end = await graph.invoke(new Command({ resume: "1" }), options);
    expect(end.notes).toEqual(["one?: 1", "two?: 2"]);
  });
});

const retried = new StateGraph(Notes).addNode("ask", ask("?")).addEdge(START, "ask").compile();
test.each([
  ["a node", () => new StateGraph(Notes).addNode("inner", retried.withRetry({ stopAfterAttempt: 2 }))],
  [
    "called by a node",
    () =>
      new StateGraph(Notes).addNode("inner", (state) =>
        retried.withRetry({ stopAfterAttempt: 2 }).invoke(state),
      ),
  ],
] as const)("a graph within LangChain's withRetry asks once: %s", async (_name, make) => {
  const graph = make().addEdge(START, "inner").compile({ checkpointer: new MemorySaver() });
  const asked = await graph.invoke({ topic: "x" }, thread);
  expect(isInterrupted(asked) && asked[INTERRUPT]).toMatchObject([{ value: "?" }]);
  const end = await graph.invoke(new Command({ resume: "yes" }), thread);
  expect(end.notes).toEqual(["?: yes"]);
});

class SlowSaver extends MemorySaver {
  override async putWrites(...writes: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await super.putWrites(...writes);
  }
}

test("sync: what a finished task wrote is shown before the state in which its sibling waits, however slow the saver", async () => {
  const graph = new StateGraph(Notes)
    .addNode("done", async () => ({ notes: ["done"] }))
    .addNode("waits", async () => ask("waits")())
    .addEdge(START, "done")
    .addEdge(START, "waits")
    .compile({ checkpointer: new SlowSaver() });
  const modes: string[] = [];
  for await (const [mode, chunk] of await graph.stream(
    { topic: "x" },
    { ...thread, streamMode: ["values", "updates"], durability: "sync" },
  )) {
    modes.push(`${mode} ${Object.keys(chunk).join()}`);
  }
  expect(modes.slice(-2)).toEqual(["updates done", "values topic,notes"]);
});
