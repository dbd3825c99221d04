import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { CHANGE_SETS, type SearchOptions, type SearchPage } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import type { RollingSummary } from "@skein/context";
import { awaitedNodes } from "./awaited.ts";
import { advised } from "./errors.ts";
import { REPLAYED } from "./options.ts";

/** Threads and what is in them, as the commands need it. */
export interface Store {
  readonly saver: SqliteSaver;
  exists(thread: string): Promise<boolean>;
  /** All threads, the one that changed last first. */
  threads(): Promise<ThreadInfo[]>;
  /** The thread that changed last, of those that are neither a replayed recording nor to be left out. */
  latest(leaveOut: (thread: string) => Promise<boolean>): Promise<string | undefined>;
  /** The complete history. */
  history(thread: string): Promise<BaseMessage[]>;
  historyLength(thread: string): Promise<number>;
  /** The messages of the complete history that hold words, best first. */
  search(thread: string, query: string, options: SearchOptions): Promise<SearchPage>;
  context(thread: string): Promise<ThreadContext>;
  /** The nodes that a checkpoint waits for, also those of another program's graph. */
  awaited(thread: string, checkpoint: string): Promise<string[]>;
  /** Rows of the thread, in bytes. */
  bytesOf(thread: string): Promise<number>;
  close(): Promise<void>;
}

export interface ThreadInfo {
  readonly id: string;
  readonly updatedAt: string;
  readonly checkpoints: number;
  readonly messages: number;
  readonly bytes: number;
}

/** What the model sees. */
export interface ThreadContext {
  readonly messages: BaseMessage[];
  /** Id of the first message that the summary does not cover; undefined without a summary. */
  readonly coveredUntil: string | null | undefined;
  /** The versions of the summary, the newest last. */
  readonly summaries: readonly RollingSummary[];
}

const ROOT = "";
/** A thread of a program without an archive, as those that come from LangGraph, has its messages only. */
const HISTORIES = ["full_messages", "messages"];
const PAGE = 500;

/** @throws GraphError STORAGE_CORRUPT, STORAGE_NEWER, STORAGE_UNAVAILABLE; nothing was changed then */
export async function openSqlite(path: string, mode: "read" | "write"): Promise<Store> {
  const saver = SqliteSaver.fromConnString(path, { readOnly: mode === "read" });
  try {
    saver.setup();
  } catch (error) {
    await saver.close();
    throw advised(error);
  }
  return storeOf(saver);
}

function storeOf(saver: SqliteSaver): Store {
  const sets = saver[CHANGE_SETS];
  const open = async (thread: string) => (await sets.open({ threadId: thread, namespace: ROOT })).checkpoint;
  const load = async (thread: string, channel: string): Promise<unknown> =>
    (await open(thread))?.channels.get(channel)?.load();
  const historyOf = async (thread: string) => {
    const channels = (await open(thread))?.channels;
    const name = HISTORIES.find((each) => channels?.has(each));
    return name === undefined ? undefined : { name, channel: channels?.get(name) };
  };
  const historyLength = async (thread: string): Promise<number> => {
    const channel = (await historyOf(thread))?.channel;
    if (channel?.kind === "log") return channel.entries;
    return channel?.kind === "list" ? channel.length : 0;
  };
  const bytesOf = async (thread: string): Promise<number> => {
    const report = await saver.storageReport(thread);
    return report ? report.itemBytes + report.writeBytes + report.manifestBytes : 0;
  };
  return {
    saver,
    exists: async (thread) => (await open(thread)) !== undefined,
    async threads() {
      const rows = await allThreads(saver);
      return Promise.all(
        rows.map(async ({ threadId, updatedAt, checkpoints }) => ({
          id: threadId,
          updatedAt,
          checkpoints,
          messages: await historyLength(threadId),
          bytes: await bytesOf(threadId),
        })),
      );
    },
    async latest(leaveOut) {
      for (const { threadId } of await allThreads(saver)) {
        const isReplayed = (await open(threadId))?.channels.has(REPLAYED) === true;
        if (!isReplayed && !(await leaveOut(threadId))) return threadId;
      }
      return undefined;
    },
    history: async (thread) => messagesOf(await (await historyOf(thread))?.channel?.load()),
    historyLength,
    async search(thread, query, options) {
      const history = await historyOf(thread);
      const channels = history === undefined ? [] : [history.name];
      return saver.search({ configurable: { thread_id: thread } }, query, { ...options, channels });
    },
    async context(thread) {
      const summaries = ((await load(thread, "_summary")) ?? []) as RollingSummary[];
      const messages = await load(thread, "messages");
      return {
        messages: messagesOf(messages),
        coveredUntil: summaries.at(-1)?.coveredUntil,
        summaries,
      };
    },
    async awaited(thread, checkpointId) {
      const { checkpoint } = await sets.open({ threadId: thread, namespace: ROOT, checkpointId });
      return checkpoint === undefined ? [] : awaitedNodes(checkpoint);
    },
    bytesOf,
    close: () => saver.close(),
  };
}

/** A thread of another program may have anything by that name. */
const messagesOf = (value: unknown): BaseMessage[] =>
  Array.isArray(value) ? value.filter((element) => isBaseMessage(element as BaseMessage)) : [];

async function allThreads(saver: SqliteSaver) {
  const rows = [...(await saver.listThreads({ limit: PAGE }))];
  for (let page = rows; page.length === PAGE;) {
    const { threadId, updatedAt } = page.at(-1) as (typeof rows)[number];
    page = [...(await saver.listThreads({ limit: PAGE, before: { threadId, updatedAt } }))];
    rows.push(...page);
  }
  // without a head it is one of branches only, and has nothing to show
  return rows.filter(({ headId }) => headId !== null);
}
