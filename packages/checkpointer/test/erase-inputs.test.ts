import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import * as langgraph from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import * as skein from "../../graph/src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { idOf } from "./turns.ts";

const PIN = "PIN q9931k";
const thread = { configurable: { thread_id: "t" } };
const ENGINES = { skein: skein as unknown as typeof langgraph, "@langchain/langgraph": langgraph };

/** What LangChain makes a message of, of which its id is not told. */
const INPUTS: Record<string, unknown> = {
  "a text": PIN,
  texts: [PIN],
  "a role and a text, as two messages": ["user", PIN],
  "a tuple": [["user", PIN]],
  "a tuple with blocks": [["human", [{ type: "text", text: PIN }]]],
  "an object with a role": [{ role: "user", content: PIN }],
  "an object alone": { type: "human", content: PIN },
  "an object with a role and blocks": [{ role: "user", content: [{ type: "text", text: PIN }] }],
  "an object with blocks of the standard": [{ role: "user", contentBlocks: [{ type: "text", text: PIN }] }],
  "a message with blocks": [new HumanMessage({ content: [{ type: "text", text: PIN }] })],
  "a constructor in JSON": [JSON.parse(JSON.stringify(new HumanMessage(PIN)))],
  "a constructor in JSON, with blocks": [
    JSON.parse(JSON.stringify(new HumanMessage({ content: [{ type: "text", text: PIN }] }))),
  ],
  "a call without text": [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", type: "function", function: { name: "pay", arguments: `{"with":"${PIN}"}` } }],
    },
  ],
};

const read = (file: string) => (existsSync(file) ? readFileSync(file, "latin1") : "");
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function open() {
  const folder = mkdtempSync(join(tmpdir(), "skein-erase-"));
  folders.push(folder);
  const path = join(folder, "t.db");
  return { saver: SqliteSaver.fromConnString(path), bytes: () => read(path) + read(`${path}-wal`) };
}

const idOfSaid = (messages: readonly BaseMessage[], said: string) =>
  messages.find((message) => JSON.stringify(message).includes(said))?.id as string;

describe.each(Object.entries(ENGINES))("eraseMessage after a run of %s (B9)", (_, engine) => {
  function chat(saver: SqliteSaver) {
    const { Annotation, END, MessagesAnnotation, START, StateGraph } = engine;
    const State = Annotation.Root({
      ...MessagesAnnotation.spec,
      topic: Annotation<string>(),
      tags: Annotation<string[]>(),
    });
    return new StateGraph(State)
      .addNode("answer", () => ({ messages: [new AIMessage("noted")] }))
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: saver });
  }

  it.each(Object.entries(INPUTS))("leaves no byte of it where the input was %s", async (_form, messages) => {
    const { saver, bytes } = open();
    const graph = chat(saver);
    const state = await graph.invoke({ messages } as never, thread);
    expect(bytes()).toContain("q9931k");
    await saver.eraseMessage(thread, idOfSaid(state.messages, "q9931k"));
    await saver.cleanUp();
    expect(bytes()).not.toContain("q9931k");
    // every step can still be read and gone on from
    for await (const { config } of graph.getStateHistory(thread)) await graph.getState(config);
    expect((await graph.invoke({ messages: ["more"] } as never, thread)).messages.at(-2)?.text).toBe("more");
    await saver.close();
  });

  it("leaves a short text alone that is no message, or another one", async () => {
    const { saver } = open();
    const { messages } = await chat(saver).invoke(
      { messages: ["ok", "fine", { role: "user", content: "thanks" }], topic: "ok", tags: ["ok"] } as never,
      thread,
    );
    await saver.eraseMessage(thread, idOfSaid(messages, "ok"));
    const stored: Record<string, unknown>[] = [];
    for await (const { checkpoint } of saver.list(thread)) stored.push(checkpoint.channel_values);
    expect(stored.flatMap(({ __start__: input }) => input ?? [])).toEqual([
      {
        messages: ["[erased]", "fine", { role: "user", content: "thanks" }],
        topic: "ok",
        tags: ["ok"],
      },
    ]);
    expect(stored[0]).toMatchObject({ topic: "ok", tags: ["ok"] });
    await saver.close();
  });

  it("reaches the states that were sent to nodes, and updates that replace", async () => {
    const { saver, bytes } = open();
    const { MessagesAnnotation, Overwrite, Send, START, StateGraph } = engine;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("replace", () => ({ messages: new Overwrite([PIN]) as never }))
      .addNode("echo", ({ messages }) => ({ messages }))
      .addEdge(START, "replace")
      .addConditionalEdges("replace", () => [new Send("echo", { messages: [["user", PIN]] })])
      .compile({ checkpointer: saver });
    const { messages } = await graph.invoke({ messages: ["hello"] } as never, thread);
    for (const { id } of messages.filter(({ text }) => text === PIN))
      await saver.eraseMessage(thread, id as string);
    await saver.cleanUp();
    expect(bytes()).toContain("hello");
    expect(bytes()).not.toContain("q9931k");
    await saver.close();
  });

  it.each([
    ["an object", { messages: PIN }],
    ["a list of keys", [["messages", [["user", PIN]]]]],
  ])("reaches a command whose update is %s", async (_form, update) => {
    const { saver, bytes } = open();
    const graph = chat(saver);
    await graph.invoke({ messages: ["hello"] } as never, thread);
    const { messages } = await graph.invoke(
      new engine.Command({ update: update as never, goto: "answer" }) as never,
      thread,
    );
    await saver.eraseMessage(thread, idOfSaid(messages, "q9931k"));
    await saver.cleanUp();
    expect(bytes()).toContain("hello");
    expect(bytes()).not.toContain("q9931k");
    await saver.close();
  });

  it("reaches an update from outside, and an input that is too long for a manifest", async () => {
    const { saver, bytes } = open();
    const graph = chat(saver);
    const topic = "a long topic ".repeat(100);
    const { messages } = await graph.invoke({ messages: PIN, topic } as never, thread);
    await graph.updateState(thread, { messages: [["user", "code q4711k"]] }, "answer");
    const { values } = await graph.getState(thread);
    await saver.eraseMessage(thread, idOfSaid(messages, "q9931k"));
    await saver.eraseMessage(thread, idOfSaid((values as { messages: BaseMessage[] }).messages, "q4711k"));
    await saver.cleanUp();
    expect(bytes()).toContain("a long topic");
    expect(bytes()).not.toMatch(/q9931k|q4711k/);
    await saver.close();
  });
});

it("eraseMessage reaches a graph whose state is its messages", async () => {
  const { saver, bytes } = open();
  const graph = new langgraph.MessageGraph()
    .addNode("answer", () => new AIMessage("noted"))
    .addEdge(langgraph.START, "answer")
    .compile({ checkpointer: saver });
  const messages = (await graph.invoke([PIN] as never, thread)) as unknown as BaseMessage[];
  await saver.eraseMessage(thread, idOfSaid(messages, "q9931k"));
  await saver.cleanUp();
  expect(bytes()).toContain("noted");
  expect(bytes()).not.toContain("q9931k");
  await saver.close();
});

it("eraseMessage reaches long inputs of which the later one is stored as what changed", async () => {
  const { saver, bytes } = open();
  const topic = "a long topic ".repeat(100);
  const messages = [new HumanMessage({ id: "1", content: PIN })];
  const states = [
    { __start__: { messages: "hello", topic } },
    { __start__: { messages: PIN, topic } },
    { __start__: { messages: [["user", PIN]], topic } },
    { __start__: { messages: "hello", topic }, messages },
  ];
  let config: RunnableConfig = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  for (const [n, channel_values] of states.entries()) {
    config = await saver.put(
      config,
      {
        v: 4,
        id: idOf(n),
        ts: "2026-01-01T00:00:00.000Z",
        channel_values,
        channel_versions: { __start__: n + 1, messages: n + 1 },
        versions_seen: {},
      },
      { source: "input", step: n, parents: {} },
      { __start__: n + 1, messages: n + 1 },
    );
  }
  let lines = "";
  for await (const line of saver.exportThread("t")) lines += line;
  expect(lines).toMatch(/"set":\{"messages":\[\["user","PIN q9931k"/);
  await saver.eraseMessage(thread, "1");
  await saver.cleanUp();
  expect(bytes()).toContain("hello");
  expect(bytes()).not.toContain("q9931k");
  await saver.close();
});
