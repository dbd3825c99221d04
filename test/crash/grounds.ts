import { mkdtempSync, rmSync } from "node:fs";
import type { ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { newSchema, postgresUrl } from "../../packages/checkpointer/test/support/postgres.ts";
import { PostgresServer } from "../../packages/checkpointer/test/support/postgres-server.ts";

/** Where one thread of a matrix is stored. */
export interface Place {
  /** As `worker.ts` takes it: a path, or `postgres://...#SCHEMA`. */
  readonly store: string;
  readonly thread: string;
  /** The process that a boundary kills, where it is not the worker itself. */
  readonly victim: number | undefined;
  /** Ends the worker's work from outside, at once. */
  strike(child: ChildProcess): void;
  /** Waits until nothing of the dead is at work any more, and makes the storage usable. */
  settle(): Promise<void>;
  open(): SqliteSaver | PostgresSaver;
  remove(): void;
}

/** A storage that a matrix strikes. */
export interface Ground {
  /** @param empty - without tables; else with those of the threads before it, if there can be any */
  place(empty: boolean): Place;
  close(): Promise<void>;
}

const killed = (child: ChildProcess): void => void child.kill("SIGKILL");

/** A file for every thread; the process is killed. */
export function onSqlite(): Ground {
  const folder = mkdtempSync(join(tmpdir(), "skein-crash-"));
  let files = 0;
  return {
    place() {
      files += 1;
      const store = join(folder, `${files}.db`);
      return {
        store,
        thread: "thread",
        victim: undefined,
        strike: killed,
        settle: async () => {},
        open: () => SqliteSaver.fromConnString(store),
        remove() {
          for (const end of ["", "-wal", "-shm"]) rmSync(store + end, { force: true });
        },
      };
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One schema, and others for those who are killed while they make theirs; the client is killed. */
export async function onPostgres(): Promise<Ground> {
  const url = await postgresUrl();
  const pool = new Pool({ connectionString: url, max: 2 });
  const common = newSchema();
  let threads = 0;
  return {
    place(empty) {
      threads += 1;
      const thread = `${common}-${threads}`;
      const schema = empty ? newSchema() : common;
      return {
        // the name tells the server's processes for this thread from others
        store: `${url}?application_name=${thread}#${schema}`,
        thread,
        victim: undefined,
        strike: killed,
        settle: () => untilGone(pool, thread),
        open: () => PostgresSaver.fromConnString(url, { schema }),
        remove: () => {},
      };
    },
    close: () => pool.end(),
  };
}

/** The server goes on with a query that a dead client had sent, and may yet commit it. */
async function untilGone(pool: Pool, name: string): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query("SELECT FROM pg_stat_activity WHERE application_name = $1", [name]);
    if (rowCount === 0) return;
  }
}

/** A server that is killed, and started again. Threads of it have to be struck one after the other. */
export async function onDyingServer(): Promise<Ground> {
  const server = await PostgresServer.start({ durable: true });
  let threads = 0;
  return {
    place() {
      threads += 1;
      return {
        store: `${server.url}#skein`,
        thread: `thread-${threads}`,
        victim: server.pid,
        strike: () => process.kill(server.pid, "SIGKILL"),
        settle: () => server.restart(),
        open: () => PostgresSaver.fromConnString(server.url),
        remove: () => {},
      };
    },
    close: () => server.stop(),
  };
}
