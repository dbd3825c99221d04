import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { InMemoryStore } from "@skein/checkpointer/store";
import { describe, expect, it } from "vitest";
import { createAgent, createMiddleware, SessionManager } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { code } from "./session-places.ts";

const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
] as const;

const at = (id: string) => ({ configurable: { thread_id: id } });

describe("a call that is refused", () => {
  it.each(SAVERS)("makes no thread, whatever ids are invented: %s", async (_name, make) => {
    const saver = make();
    const sessions = new SessionManager({ store: new InMemoryStore(), saver });
    const agent = createAgent({
      model: new ScriptedModel("Hi."),
      checkpointer: saver,
      middleware: [sessions.middleware()],
    });
    const input = { messages: "x" };
    const runs = [
      () => agent.invoke(input, at("forged")),
      () => agent.invoke(input, { ...at("forged"), onBusy: "queue" }),
      () => agent.invoke(input, { ...at("forged"), onBusy: "interrupt" }),
      async () => (await agent.stream(input, at("forged"))).next(),
      () => agent.streamEvents(input, { ...at("forged"), version: "v3" }),
    ];
    for (const run of runs) await expect(run()).rejects.toEqual(code("UNKNOWN_SESSION"));
    // undefined for a thread of which there is no row
    expect(await saver.storageReport("forged")).toBeUndefined();
    const { thread } = await sessions.create({ userId: "ada" });
    await agent.invoke(input, thread);
    expect(await saver.storageReport(thread.configurable.thread_id)).toBeDefined();
  });

  it.each(SAVERS)("nor does healing a thread that there is not: %s", async (_name, make) => {
    const saver = make();
    const agent = createAgent({ model: new ScriptedModel(), checkpointer: saver });
    expect(await agent.heal(at("forged"))).toEqual({ cancelled: [], partial: false });
    expect(await saver.storageReport("forged")).toBeUndefined();
  });

  it("is refused while it holds a new thread, too, that was closed since it was asked first", async () => {
    const saver = new MemorySaver();
    const isAsked = deferred();
    let asked = 0;
    const gate = createMiddleware({
      name: "gate",
      admit: async () => {
        asked += 1;
        if (asked === 1) return isAsked.resolve();
        throw new Error("closed meanwhile");
      },
    });
    const agent = createAgent({ model: new ScriptedModel("Hi."), checkpointer: saver, middleware: [gate] });
    const run = agent.invoke({ messages: "x" }, at("new"));
    await isAsked.done;
    await expect(run).rejects.toThrow("closed meanwhile");
    expect(await saver.getTuple(at("new"))).toBeUndefined();
  });
});
