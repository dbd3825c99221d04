import { AIMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, interrupt, REMOVE_ALL_MESSAGES, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { compactMessages } from "../src/index.ts";
import { SAVERS } from "./savers.ts";
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

const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);

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

describe.each(SAVERS)("dual-track messages on %s", (_, makeSaver) => {
  const setup = () => oneNode(makeSaver());

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
});
