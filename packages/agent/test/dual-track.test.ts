import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  interrupt,
  Overwrite,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  compactMessages,
  createAgent,
  createMiddleware,
  dualTrackMessages,
  fullMessages,
} from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { ScriptedModel } from "./scripted-model.ts";

const State = new StateSchema({ ...dualTrackMessages(), topic: z.string().optional() });
type Update = typeof State.Update;
type Values = { messages: BaseMessage[]; full_messages: BaseMessage[] };

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);
const human = (id: string, text = id): HumanMessage => new HumanMessage({ id, content: text });
const ai = (id: string, text = id): AIMessage => new AIMessage({ id, content: text });
const summary = (id = "s"): SystemMessage => new SystemMessage({ id, content: "summary" });
const markedSummary = (id = "s"): HumanMessage =>
  new HumanMessage({ id, content: "summary", additional_kwargs: { lc_source: "summarization" } });

describe.each(SAVERS)("dual-track messages on %s", (_, makeSaver) => {
  /** A graph whose only node returns what the test says. */
  function setup() {
    let next: Update | Command | (Update | Command)[] = {};
    const graph = new StateGraph(State)
      .addNode("node", () => next)
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile({ checkpointer: makeSaver() });
    return {
      graph,
      run: async (input: Update, returns: Update | Command | (Update | Command)[] = {}) => {
        next = returns;
        await graph.invoke(input, thread);
      },
      tracks: async (): Promise<Values> => (await graph.getState(thread)).values as unknown as Values,
    };
  }

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

  it("a compaction changes the context only, and the summary is in no history (B3)", async () => {
    const { run, tracks } = setup();
    await run(
      { messages: [human("a"), ai("b"), human("c")] },
      { messages: compactMessages({ remove: ["a", "b"], summary: summary() }) },
    );
    await run({ messages: human("d") }, { messages: [ai("e")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["summary", "c", "d", "e"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("a summary takes the place of the first message it speaks for, and of the summary before it", async () => {
    const { run, tracks } = setup();
    await run(
      { messages: [human("a"), ai("b"), human("c"), ai("d")] },
      { messages: compactMessages({ remove: ["b"], summary: summary("s1") }) },
    );
    expect((await tracks()).messages.map(({ id }) => id)).toEqual(["a", "s1", "c", "d"]);
    await run({}, { messages: compactMessages({ remove: ["s1", "c"], summary: summary("s2") }) });
    const { messages, full_messages } = await tracks();
    expect(messages.map(({ id }) => id)).toEqual(["a", "s2", "d"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "d"]);
  });

  it("what a compaction shortens is whole in the history; an edit of it later reaches both", async () => {
    const { run, tracks } = setup();
    await run(
      { messages: [human("a"), ai("b", "long text")] },
      {
        messages: compactMessages({
          replace: [ai("b", "short"), ai("gone", "passed over")],
          remove: ["unknown"],
        }),
      },
    );
    let values = await tracks();
    expect(texts(values.messages)).toEqual(["a", "short"]);
    expect(texts(values.full_messages)).toEqual(["a", "long text"]);
    await run({ messages: [ai("b", "edited")] });
    values = await tracks();
    expect(texts(values.messages)).toEqual(["a", "edited"]);
    expect(texts(values.full_messages)).toEqual(["a", "edited"]);
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

  it("who writes under a summary's id writes a message, which the history shows (B2)", async () => {
    const { run, tracks } = await compactedThread();
    await run({ messages: [human("s", "not what was summarized")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["not what was summarized", "c"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "not what was summarized"]);
  });

  it("a conversation posted back whole does not bring back what a summary covers", async () => {
    const { run, tracks, graph } = await compactedThread();
    await run({ messages: [human("a"), ai("b"), human("c"), human("d")] });
    await graph.updateState(thread, { messages: [human("a"), ai("b"), human("d"), human("e")] }, "node");
    const { messages, full_messages } = await tracks();
    expect(messages.map(({ id }) => id)).toEqual(["s", "c", "d", "e"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("messages with ids of their own are new, whatever stands beside them", async () => {
    const { run, tracks } = await compactedThread();
    await run({ messages: [human("new"), human("c")] });
    await run({ messages: [ai("b", "edited"), human("newer")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["summary", "c", "new", "edited", "newer"]);
    expect(texts(full_messages)).toEqual(["a", "edited", "c", "new", "newer"]);
  });

  it("an edit of a message that a summary covers revises the history in place; the model sees it as news", async () => {
    const { run, tracks } = await compactedThread();
    await run({ messages: [human("a", "edited")] });
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["summary", "c", "edited"]);
    expect(texts(full_messages)).toEqual(["edited", "b", "c"]);
  });

  it("a message that a summary covers can't be removed from the context again", async () => {
    const { run, tracks } = await compactedThread();
    await expect(run({ messages: [new RemoveMessage({ id: "a" })] })).rejects.toThrow(
      /no message with id "a"/u,
    );
    const { messages, full_messages } = await tracks();
    expect(texts(messages)).toEqual(["summary", "c"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c"]);
  });

  it("LangChain's way to summarise loses nothing when a node returns it", async () => {
    const { run, tracks } = setup();
    const kept = human("c");
    await run(
      { messages: [human("a"), ai("b"), kept] },
      { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), markedSummary(), kept, ai("new")] },
    );
    const { messages, full_messages } = await tracks();
    expect(messages.map(({ id }) => id)).toEqual(["s", "c", "new"]);
    expect(texts(full_messages)).toEqual(["a", "b", "c", "new"]);
  });

  it("a message that only looks like a summary is an ordinary one from outside, or without a remove-all", async () => {
    const { run, tracks, graph } = setup();
    await run({ messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), markedSummary("input")] });
    await graph.updateState(
      thread,
      { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), markedSummary("update")] },
      "node",
    );
    await run({}, { messages: [markedSummary("node")] });
    const { full_messages } = await tracks();
    expect(full_messages.map(({ id }) => id)).toEqual(["input", "update", "node"]);
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

  it.each([
    [
      "compactMessages",
      () => compactMessages({ remove: ["a", "b"], replace: [human("c", "short")], summary: summary() }),
    ],
    [
      "a summarising remove-all",
      () => [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), markedSummary(), human("c", "short")],
    ],
  ])("%s survives storage while a sibling waits", async (_what, write) => {
    const saver = makeSaver();
    const build = () =>
      new StateGraph(State)
        .addNode("compacts", () => ({ messages: write() as never }))
        .addNode("waits", () => ({ topic: interrupt("?") as string }))
        .addEdge(START, "compacts")
        .addEdge(START, "waits")
        .compile({ checkpointer: saver });
    await build().invoke({ messages: [human("a"), ai("b"), human("c")] }, thread);
    const output = await build().invoke(new Command({ resume: "whales" }), thread);
    expect(output.topic).toBe("whales");
    expect(texts(output.messages)).toEqual(["summary", "short"]);
    const { full_messages } = (await build().getState(thread)).values as unknown as Values;
    expect(texts(full_messages).slice(0, 2)).toEqual(["a", "b"]);
    expect(full_messages.map(({ id }) => id)).toEqual(["a", "b", "c"]);
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

describe("fullMessages", () => {
  it("is full_messages where that is complete", () => {
    const full = [human("a"), ai("b"), human("c")];
    expect(texts(fullMessages({ full_messages: full, messages: [markedSummary(), human("c")] }))).toEqual([
      "a",
      "b",
      "c",
    ]);
  });
  it("joins both where full_messages holds only what was taken out, as under LangGraph's engine", () => {
    const state = {
      full_messages: [human("a"), ai("b"), ai("d", "long")],
      messages: [markedSummary(), human("c"), ai("d", "short"), human("e")],
    };
    expect(texts(fullMessages(state))).toEqual(["a", "b", "c", "long", "e"]);
  });
  it("says where to get the history from when the state does not hold it", () => {
    expect(() => fullMessages({ messages: [] })).toThrow(/getState/u);
  });
});

describe("compactMessages", () => {
  it.each([
    ["a replacement without an id", { replace: [new AIMessage("x")] }],
    ["a replacement that is no message", { replace: [{ id: "a" } as never] }],
    ["one id removed and replaced", { remove: ["a"], replace: [ai("a")] }],
    ["a summary that is no message", { summary: "text" as never }],
  ])("refuses %s", (_, init) => {
    expect(() => compactMessages(init)).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
  });
});
