import { RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  interrupt,
  Overwrite,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
} from "@skein/graph";
import { describe, expect, it } from "vitest";
import {
  compactMessages,
  createAgent,
  createMiddleware,
  dualTrackMessages,
  fullMessages,
} from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { ScriptedModel } from "./scripted-model.ts";
import {
  State,
  type Values,
  thread,
  human,
  ai,
  summary,
  markedSummary,
  oneNode,
} from "./dual-track-graph.ts";

const say = (resume: string, update: unknown): never => new Command({ resume, update } as never) as never;
const saysB = (): never => say("1", { messages: [{ role: "user", content: "b" }] });
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);

describe("fullMessages", () => {
  it("is full_messages where that is complete", () => {
    const full = [human("a"), ai("b"), human("c")];
    expect(texts(fullMessages({ full_messages: full, messages: [markedSummary(), human("c")] }))).toEqual([
      "a",
      "b",
      "c",
    ]);
  });
  it("joins both where full_messages holds only what was taken out and what stood before it, as under LangGraph's engine", () => {
    const state = {
      full_messages: [human("a"), ai("b"), human("c"), ai("d", "long")],
      messages: [markedSummary(), human("c"), ai("d", "short"), human("e"), human("a"), ai("f")],
    };
    expect(texts(fullMessages(state))).toEqual(["a", "b", "c", "long", "e", "f"]);
  });
  it("says where to get the history from when the state does not hold it", () => {
    expect(() => fullMessages({ messages: [] })).toThrow(/getState/u);
  });
});

describe.each(SAVERS)("dual-track messages on %s", (_, makeSaver) => {
  const setup = () => oneNode(makeSaver());

  it("one write reaches both tracks, from inputs, nodes, commands and updateState (B1, B2)", async () => {
    const { run, tracks, graph } = setup();
    await run({ messages: human("a") }, { messages: [ai("b"), ai("c")] });
    await run({ messages: [human("d")] }, new Command({ update: { messages: ai("e") } }));
    await graph.updateState(thread, { messages: [human("f")] }, "node");
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("is declared the same way in Annotation.Root", async () => {
    const Root = Annotation.Root({ ...dualTrackMessages(), topic: Annotation<string> });
    const graph = new StateGraph(Root)
      .addNode("node", () => ({ messages: [ai("b")] }))
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile({ checkpointer: makeSaver() });
    await graph.invoke({ messages: [human("a")] }, thread);
    const values = (await graph.getState(thread)).values as unknown as Values;
    expect(texts(values.full_messages)).toEqual(["a", "b"]);
  });

  it("the history is left out of outputs and streams unless it is named", async () => {
    const { graph } = setup();
    const output = await graph.invoke({ messages: [human("a")] }, thread);
    expect(Object.keys(output)).not.toContain("full_messages");
    for await (const chunk of await graph.stream(
      { messages: [human("b")] },
      { ...thread, streamMode: "values" },
    )) {
      expect(Object.keys(chunk as object)).not.toContain("full_messages");
    }
    const bare = await graph.getState(thread, { archive: false });
    expect(Object.keys(bare.values)).not.toContain("full_messages");
  });

  it("a replacement by id is made in place in both (B4)", async () => {
    const { run, tracks } = setup();
    await run({ messages: [human("a"), ai("b", "draft"), human("c")] }, { messages: [ai("b", "final")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["a", "final", "c"]);
    expect(texts(full_messages)).toEqual(["a", "final", "c"]);
  });

  it("RemoveMessage and remove-all hide from the context and erase nothing (B3)", async () => {
    const { run, tracks } = setup();
    await run(
      { messages: [human("a"), ai("b"), human("c")] },
      { messages: [new RemoveMessage({ id: "b" })] },
    );
    expect(texts((await tracks()).messages)).toEqual(["a", "c"]);
    await run({}, { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ai("d")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["d"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "d"]);
  });

  it("Overwrite replaces the context; what the history does not know is appended to it", async () => {
    const { run, tracks } = setup();
    await run({ messages: [human("a"), ai("b")] }, { messages: new Overwrite([ai("b"), ai("x")]) as never });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["b", "x"]);
    expect(texts(full_messages)).toEqual(["a", "b", "x"]);
  });

  it("a sibling's message is history even where an Overwrite of the same step wins in the context", async () => {
    const graph = new StateGraph(State)
      .addNode("says", () => ({ messages: [ai("said")] }))
      .addNode("overwrites", () => ({ messages: new Overwrite([ai("kept")]) as never }))
      .addEdge(START, "says")
      .addEdge(START, "overwrites")
      .compile({ checkpointer: makeSaver() });
    await graph.invoke({ messages: [human("a")] }, thread);
    const { messages, full_messages } = (await graph.getState(thread)).values as unknown as Values;
    expect(texts(messages)).toEqual(["kept"]);
    expect(texts(full_messages).toSorted()).toEqual(["a", "kept", "said"]);
  });

  it("what a command or an answer wrote before an Overwrite is history, too", async () => {
    const graph = new StateGraph(State)
      .addNode("asks", () => ({ messages: [ai(`${String(interrupt("1?"))}${String(interrupt("2?"))}`)] }))
      .addEdge(START, "asks")
      .compile({ checkpointer: makeSaver() });
    await graph.invoke({ messages: [human("a")] }, thread);
    await graph.invoke(say("1", { messages: [human("b")] }), thread);
    const update = [
      ["messages", new Overwrite([human("c")])],
      ["messages", [human("d")]],
    ];
    await graph.invoke(say("2", update), thread);
    const { messages, full_messages } = (await graph.getState(thread)).values as unknown as Values;
    expect(texts(messages)).toEqual(["c", "12"]);
    expect(texts(full_messages)).toEqual(["a", "b", "d", "c", "12"]);
  });

  it("what an answer brings is history once, also when it is sent again because its call failed", async () => {
    let fails = true;
    const graph = new StateGraph(State)
      .addNode("asks", () => {
        const said = String(interrupt("?"));
        if (fails) throw new Error("user: not yet");
        return { messages: [ai(said)] };
      })
      .addEdge(START, "asks")
      .compile({ checkpointer: makeSaver() });
    await graph.invoke({ messages: [human("a")] }, thread);
    await expect(graph.invoke(saysB(), thread)).rejects.toThrow("not yet");
    fails = false;
    await graph.invoke(saysB(), thread);
    const { messages, full_messages } = (await graph.getState(thread)).values as unknown as Values;
    expect([texts(messages), texts(full_messages)]).toEqual([
      ["a", "b", "1"],
      ["a", "b", "1"],
    ]);
  });

  /** A thread of which a and b are under the summary s. */
  async function compactedThread() {
    const one = setup();
    await one.run(
      { messages: [human("a"), ai("b"), human("c")] },
      { messages: compactMessages({ remove: ["a", "b"], summary: summary() }) },
    );
    return one;
  }

  it("messages with ids of their own are new, whatever stands beside them", async () => {
    const { run, tracks } = await compactedThread();
    await run({ messages: [human("new"), human("c")] });
    await run({ messages: [ai("b", "edited"), human("newer")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["summary", "c", "new", "edited", "newer"]);
    expect(texts(full_messages)).toEqual(["a", "edited", "c", "new", "newer"]);
  });

  it("JSON can neither remove, nor overwrite, nor compact (I10)", async () => {
    const { run, tracks, graph } = setup();
    await run({ messages: [human("a"), ai("b")] });
    const hostile: unknown[] = [
      [{ type: "remove", role: "remove", id: REMOVE_ALL_MESSAGES, content: "" }],
      { __overwrite__: [] },
      { remove: ["a", "b"], replace: [] },
      JSON.parse(JSON.stringify(compactMessages({ remove: ["a", "b"] }))),
    ];
    for (const messages of hostile) {
      await expect(graph.invoke({ messages } as never, thread)).rejects.toMatchObject({
        code: "INVALID_MESSAGE",
      });
    }
    expect(texts((await tracks()).messages)).toEqual(["a", "b"]);
  });

  it("nobody writes the history directly, and is told what to write", async () => {
    const { graph, run } = setup();
    await run({ messages: [human("a")] });
    const write = { full_messages: [] } as never;
    await expect(graph.invoke(write, thread)).rejects.toThrow(/full_messages.*Write to `messages`/u);
    await expect(graph.updateState(thread, write, "node")).rejects.toThrow(/Write to `messages`/u);
    await expect(run({}, write)).rejects.toThrow(/Write to `messages`/u);
  });

  it("a conversation posted back whole changes nothing", async () => {
    const { run, tracks, graph } = setup();
    await run({ messages: [human("a")] }, { messages: [ai("b")] });
    const before = await tracks();
    await run({ messages: [human("a"), ai("b"), human("c")] });
    const after = await tracks();
    expect(texts(after.full_messages)).toEqual(["a", "b", "c"]);
    const page = await graph.history(thread, { limit: 10 });
    expect(texts(page.elements as BaseMessage[])).toEqual(["a", "b", "c"]);
    expect(texts(before.full_messages)).toEqual(["a", "b"]);
  });

  it("the history is paged from its end", async () => {
    const { run, graph } = setup();
    for (let i = 0; i < 7; i += 1) await run({ messages: [human(`m${i}`)] });
    const last = await graph.history(thread, { limit: 3 });
    expect(texts(last.elements as BaseMessage[])).toEqual(["m4", "m5", "m6"]);
    const earlier = await graph.history(thread, {
      limit: 3,
      ...(last.before === undefined ? {} : { before: last.before }),
    });
    expect(texts(earlier.elements as BaseMessage[])).toEqual(["m1", "m2", "m3"]);
  });

  it("a resumed thread has the context exactly as it was saved (B6)", async () => {
    const saver = makeSaver();
    const build = () =>
      new StateGraph(State)
        .addNode("node", (state) =>
          state.messages.length > 3
            ? {
                messages: compactMessages({
                  remove: state.messages.slice(0, 3).map(({ id }) => id as string),
                  summary: summary(),
                }),
              }
            : {},
        )
        .addEdge(START, "node")
        .compile({ checkpointer: saver });
    await build().invoke({ messages: [human("a"), ai("b"), human("c"), ai("d")] }, thread);
    const graph = build();
    await graph.invoke({ messages: [human("e")] }, thread);
    // and a summary that was loaded, not made, is hidden like one
    await graph.updateState(thread, { messages: [new RemoveMessage({ id: "s" })] }, "node");
    const { messages, full_messages } = (await graph.getState(thread)).values as unknown as Values;
    expect(texts(messages)).toEqual(["d", "e"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("a branch sees the history up to where it left", async () => {
    const { run, graph, tracks } = setup();
    await run({ messages: [human("a")] });
    const fork = await graph.getState(thread);
    await run({ messages: [human("b")] });
    await graph.invoke({ messages: [human("c")] }, fork.config);
    expect(texts((await tracks()).full_messages)).toEqual(["a", "c"]);
  });

  it("a subgraph that shares messages writes through; its compaction is its own", async () => {
    const compacting = createMiddleware({
      name: "compacting",
      beforeModel: ({ messages }) =>
        messages.length > 2
          ? {
              messages: compactMessages({
                remove: messages.slice(0, -1).map(({ id }) => id as string),
                summary: summary(),
              }),
            }
          : undefined,
    });
    const model = new ScriptedModel("one", "two", "three");
    const child = createAgent({ model, middleware: [compacting] });
    const parent = new StateGraph(State)
      .addNode("child", child.graph as never)
      .addEdge(START, "child")
      .compile({ checkpointer: makeSaver() });
    for (const text of ["a", "b", "c"]) await parent.invoke({ messages: human(text) }, thread);
    const { messages, full_messages } = (await parent.getState(thread)).values as unknown as Values;
    expect(texts(model.sent[2] ?? [])).toEqual(["summary", "c"]);
    expect(texts(messages)).toEqual(["a", "one", "b", "two", "c", "three"]);
    expect(texts(full_messages)).toEqual(["a", "one", "b", "two", "c", "three"]);
  });
});
