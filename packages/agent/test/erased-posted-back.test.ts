import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Overwrite, REMOVE_ALL_MESSAGES } from "@skein/graph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAgent, type ReactAgent } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const first = { role: "user", content: "my iban is DE44", id: "u1" };
const next = { role: "user", content: "next", id: "u2" };

const texts = (list: { text: string }[]): string[] => list.map(({ text }) => text);

describe.each(["memory", "SQLite"])("what was erased, posted back from outside, on %s (B9)", (name) => {
  let folder: string;
  let saver: MemorySaver | SqliteSaver;
  let agent: ReactAgent;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "skein-erased-"));
    saver = name === "memory" ? new MemorySaver() : SqliteSaver.fromConnString(join(folder, "t.db"));
    const model = new ScriptedModel(...Array.from({ length: 9 }, (_, i) => `answer ${i}`));
    agent = createAgent({ model, tools: [], checkpointer: saver }) as never;
  });
  afterEach(async () => {
    if ("close" in saver) await saver.close();
    rmSync(folder, { recursive: true });
  });

  const post = (...messages: unknown[]) => agent.invoke({ messages } as never, thread);
  async function tracks() {
    const { values } = await agent.getState(thread);
    return { context: texts(values["messages"] as never), history: texts(values.full_messages as never) };
  }
  /** Also in inputs, old states and files. */
  async function expectGone(secret: string): Promise<void> {
    const { context, history } = await tracks();
    expect([...context, ...history].join()).not.toContain(secret);
    expect((await saver.search(thread, secret)).hits).toEqual([]);
    for await (const stored of saver.list(thread)) expect(JSON.stringify(stored)).not.toContain(secret);
    const files = ["t.db", "t.db-wal"].map((file) => join(folder, file)).filter(existsSync);
    expect(files.map((file) => readFileSync(file, "latin1")).join("")).not.toContain(secret);
  }

  it("stays erased when the whole conversation is posted, and when it is posted by itself", async () => {
    await post(first);
    await agent.eraseMessage(thread, "u1");
    await post(first, next);
    expect((await tracks()).history).toEqual(["[erased]", "answer 0", "next", "answer 1"]);
    await post(first);
    await post(new HumanMessage({ ...first, additional_kwargs: { page: 2 } }), next);
    await agent.updateState(thread, { messages: [first] });
    await expectGone("DE44");
    expect((await tracks()).context).toEqual((await tracks()).history);
  });

  it("stays erased where the same write removes it or replaces the context", async () => {
    await post(first);
    await agent.eraseMessage(thread, "u1");
    await post(new RemoveMessage({ id: "u1" }), first, next);
    await post(new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), first, next);
    await agent.invoke({ messages: new Overwrite([first, next]) } as never, thread);
    await expectGone("DE44");
    await post(new RemoveMessage({ id: "u1" }));
    await post(first);
    await expectGone("DE44");
    expect((await tracks()).history[0]).toBe("[erased]");
  });

  it("texts that were erased from other messages stay erased; an edit around them is taken", async () => {
    await post(first);
    const pin = { role: "user", content: "QX4711 is it, QX4711", id: "u2" };
    await post(pin);
    await agent.eraseMessage(thread, "u1", { texts: ["QX4711"] });
    await post(first, pin, { role: "user", content: "more", id: "u3" });
    await post(pin);
    await expectGone("QX4711");
    await expectGone("DE44");
    expect((await tracks()).history[2]).toBe("[erased] is it, [erased]");
    await post({ ...pin, content: "forget it" });
    expect((await tracks()).history[2]).toBe("forget it");
  });

  it("keeps what a revision says that came after erasing", async () => {
    await post(first);
    await agent.eraseMessage(thread, "u1");
    await agent.reviseHistory(thread, { replace: [{ ...first, content: "an account" }] as never });
    await post(first);
    expect((await tracks()).history[0]).toBe("an account");
    await expectGone("DE44");
  });
});
