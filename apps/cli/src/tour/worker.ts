import { randomUUID } from "node:crypto";
import { HumanMessage, isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { isCompaction } from "@skein/agent";
import { folderAgent, type FolderAgent } from "../agent.ts";
import { EXIT } from "../errors.ts";
import { loadModel } from "../model/providers.ts";
import { openStore } from "../database.ts";
import { folderTools, openFolder } from "../tools/index.ts";
import { openJournal, readJournal } from "./journal.ts";
import { readTask, tell, type WorkerTask } from "./protocol.ts";
import { writeScript } from "./script.ts";
import { Watch } from "./watch.ts";

/**
 * Asks one question after the other until the thread is long enough. A worker that finds an
 * unfinished run finishes it first: that is all that resuming takes.
 */
export async function tourWorker(): Promise<number> {
  const task = readTask();
  const folder = await openFolder(task.dir);
  const script = await writeScript(folder);
  const journal = openJournal(task.journal);
  const store = await openStore(task.db, "write");
  try {
    const before = await store.history(task.thread);
    const watch = new Watch(journal, task, before);
    acknowledgeFound(watch, task, before);
    const agent = folderAgent({
      model: await loadModel({ kind: "offline" }),
      offline: true,
      tools: folderTools(folder),
      saver: store.saver,
      preset: task.preset,
      middleware: [watch.middleware()],
      onCompaction: (event) => {
        if (event.type === "compaction-end") watch.compacted(event.coveredIds.length);
      },
    });
    await work(agent, task, watch, script, before);
    await tell({ type: "done", messages: watch.messages });
    return EXIT.ok;
  } finally {
    await store.close();
    journal.close();
    process.disconnect?.();
  }
}

/** What is on disk without having been acknowledged: the kill came in between. From here on it counts. */
function acknowledgeFound(watch: Watch, task: WorkerTask, history: readonly BaseMessage[]): void {
  const known = new Set(
    readJournal(task.journal).flatMap((entry) => (entry.type === "message" ? [entry.id] : [])),
  );
  for (const message of history) if (!known.has(message.id ?? "")) watch.acknowledge(message);
}

async function work(
  agent: FolderAgent,
  task: WorkerTask,
  watch: Watch,
  script: { question(turn: number): string },
  before: readonly BaseMessage[],
): Promise<void> {
  const config = { configurable: { thread_id: task.thread } };
  let turn = before.filter((message) => HumanMessage.isInstance(message)).length;
  const { next } = await agent.getState(config);
  if (next.length > 0) await run(agent, task, watch, undefined);
  while (watch.messages < task.messages) {
    await run(
      agent,
      task,
      watch,
      new HumanMessage({ id: `user-${turn}-${randomUUID()}`, content: script.question(turn) }),
    );
    turn += 1;
    await tell({ type: "progress", messages: watch.messages });
  }
}

/** One turn, or the rest of one. Everything that the stream reports is acknowledged at once. */
async function run(
  agent: FolderAgent,
  task: WorkerTask,
  watch: Watch,
  input: HumanMessage | undefined,
): Promise<void> {
  const stream = await agent.stream(input ? { messages: [input] } : null, {
    configurable: { thread_id: task.thread },
    streamMode: "updates",
    durability: "sync",
    recursionLimit: 100,
  });
  let pending = input;
  for await (const chunk of stream) {
    // The first report comes after the checkpoint that holds the input.
    if (pending) watch.acknowledge(pending);
    pending = undefined;
    for (const message of messagesOf(chunk)) watch.acknowledge(message);
  }
}

/** The messages that nodes added, out of `{node: update}`. A compaction adds none. */
function messagesOf(chunk: unknown): BaseMessage[] {
  return Object.values(chunk as Record<string, unknown>).flatMap((update) => {
    const { messages } = (update ?? {}) as { messages?: unknown };
    if (messages === undefined || isCompaction(messages)) return [];
    return (Array.isArray(messages) ? messages : [messages]).filter((message) => isBaseMessage(message));
  });
}
