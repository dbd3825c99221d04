import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  Annotation,
  ArchiveChannel,
  type BaseChannel,
  channelField,
  Command,
  END,
  GraphError,
  interrupt,
  type Merged,
  type Messages,
  MessagesAnnotation,
  MessagesChannel,
  Overwrite,
  REMOVE_ALL_MESSAGES,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { FakeSaver } from "./support/fake-change-sets.ts";

const Notes = Annotation.Root({
  topic: Annotation<string>,
  notes: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const thread = (id = "1") => ({ configurable: { thread_id: id } });

test("a step of one task is one commit, and nothing else", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, thread());
  expect(saver.calls).toEqual(["open", "commit", "commit", "commit"]);
  const [input, start, step] = saver.changes;
  // the last one gives the thread back
  expect(saver.changes.map(({ release }) => release)).toEqual([false, false, true]);
  expect(input?.checkpoint.metadata).toEqual({ source: "input", step: -1, parents: {} });
  expect([...(start?.channels.keys() ?? [])].toSorted()).toEqual(["__start__", "branch:to:a", "topic"]);
  // I3: what did not change is not written again
  expect([...(step?.channels.keys() ?? [])].toSorted()).toEqual(["branch:to:a", "notes"]);
  expect(step?.writes.map(({ writes }) => writes)).toEqual([[["notes", ["a"]]]]);
});

test("a list is handed over as what was added to it (I7)", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("reply", (state) => ({ messages: new AIMessage(`${state.messages.length}`) }))
    .addEdge(START, "reply")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < 5; turn += 1) await graph.invoke({ messages: `turn ${turn}` }, thread());
  const last = saver.changes.at(-1)?.channels.get("messages");
  expect(last).toMatchObject({ op: "list", segments: [{ keep: [0, 9] }, { add: [{ content: "9" }] }] });
});

test("the object in a task's write is the object in the list (C3)", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("reply", () => ({ messages: [{ role: "assistant", content: "hi" }] }))
    .addEdge(START, "reply")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [] }, thread());
  const change = saver.changes.at(-1);
  const list = change?.channels.get("messages");
  const added = list?.op === "list" ? list.segments.flatMap((s) => ("add" in s ? s.add : [])) : [];
  expect(added).toHaveLength(1);
  const written = change?.writes[0]?.writes[0]?.[1] as unknown[] | undefined;
  expect(written?.[0]).toBe(added[0]);
});

test("replacing and removing keep the rest by reference", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("edit", () => ({
      messages: [new HumanMessage({ id: "2", content: "two!" }), new RemoveMessage({ id: "4" })],
    }))
    .addEdge(START, "edit")
    .compile({ checkpointer: saver });
  const messages = ["1", "2", "3", "4", "5"].map((id) => new HumanMessage({ id, content: id }));
  const state = await graph.invoke({ messages }, thread());
  expect(state.messages.map((m) => m.content)).toEqual(["1", "two!", "3", "5"]);
  expect(saver.changes.at(-1)?.channels.get("messages")).toMatchObject({
    op: "list",
    segments: [{ keep: [0, 1] }, { add: [{ content: "two!" }] }, { keep: [2, 3] }, { keep: [4, 5] }],
  });
  expect((await graph.getState(thread())).values["messages"]).toHaveLength(4);
});

test("the stored list is the list, whatever reducers and overwrites do to it", async () => {
  const saver = new FakeSaver();
  const State = new StateSchema({
    list: new ReducedValue(z.array(z.object({ n: z.number() })).default([]), {
      inputSchema: z.custom<{ n: number }[]>(),
      reducer: (a, b) => [...b, ...a.filter((x) => x.n % 2 === 0)],
    }),
  });
  const graph = new StateGraph(State)
    .addNode("a", (s) => ({ list: [{ n: s.list.length }, { n: 2 }] }))
    .addNode("b", () => ({ list: new Overwrite([{ n: 7 }]) }))
    .addNode("c", () => ({ list: [{ n: 9 }] }))
    .addSequence({ d: () => ({ list: [] }), e: () => ({ list: [{ n: 4 }] }) })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", "d")
    .compile({ checkpointer: saver });
  const result = await graph.invoke({ list: [{ n: 2 }, { n: 3 }] }, thread());
  expect((await graph.getState(thread())).values["list"]).toEqual(result.list);
});

test("a second run on a thread is refused before it runs a node", async () => {
  const saver = new FakeSaver();
  let ran = 0;
  const gate = gateway();
  const graph = new StateGraph(Notes)
    .addNode("wait", async () => {
      ran += 1;
      await gate.promise;
      return {};
    })
    .addEdge(START, "wait")
    .compile({ checkpointer: saver });
  const first = graph.invoke({ topic: "x" }, thread());
  await expect(graph.invoke({ topic: "y" }, thread())).rejects.toSatisfy((e) =>
    GraphError.is(e, "THREAD_CONFLICT"),
  );
  gate.resolve();
  await first;
  expect(ran).toBe(1);
  await graph.invoke({ topic: "z" }, thread());
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
  await expect(graph.invoke({ topic: "x" }, thread())).rejects.toThrow(TypeError);
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
  await expect(graph.invoke({ topic: "x" }, thread())).rejects.toThrow("boom");
  expect(saver.calls).toContain("record 1");
  expect((await graph.getState(thread())).next).toEqual(["bad"]);
  const state = await graph.invoke(null, thread());
  // I2: task order, not the order in which they finished
  expect(state.notes).toEqual(["bad", "good"]);
  expect(runs).toEqual({ good: 1, bad: 2 });
});

test("durability exit stores once, at the end", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addSequence({ a: () => ({ notes: ["a"] }), b: () => ({ notes: ["b"] }) })
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, { ...thread(), durability: "exit" });
  await graph.invoke({ topic: "y" }, { ...thread(), durability: "exit" });
  expect(saver.calls.filter((call) => call === "commit")).toHaveLength(2);
  const state = await graph.getState(thread());
  expect(state.values).toEqual({ topic: "y", notes: ["a", "b", "a", "b"] });
  expect(state.next).toEqual([]);
});

test("durability exit keeps what waits", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("ask", () => ({ notes: [interrupt<string, string>("name?")] }))
    .addNode("side", () => ({ notes: ["side"] }))
    .addEdge(START, "ask")
    .addEdge(START, "side")
    .compile({ checkpointer: saver });
  const config = { ...thread(), durability: "exit" as const };
  const waiting = await graph.invoke({ topic: "x" }, config);
  expect(waiting).toMatchObject({ notes: ["side"], __interrupt__: [{ value: "name?" }] });
  expect((await graph.invoke(new Command({ resume: "Ada" }), config)).notes).toEqual(["Ada", "side"]);
});

test("a resumed thread loads the channels that its steps touch (I7)", async () => {
  const saver = new FakeSaver();
  const Small = Annotation.Root({ topic: Annotation<string> });
  const State = Annotation.Root({
    topic: Annotation<string>,
    large: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  });
  const graph = new StateGraph({ state: State, output: Small })
    .addNode("a", (state: { topic: string }) => ({ topic: `${state.topic}!` }), {
      input: Small,
      ends: ["b"],
    })
    .addNode("b", () => ({ large: ["b"] }), { input: Small })
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.updateState(thread(), { topic: "t", large: ["first"] }, "a");
  saver.loaded.length = 0;
  expect(await graph.invoke({ topic: "x" }, thread())).toEqual({ topic: "x!" });
  expect(saver.loaded).not.toContain("large");
  // a step that writes it does load it
  await graph.updateState(thread(), { large: ["second"] }, "b");
  expect(saver.loaded).toContain("large");
  expect((await graph.getState(thread())).values).toEqual({ topic: "x!", large: ["first", "second"] });
});

test("a thread that cannot be read is given back", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addNode("b", () => ({ notes: ["b"] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: saver, interruptBefore: ["b"] });
  await graph.invoke({ notes: ["in"] }, thread());
  for (const channel of ["branch:to:b", "notes"]) {
    saver.corrupt = channel;
    await expect(graph.invoke(null, thread())).rejects.toMatchObject({ code: "STORAGE_CORRUPT" });
  }
  saver.corrupt = undefined;
  expect((await graph.invoke(null, thread())).notes).toEqual(["in", "a", "b"]);
});

test("a commit that fails is thrown, and the thread stands where it stood", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, thread());
  saver.failCommit = true;
  await expect(graph.invoke({ topic: "y" }, thread())).rejects.toSatisfy((e) =>
    GraphError.is(e, "STORAGE_UNAVAILABLE"),
  );
  saver.failCommit = false;
  expect((await graph.getState(thread())).values).toEqual({ topic: "x", notes: ["a"] });
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
  await expect(graph.invoke({ topic: "x" }, thread())).rejects.toThrow("crash");
  fail = false;
  expect((await graph.invoke(null, thread())).notes).toEqual(["w1", "w2"]);
});

class Echoing extends MessagesChannel {
  #echo: { add: unknown }[] = [];
  override get echo(): string {
    return "all";
  }
  override fromCheckpoint(stored?: never): this {
    const channel = new Echoing();
    channel.restore(stored);
    return channel as this;
  }
  protected override applied(merged: Merged): void {
    for (const add of merged.added) this.#echo.push({ add });
  }
  override takeEcho(): { add: unknown }[] {
    const echo = this.#echo;
    this.#echo = [];
    return echo;
  }
}

function archived(): StateGraph<
  StateSchema<{ messages: ReturnType<typeof messagesField>; all: ReturnType<typeof allField> }>
> {
  return new StateGraph(new StateSchema({ messages: messagesField(), all: allField() }));
}
const messagesField = () => channelField<AIMessage[], Messages>(() => new Echoing() as BaseChannel);
const allField = () =>
  channelField<AIMessage[], never>(
    () => new ArchiveChannel({ lane: "messages", writeInstead: "Write to messages." }) as BaseChannel,
  );

test("an archive gets the echo of another channel, unloaded, and is read when asked for", async () => {
  const saver = new FakeSaver();
  const graph = archived()
    .addNode("reply", (state) => ({ messages: [new AIMessage(`${state.messages.length}`)] }))
    .addNode("clear", () => ({ messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })] }))
    .addEdge(START, "reply")
    .addEdge("reply", "clear")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < 3; turn += 1) {
    const output = await graph.invoke({ messages: [`turn ${turn}`] }, thread());
    expect(Object.keys(output)).toEqual(["messages"]);
  }
  expect(saver.logsLoaded).toBe(0);
  const { values } = await graph.getState(thread());
  expect((values["all"] as AIMessage[]).map((m) => m.content)).toEqual([
    "turn 0",
    "1",
    "turn 1",
    "1",
    "turn 2",
    "1",
  ]);
  expect(saver.logsLoaded).toBe(1);
  expect((await graph.getState(thread(), { archive: false })).values).toEqual({ messages: [] });
  const page = await graph.history(thread(), { limit: 2 });
  expect((page.elements as AIMessage[]).map((m) => m.content)).toEqual(["turn 2", "1"]);
  const before = await graph.history(thread(), { limit: 10, before: page.before });
  expect(before.elements).toHaveLength(4);
  expect(before.before).toBeUndefined();
});

test("nobody writes an archive directly", async () => {
  const saver = new FakeSaver();
  const graph = archived()
    .addNode("forge", () => ({ all: [new AIMessage("forged")] }) as never)
    .addEdge(START, "forge")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ messages: "x" }, thread())).rejects.toThrow("Write to messages.");
  await expect(graph.updateState(thread(), { all: [] }, "forge")).rejects.toThrow("Write to messages.");
});

test("a node that names the archive gets it, and outputKeys brings it out", async () => {
  const saver = new FakeSaver();
  const graph = archived()
    .addNode("count", (state: { all: unknown[] }) => ({ messages: [new AIMessage(`${state.all.length}`)] }), {
      input: new StateSchema({ all: allField() }),
    })
    .addEdge(START, "count")
    .addEdge("count", END)
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: "a" }, thread());
  const output = (await graph.invoke(
    { messages: "b" },
    { ...thread(), outputKeys: ["messages", "all"] },
  )) as {
    messages: AIMessage[];
    all: AIMessage[];
  };
  expect(output.messages.map((m) => m.content)).toEqual(["a", "1", "b", "3"]);
  expect(output.all).toEqual(output.messages);
});

function gateway(): { promise: Promise<void>; resolve: () => void } {
  const gate: { promise: Promise<void>; resolve: () => void } = { promise: Promise.resolve(), resolve: noop };
  gate.promise = new Promise<void>((resolve) => (gate.resolve = resolve));
  return gate;
}
function noop(): void {}
