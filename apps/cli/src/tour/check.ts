import type { BaseMessage } from "@langchain/core/messages";
import { createTokenCounter, toRecorded } from "@skein/context";
import { folderAgent } from "../agent.ts";
import { EXIT } from "../errors.ts";
import { loadModel } from "../model/providers.ts";
import { openStore } from "../database.ts";
import { folderTools, openFolder } from "../tools/index.ts";
import { settle, type Accounts } from "./accounts.ts";
import { readJournal } from "./journal.ts";
import { readTask, tell } from "./protocol.ts";

/** What is read back of the thread. */
export interface ReadBack {
  /** Milliseconds from nothing open to ready for the next turn, modules loaded. */
  readonly resumeMs: number;
  readonly fullHistoryMs: number;
  readonly toolResults: number;
  readonly history: { readonly messages: number; readonly tokens: number; readonly bytes: number };
  readonly context: { readonly messages: number; readonly tokens: number };
}

/** What a process that has never seen the thread reads from the disk. */
export interface Check extends ReadBack {
  readonly accounts: Accounts;
  /** Rows of this thread in the database, in bytes. */
  readonly stored: number;
}

/** Reads the thread back in a process of its own and settles the journal against it. */
export async function tourCheck(): Promise<number> {
  const task = readTask();
  const model = await loadModel({ kind: "offline" });
  const tools = folderTools(await openFolder(task.dir));
  const config = { configurable: { thread_id: task.thread } };

  const started = performance.now();
  const store = await openStore(task.db, "write");
  const agent = folderAgent({
    model,
    offline: true,
    tools,
    saver: store.saver,
    preset: task.preset,
  });
  const state = await agent.getState(config, { archive: false });
  const resumeMs = performance.now() - started;

  const read = performance.now();
  const history = await store.history(task.thread);
  const fullHistoryMs = performance.now() - read;
  const counter = createTokenCounter();
  const context = state.values["messages"] as BaseMessage[];
  const check: Check = {
    accounts: settle(readJournal(task.journal), history),
    resumeMs,
    fullHistoryMs,
    toolResults: history.filter((message) => message.type === "tool").length,
    history: {
      messages: history.length,
      tokens: counter.messages(history),
      bytes: history.reduce(
        (sum, message) => sum + Buffer.byteLength(JSON.stringify(toRecorded(message))),
        0,
      ),
    },
    context: { messages: context.length, tokens: counter.messages(context) },
    stored: await store.bytesOf(task.thread),
  };
  await store.close();
  await tell({ type: "checked", check });
  process.disconnect?.();
  return EXIT.ok;
}
