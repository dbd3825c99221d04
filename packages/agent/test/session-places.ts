import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  InMemoryStore as PlainStore,
  MemorySaver as PlainSaver,
  type BaseCheckpointSaver,
  type BaseStore,
} from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import type { PostgresPool } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { InMemoryStore } from "@skein/checkpointer/store";
import { PostgresStore } from "@skein/checkpointer/store/postgres";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";
import { afterAll, expect } from "vitest";
import { openPostgres, sharedPool } from "../../checkpointer/test/support/postgres.ts";
import { createAgent, SessionManager, type Handoff, type SessionManagerOptions } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** For the databases of a test file; removed when it has ended. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skein-sessions-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

export interface Place {
  readonly saver: BaseCheckpointSaver;
  readonly store: BaseStore;
}

/** Two places over one truth: a manager on each is what a process each would have. */
export const placesIn = (
  folder: string,
): readonly [name: string, make: () => Promise<readonly [Place, Place]>][] => [
  ["memory", async () => twice({ saver: new MemorySaver(), store: new InMemoryStore() })],
  ["a foreign saver and store", async () => twice({ saver: new PlainSaver(), store: new PlainStore() })],
  [
    "a SQLite file, two connections",
    async () => {
      const path = join(folder, `${crypto.randomUUID()}.db`);
      const open = (): Place => ({
        saver: SqliteSaver.fromConnString(path),
        store: SqliteStore.fromConnString(path),
      });
      return [open(), open()];
    },
  ],
  [
    "PostgreSQL",
    async () => {
      const { schema, saver, reopen } = openPostgres();
      const shared = await sharedPool();
      // a pool is told of each store that listens to it; the shared one would count them all
      const pool: PostgresPool = {
        query: (query) => shared.query(query),
        connect: () => shared.connect(),
        end: async () => {},
        on: () => {},
      };
      const open = (one: BaseCheckpointSaver): Place => ({
        saver: one,
        store: new PostgresStore(pool, { schema }),
      });
      return [open(saver), open(reopen())];
    },
  ],
];
export const inMemory = (): Place => ({ saver: new MemorySaver(), store: new InMemoryStore() });
export const twice = (place: Place): readonly [Place, Place] => [place, place];

export const START = 1_700_000_000_000;
export const code = (name: string) => expect.objectContaining({ code: name });

/** Two managers, what was handed over, and a clock that is moved by hand. */
export function managers(
  [one, other]: readonly [Place, Place],
  options: Partial<SessionManagerOptions> = {},
) {
  const taken: Handoff[] = [];
  const clock = { now: START };
  const usual = {
    offload: (handoff: Handoff) => void taken.push(handoff),
    now: () => clock.now,
    waitMs: 2_000,
    ...options,
  };
  return {
    a: new SessionManager({ ...one, ...usual }),
    b: new SessionManager({ ...other, ...usual }),
    taken,
    clock,
  };
}

export const agentOf = (
  { saver }: Place,
  sessions: SessionManager,
  ...script: ConstructorParameters<typeof ScriptedModel>
) => {
  const model = new ScriptedModel(...script);
  return { model, agent: createAgent({ model, checkpointer: saver, middleware: [sessions.middleware()] }) };
};
export const texts = ({ messages }: Handoff): string[] =>
  messages.map((message) => `${message.type}: ${message.text}`);
