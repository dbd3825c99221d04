import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { CHANGE_SETS, type Claim } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderAgent, type FolderAgent } from "../src/agent.ts";
import { approval } from "../src/chat/approval.ts";
import type { ChatEvent } from "../src/chat/events.ts";
import { Session } from "../src/chat/session.ts";
import { loadModel } from "../src/model/providers.ts";
import type { ChatSessions } from "../src/sessions.ts";
import { openSqlite, type Store } from "../src/store.ts";
import { folderTools } from "../src/tools/index.ts";
import { makeFolder, PROJECT } from "./folder.ts";

const config = { configurable: { thread_id: "t" } };
const QUESTION = "Which files are there?";
const NOTHING = "Nothing was sent";

const said = (messages: readonly BaseMessage[]) => messages.filter((one) => one.getType() === "human");

describe("a decision about a thread that somebody else runs (E4)", () => {
  let store: Store;
  let agent: FolderAgent;
  let session: Session;
  let events: ChatEvent[] = [];

  beforeEach(async () => {
    events = [];
    const dir = makeFolder(PROJECT);
    store = await openSqlite(`${makeFolder()}/t.db`, "write");
    const tools = folderTools({ root: dir });
    const middleware = [
      approval(
        "all",
        tools.map(({ name }) => name),
      ),
    ];
    const model = await loadModel({ kind: "offline" });
    agent = folderAgent({ model, offline: true, tools, saver: store.saver, preset: "none", middleware });
    const sessions = { isOver: async () => false } as unknown as ChatSessions;
    const show = (event: ChatEvent) => void events.push(event);
    const names = { db: "t.db", model: "offline", dir, thread: "t", newThreadId: () => "new" };
    session = new Session({ agent, store, sessions, show, ...names });
    await session.take(QUESTION);
  });
  afterEach(() => store.close());

  const of = <Type extends ChatEvent["type"]>(type: Type) =>
    events.filter((event): event is Extract<ChatEvent, { type: Type }> => event.type === type);
  const asked = () => of("approval").map(({ at, of: all }) => `${at} of ${all}`);

  /** Holds the thread as a program does that runs a turn, while something is typed. */
  async function whileHeld(typed: () => Promise<unknown>): Promise<void> {
    const sets = store.saver[CHANGE_SETS];
    const { claim } = await sets.open({ threadId: "t", namespace: "" }, { claim: "fail" });
    try {
      await typed();
    } finally {
      await sets.release(claim as Claim);
    }
  }
  async function answerAll(resume: unknown): Promise<void> {
    const { tasks } = await agent.getState(config, { archive: false });
    const id = tasks[0]?.interrupts[0]?.id as string;
    await agent.invoke(new Command({ resume: { [id]: resume } }), config);
  }

  it("is asked for again, from the first call on", async () => {
    const first = asked();
    expect(first[0]).toMatch(/^1 of [2-9]$/);
    const calls = Number(first[0]?.at(-1));
    for (let at = 1; at < calls; at += 1) await session.take("y");
    await whileHeld(() => session.take("y"));
    expect(of("error")).toMatchObject([{ message: expect.stringContaining(NOTHING) }]);
    expect([session.asks, asked().at(-1)]).toEqual([true, `1 of ${calls}`]);
    for (let at = 1; at <= calls; at += 1) await session.take("y");
    expect(of("tool-result")).toHaveLength(calls);
    expect(of("tool-result").every(({ failed }) => !failed)).toBe(true);
    expect(said(await store.history("t"))).toHaveLength(1);
  });

  it("is asked for again after a /resume that was refused", async () => {
    await whileHeld(() => session.take("/resume"));
    expect([session.asks, asked()]).toEqual([true, ["1 of 2", "1 of 2"]]);
  });

  it("is asked for again when the run was stopped before it began", async () => {
    await session.take("y");
    const last = session.take("y");
    expect(session.interrupt()).toBe(true);
    await last;
    expect(of("stopped")).toHaveLength(1);
    expect([session.asks, asked().at(-1)]).toEqual([true, "1 of 2"]);
    expect(of("tool-result")).toEqual([]);
  });

  it("is for what was asked, not for what waits by now", async () => {
    await session.take("y");
    await answerAll({ decisions: [{ type: "reject" }, { type: "reject" }] });
    await agent.invoke({ messages: "summarise README.md" }, config);
    await session.take("y");
    expect(of("error")).toHaveLength(1);
    expect(of("tool-result")).toEqual([]);
    expect(of("approval").at(-1)).toMatchObject({ name: "read_file", at: 1, of: 1 });
    await session.take("y");
    expect(of("tool-result")).toMatchObject([{ name: "read_file", failed: false }]);
  });

  it("is not asked for when somebody else has decided and runs the turn", async () => {
    await session.take("y");
    await answerAll({ decisions: [{ type: "reject" }, { type: "reject" }] });
    await whileHeld(() => session.take("y"));
    expect(of("info")).toMatchObject([{ text: expect.stringContaining("answered") }]);
    expect(session.asks).toBe(false);
  });

  it("is not asked for when somebody else has decided: it would be about other calls", async () => {
    await session.take("y");
    await answerAll({ decisions: [{ type: "reject" }, { type: "reject" }] });
    await session.take("y");
    expect(of("error")).toMatchObject([{ message: expect.stringContaining(NOTHING) }]);
    expect(session.asks).toBe(false);
    expect(of("tool-result")).toEqual([]);
    expect((await store.history("t")).at(-1)).toBeInstanceOf(AIMessage);
  });
});
