import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { InMemoryStore } from "@skein/checkpointer/store";
import { describe, expect, it } from "vitest";
import { createAgent, SessionManager } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { code, inMemory, managers, twice } from "./session-places.ts";

describe("what a SessionManager is given", () => {
  it("a number for the thread of a session with such an id is that thread", async () => {
    const here = inMemory();
    const { a } = managers(twice(here));
    await a.create({ userId: "ada", id: "42" });
    const agent = createAgent({
      model: new ScriptedModel("hi"),
      checkpointer: here.saver,
      middleware: [a.middleware()],
    });
    const { messages } = await agent.invoke({ messages: "x" }, { configurable: { thread_id: 42 } });
    expect(messages.map(({ text }) => text)).toEqual(["x", "hi"]);
    const other = agent.invoke({ messages: "x" }, { configurable: { thread_id: 43 } });
    await expect(other).rejects.toEqual(code("UNKNOWN_SESSION"));
    const { values } = await agent.getState({ configurable: { thread_id: "43" } });
    expect(values.messages ?? []).toEqual([]);
  });

  it.each([[5], [0], [true], [{ a: 1 }], [["x"]], [new HumanMessage("k")], [() => "x"]])(
    "a bootstrap hook that returns no text is refused, and nothing is stored: %j",
    async (knowledge) => {
      const { a } = managers(twice(inMemory()), { bootstrap: () => knowledge as never });
      await expect(a.create({ userId: "ada", id: "s" })).rejects.toEqual(code("INVALID_CONFIGURATION"));
      expect(await a.get("s")).toBeUndefined();
      expect((await a.list()).sessions).toEqual([]);
    },
  );

  it.each([[null], [undefined], [""], ["likes tea"]])("and one that returns %j is not", async (knowledge) => {
    const { a } = managers(twice(inMemory()), { bootstrap: () => knowledge as never });
    expect((await a.create({ userId: "ada" })).knowledge).toBe(knowledge ?? undefined);
  });

  it.each([
    ["NaN", { a: Number.NaN }],
    ["Infinity", { a: Number.POSITIVE_INFINITY }],
    ["a list", []],
    ["a list of texts", ["a"]],
    ["a map", new Map([["a", 1]])],
    ["a date", new Date(0)],
  ])("metadata that no store keeps are refused: %s", async (_, metadata) => {
    const { a } = managers(twice(inMemory()));
    const refused = code("INVALID_INPUT");
    await expect(a.create({ userId: "ada", metadata: metadata as never })).rejects.toEqual(refused);
    await expect(a.list({ metadata: metadata as never })).rejects.toEqual(refused);
    expect((await a.list()).sessions).toEqual([]);
  });

  it("a store or saver that is none, or each in the other's place, is refused at once", () => {
    const [store, saver] = [new InMemoryStore(), new MemorySaver()];
    for (const given of [
      { store: {}, saver },
      { store, saver: {} },
      { store: saver, saver: store },
    ])
      expect(() => new SessionManager(given as never)).toThrow(code("INVALID_CONFIGURATION"));
  });
});
