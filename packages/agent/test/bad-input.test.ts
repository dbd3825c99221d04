import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { InMemoryStore } from "@skein/checkpointer/store";
import { describe, expect, it } from "vitest";
import { createAgent, fullMessages, isPartial, isRemoved, SessionManager } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const NONE = [null, 5, Number.NaN, "x", [], [null], Symbol("s"), 10n, () => 1, true];
const storage = { store: new InMemoryStore(), saver: new MemorySaver() };
const sessions = new SessionManager(storage);
const agent = (options: object): unknown =>
  createAgent({ model: new ScriptedModel("ok"), tools: [], ...(options as Record<never, never>) });
const thread = { configurable: { thread_id: "1" } };
const error = (code: string) => expect.objectContaining({ name: "GraphError", code }) as unknown as Error;

/** Options of agents that can't be meant; each is one wrong value. */
const AGENTS: readonly (readonly [string, unknown])[] = [
  ["responseFormat", [null]],
  ["responseFormat", Symbol("s")],
  ["streamTransformers", 5],
  ["streamTransformers", {}],
  ["systemPrompt", 10n],
  ["systemPrompt", Symbol("s")],
  ["includeAgentName", 10n],
  ["restore", 10n],
  ["version", 10n],
  ["maxIterations", {}],
  ["onBusy", {}],
  ["onStop", Symbol("s")],
];

/** Calls of sessions; the code of each error. */
const SESSIONS: readonly [string, string, () => unknown][] = [
  ["create without a user", "INVALID_CONFIGURATION", () => sessions.create(undefined as never)],
  ["create of an empty user", "INVALID_INPUT", () => sessions.create({ userId: "" })],
  [
    "a misspelt option of create",
    "INVALID_CONFIGURATION",
    () => sessions.create({ userId: "ada", metdata: {} } as never),
  ],
  ["list of a state that there is not", "INVALID_INPUT", () => sessions.list({ state: "closed" as never })],
  ["list of a limit that is a symbol", "INVALID_INPUT", () => sessions.list({ limit: Symbol("s") as never })],
  ["list behind a cursor of 5", "INVALID_INPUT", () => sessions.list({ cursor: 5 as never })],
  ["a misspelt option of list", "INVALID_CONFIGURATION", () => sessions.list({ user: "ada" } as never)],
  ...NONE.flatMap((none): [string, string, () => unknown][] => {
    const given = none as never;
    const name = typeof none === "object" ? JSON.stringify(none) : String(none);
    return [
      [`create(${name})`, "INVALID_CONFIGURATION", () => sessions.create(given)],
      [`list(${name})`, "INVALID_CONFIGURATION", () => sessions.list(given)],
      [`startSweeper(${name})`, "INVALID_CONFIGURATION", async () => sessions.startSweeper(given)],
      [`get(${name})`, "INVALID_INPUT", () => sessions.get(given === "x" ? ("" as never) : given)],
      [`new SessionManager(${name})`, "INVALID_CONFIGURATION", async () => new SessionManager(given)],
    ];
  }),
  [
    "a hook that is a text",
    "INVALID_CONFIGURATION",
    async () => new SessionManager({ ...storage, offload: "archive" as never }),
  ],
  [
    "a misspelt option of a manager",
    "INVALID_CONFIGURATION",
    async () => new SessionManager({ ...storage, idleMS: 5 } as never),
  ],
];

describe("what can't be meant has a code (issue 3, bad input)", () => {
  it.each(AGENTS)("%s of an agent", (option, value) => {
    expect(() => agent({ [option]: value })).toThrow(error("INVALID_CONFIGURATION"));
  });

  it.each(SESSIONS)("sessions: %s is %s", async (_, code, call) => {
    await expect(Promise.resolve().then(call)).rejects.toEqual(error(code));
  });

  it("guards take anything", () => {
    for (const none of [undefined, ...NONE]) {
      expect(isPartial(none as never)).toBe(false);
      expect(isRemoved(none as never)).toBe(false);
    }
  });

  it("a history that is none is said to be missing", () => {
    for (const full_messages of NONE.filter((none) => !Array.isArray(none)))
      expect(() => fullMessages({ messages: [], full_messages } as never)).toThrow(error("INVALID_INPUT"));
  });

  it("a signal that is none stops no stream with a TypeError, and null is no signal", async () => {
    const made = createAgent({ model: new ScriptedModel("ok"), tools: [], checkpointer: new MemorySaver() });
    const input = { messages: [new HumanMessage("hello")] };
    for (const signal of [5, "x", {}, Symbol("s")]) {
      const stream = async () => {
        for await (const _ of await made.stream(input, { ...thread, signal: signal as never }));
      };
      await expect(stream()).rejects.toEqual(error("INVALID_CONFIGURATION"));
    }
    let count = 0;
    for await (const _ of await made.stream(input, { ...thread, signal: null as never })) count += 1;
    expect(count).toBeGreaterThan(0);
  });
});
