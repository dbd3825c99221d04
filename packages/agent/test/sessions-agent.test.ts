import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, SessionManager } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";
import { code, inMemory, managers, texts, twice } from "./session-places.ts";

describe("a session and its agent", () => {
  it("what the bootstrap hook knows ends the system prompt, the same in every turn", async () => {
    const here = inMemory();
    const asked: unknown[] = [];
    const { a } = managers(twice(here), {
      bootstrap: (beginning) => {
        asked.push(beginning);
        return `${beginning.userId} likes tea.`;
      },
    });
    const session = await a.create({ id: "s", userId: "ada", metadata: { channel: "web" } });
    const model = new ScriptedModel("one", "two");
    const agent = createAgent({
      model,
      systemPrompt: "Be brief.",
      checkpointer: here.saver,
      middleware: [a.middleware()],
    });
    await agent.invoke({ messages: "1" }, session.thread);
    await agent.invoke({ messages: "2" }, session.thread);
    expect(model.sent.map(([system]) => system?.text)).toEqual([
      "Be brief.\n\nada likes tea.",
      "Be brief.\n\nada likes tea.",
    ]);
    expect(asked).toEqual([{ id: "s", userId: "ada", tenant: undefined, metadata: { channel: "web" } }]);
  });

  it("begins without what is known when the hook throws, and says so", async () => {
    const failures: unknown[] = [];
    const { a } = managers(twice(inMemory()), {
      bootstrap: () => Promise.reject(new Error("down")),
      onFailure: (failure) => failures.push(failure),
    });
    expect((await a.create({ userId: "ada" })).knowledge).toBeUndefined();
    expect(failures).toMatchObject([{ hook: "bootstrap", error: { message: "down" } }]);
  });

  it("is begun once an id and user, and never for another user", async () => {
    const { a, b } = managers(twice(inMemory()));
    const made = await a.create({ id: "x", userId: "ada" });
    expect(await b.create({ id: "x", userId: "ada" })).toEqual(made);
    await expect(b.create({ id: "x", userId: "bob" })).rejects.toEqual(code("INVALID_INPUT"));
    await a.end("x");
    await expect(b.create({ id: "x", userId: "ada" })).rejects.toEqual(code("SESSION_ENDED"));
  });

  it("refuses what can not be", async () => {
    const { a } = managers(twice(inMemory()));
    for (const bad of [
      { userId: "" },
      { userId: "u", id: "" },
      { userId: "u", metadata: { x: [] as never } },
    ]) {
      await expect(a.create(bad)).rejects.toEqual(code("INVALID_INPUT"));
    }
    await expect(a.list({ limit: 0 })).rejects.toEqual(code("INVALID_INPUT"));
    await expect(a.end("nobody")).rejects.toEqual(code("UNKNOWN_SESSION"));
    await expect(a.touch("nobody")).rejects.toEqual(code("UNKNOWN_SESSION"));
    expect(() => new SessionManager({ ...inMemory(), idleMs: 0 })).toThrow(code("INVALID_CONFIGURATION"));
  });

  it("a thread that waits for an answer is handed over healed, and can not be resumed", async () => {
    const here = inMemory();
    const worked: string[] = [];
    const work = tool(async () => worked.push("worked") && "worked", {
      name: "work",
      description: "Works",
      schema: z.object({}),
    });
    const { a, taken } = managers(twice(here), { heal: (thread) => agent.heal(thread) });
    const agent = createAgent({
      model: new ScriptedModel(calls(["work", {}, "w"]), "never"),
      tools: [work],
      checkpointer: here.saver,
      middleware: [a.middleware()],
    });
    const { id, thread } = await a.create({ userId: "ada" });
    await agent.invoke({ messages: "go" }, { ...thread, interruptBefore: ["tools"] } as never);
    await a.touch(id);
    const other = managers(twice(here));
    expect(await other.a.end(id)).toMatchObject({ state: "ended" });
    await expect(agent.invoke(null, thread)).rejects.toEqual(code("SESSION_ENDED"));
    expect(worked).toEqual([]);
    // not healed by the manager without a heal hook; by this one it is, and it is handed over anew
    expect(await a.end(id)).toMatchObject({ state: "ended" });
    expect(taken.map(texts)).toEqual([["human: go", "ai: ", expect.stringMatching(/^tool: Cancelled/)]]);
    expect(taken[0]?.key).not.toBe(other.taken[0]?.key);
  });
});
