import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SessionManager, type Handoff, type Session } from "@skein/agent";
import type { SqliteSaver } from "@skein/checkpointer/sqlite";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";

/** Sessions of a database: each is a thread, under the thread's id, from its first message to `/reset`. */
export interface ChatSessions {
  isOver(thread: string): Promise<boolean>;
  /** Ends one, however often. Says where its history went; undefined when it went nowhere, or not yet. */
  end(thread: string): Promise<Ended>;
  /** Hands over what could not be handed over before. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

export interface Ended {
  readonly state: Exclude<Session["state"], "open">;
  readonly file: string | undefined;
  /** Why the history was not handed over. */
  readonly error: unknown;
}

/** Nobody has a name here: whoever may read the file may read all threads. */
const USER = "local";

/** @param folder - where the history of a session goes that is over; undefined: nowhere */
export function openSessions(db: string, saver: SqliteSaver, folder: string | undefined): ChatSessions {
  const store = SqliteStore.fromConnString(db);
  let error: unknown;
  const sessions = new SessionManager({
    store,
    saver,
    ...(folder === undefined ? {} : { offload: (handoff) => writeHistory(folder, handoff) }),
    onFailure: (failure) => {
      error = failure.error;
    },
  });
  return {
    isOver: async (thread) => ((await sessions.get(thread))?.state ?? "open") !== "open",
    async end(thread) {
      error = undefined;
      // a chat says nothing of its session until it is over
      if ((await sessions.get(thread)) === undefined) await sessions.create({ id: thread, userId: USER });
      const session = await sessions.end(thread);
      const isTaken = session.state === "ended" && session.key !== undefined && folder !== undefined;
      return {
        state: session.state === "ended" ? "ended" : "ending",
        file: isTaken ? fileOf(folder, thread) : undefined,
        error,
      };
    },
    async catchUp() {
      if (folder !== undefined) await sessions.sweep();
    },
    close: () => store.stop(),
  };
}

const fileOf = (folder: string, thread: string): string =>
  join(folder, `${encodeURIComponent(thread)}.jsonl`);

/** A line a message. Written beside and moved: who reads it never sees half, and writing again changes nothing. */
async function writeHistory(folder: string, { session, messages }: Handoff): Promise<void> {
  const file = fileOf(folder, session.id);
  await mkdir(folder, { recursive: true });
  const part = `${file}.${process.pid}.part`;
  await writeFile(part, messages.map((message) => `${JSON.stringify(message.toDict())}\n`).join(""));
  await rename(part, file);
}
