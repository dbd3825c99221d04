import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { CHANGE_SETS } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { BadInput, oneLine } from "./errors.ts";

/** Threads and what is in them, as the commands need it. */
export interface Store {
  readonly saver: SqliteSaver;
  exists(thread: string): Promise<boolean>;
  /** All threads, the one that changed last first. */
  threads(): Promise<ThreadInfo[]>;
  latest(): Promise<string | undefined>;
  /** The complete history. */
  history(thread: string): Promise<BaseMessage[]>;
  historyLength(thread: string): Promise<number>;
  context(thread: string): Promise<ThreadContext>;
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
}

const ROOT = "";
const PAGE = 500;

/**
 * Opens a database. To read, it must exist, and nothing is created; `prepareStore` comes before
 * writing.
 *
 * @throws BadInput if there is none to read
 * @throws GraphError STORAGE_CORRUPT, STORAGE_NEWER, STORAGE_UNAVAILABLE
 */
export async function openStore(path: string, mode: "read" | "write"): Promise<Store> {
  if (mode === "read") await requireDatabase(path);
  const saver = SqliteSaver.fromConnString(path, { readOnly: mode === "read" });
  try {
    saver.setup();
  } catch (error) {
    await saver.close();
    throw error;
  }
  return storeOf(saver);
}

async function requireDatabase(path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  if (!info) {
    throw new BadInput(
      `There is no database at ${resolve(path)}. Give another one with --db, or make one with: skein chat.`,
    );
  }
  if (!info.isFile()) throw new BadInput(`${path} is a folder; give a database file with --db.`);
}

/** Makes the folder of a database that will be written, once everything else was found to be right. */
export async function prepareStore(path: string): Promise<void> {
  if (existsSync(path)) {
    await requireDatabase(path);
    return;
  }
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
  } catch (error) {
    throw new BadInput(`Cannot make the folder of ${path}: ${oneLine(error)}. Give another path with --db.`, {
      cause: error,
    });
  }
}

/** Moves what stands in the write-ahead log into the database file, so that its size says something. */
export async function foldLog(path: string): Promise<void> {
  const { default: Database } = await import("libsql");
  const db = new Database(path);
  db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  db.close();
}

/** Bytes of the database on disk, the part that is still in its write-ahead log included. */
export async function fileBytes(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** @throws BadInput with the threads that there are */
export async function requireThread(store: Store, thread: string): Promise<void> {
  if (await store.exists(thread)) return;
  const known = (await store.threads()).slice(0, 3).map(({ id }) => id);
  const hint =
    known.length > 0
      ? `The latest are ${known.join(", ")}; skein threads lists all.`
      : "It has no threads yet.";
  throw new BadInput(`There is no thread "${thread}" in this database. ${hint}`);
}

function storeOf(saver: SqliteSaver): Store {
  const sets = saver[CHANGE_SETS];
  const open = async (thread: string) => (await sets.open({ threadId: thread, namespace: ROOT })).checkpoint;
  const load = async (thread: string, channel: string): Promise<unknown> =>
    (await open(thread))?.channels.get(channel)?.load();
  const historyLength = async (thread: string): Promise<number> => {
    const channel = (await open(thread))?.channels.get("full_messages");
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
    latest: async () => (await saver.listThreads({ limit: 1 }))[0]?.threadId,
    history: async (thread) => ((await load(thread, "full_messages")) ?? []) as BaseMessage[],
    historyLength,
    async context(thread) {
      const summaries = ((await load(thread, "_summary")) ?? []) as { coveredUntil: string | null }[];
      return {
        messages: ((await load(thread, "messages")) ?? []) as BaseMessage[],
        coveredUntil: summaries.at(-1)?.coveredUntil,
      };
    },
    bytesOf,
    close: () => saver.close(),
  };
}

async function allThreads(saver: SqliteSaver) {
  const rows = [...(await saver.listThreads({ limit: PAGE }))];
  for (let page = rows; page.length === PAGE;) {
    const { threadId, updatedAt } = page.at(-1) as (typeof rows)[number];
    page = [...(await saver.listThreads({ limit: PAGE, before: { threadId, updatedAt } }))];
    rows.push(...page);
  }
  return rows;
}
