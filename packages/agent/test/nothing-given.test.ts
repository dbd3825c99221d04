import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import {
  compactMessages,
  createAgent,
  dualTrackMessages,
  fullMessages,
  isAgentToken,
  providerStrategy,
  SessionManager,
  toolStrategy,
} from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;
const made = (...answers: string[]) =>
  createAgent({ model: new ScriptedModel(...answers), checkpointer: new MemorySaver() });
const model = new ScriptedModel();

/** As a program without types gives it. */
const untyped = (value: unknown): never => value as never;

describe.each([[undefined], [null]])("%s where something is needed has a code", (nothing) => {
  const none = untyped(nothing);
  const calls: [string, string, () => unknown][] = [
    ["createAgent", "INVALID_CONFIGURATION", () => createAgent(none)],
    ["toolStrategy", "INVALID_CONFIGURATION", () => toolStrategy(none)],
    ["providerStrategy", "INVALID_CONFIGURATION", () => providerStrategy(none)],
    ["new SessionManager", "INVALID_CONFIGURATION", () => new SessionManager(none)],
    ["compactMessages", "INVALID_MESSAGE", () => compactMessages(none)],
    ["fullMessages", "INVALID_INPUT", () => fullMessages(none)],
    ["importMessages, thread", "MISSING_THREAD_ID", () => made().importMessages(none, [])],
    ["importMessages", "INVALID_MESSAGE", () => made().importMessages(thread, none)],
    ["eraseMessage", "MISSING_THREAD_ID", () => made().eraseMessage(none, "a")],
    [
      "eraseMessage, a misspelt option",
      "INVALID_CONFIGURATION",
      () => made().eraseMessage(thread, "a", untyped({ text: ["4711"] })),
    ],
    ["revisions", "INVALID_MESSAGE", () => made().revisions(thread, none)],
    [
      "importMessages, a misspelt option",
      "INVALID_CONFIGURATION",
      () => made().importMessages(thread, [], untyped({ systemMessage: "external" })),
    ],
    [
      "onConflict that never ends",
      "INVALID_CONFIGURATION",
      () => made().invoke({ messages: "a" }, { ...thread, onConflict: { waitMs: Number.NaN } }),
    ],
    ["getState", "MISSING_THREAD_ID", () => made().getState(none)],
    ["updateState", "MISSING_THREAD_ID", () => made().updateState(none, {})],
  ];
  it.each(calls)("%s", async (_, expected, call) => {
    await expect(async () => call()).rejects.toEqual(code(expected));
  });
});

it("the guard of tokens knows nothing", () => {
  expect([undefined, null].map((nothing) => isAgentToken(nothing))).toEqual([false, false]);
});

it.each(["tools", "middleware"])("%s that are no list have a code", (option) => {
  expect(() => createAgent(untyped({ model, [option]: 5 }))).toThrow(code("INVALID_CONFIGURATION") as Error);
});

it("null for options that may be left out is as if they were", async () => {
  const none = untyped(null);
  const plain = createAgent({ model: new ScriptedModel("one", "two") });
  expect((await plain.withConfig(none).invoke({ messages: "a" }, none)).messages.at(-1)?.text).toBe("one");
  const nodes: string[] = [];
  for await (const chunk of await plain.stream({ messages: "b" }, none))
    nodes.push(...Object.keys(chunk as object));
  expect(nodes).toEqual(["model_request"]);
  const agent = made("three");
  expect((await agent.importMessages(thread, [{ role: "user", content: "c", id: "c" }], none)).added).toBe(1);
  expect((await agent.history(thread, none)).messages).toHaveLength(1);
  expect((await agent.eraseMessage(thread, "c", none)).threads).toEqual(["1"]);
  expect(Object.keys(dualTrackMessages(none))).toEqual(["messages", "full_messages"]);
});

/** What LangChain's events of a run are, without what differs from run to run. */
async function eventsOf(...options: [] | [{ version: "v2" }]): Promise<string[]> {
  const events: string[] = [];
  const agent = createAgent({ model: new ScriptedModel("hi") });
  for await (const { event, name } of agent.streamEvents({ messages: "x" }, ...options)) {
    events.push(`${event} ${name}`);
  }
  return events;
}

it("streamEvents without a version gives the events of version 2, as langchain's agents do", async () => {
  const events = await eventsOf();
  expect(events.length).toBeGreaterThan(4);
  expect(events).toEqual(await eventsOf({ version: "v2" }));
});
