import type { Figures } from "../protocol.ts";
import { type ChatDatabase, connected } from "./chat-database.ts";
import { type Last, lastOf } from "../stats.ts";
import { textFor } from "./conversation.ts";

const SETTINGS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL";
const SQLITE = "CREATE TABLE messages(ord INTEGER PRIMARY KEY, body TEXT)";
const POSTGRES = "CREATE TABLE messages(ord bigserial PRIMARY KEY, body text)";
const LAST = "SELECT body FROM messages ORDER BY ord DESC LIMIT 1";
const EVERY = "SELECT body FROM messages ORDER BY ord";

/** The least that keeps a chat: a table of messages. */
interface Messages {
  /** The two of a turn, in one transaction. */
  add(bodies: readonly [string, string]): unknown;
  read(query: string): Promise<readonly { body: string }[]>;
  close(): unknown;
}

/** @param isNew - a resume asks for no table: budgets may come on top of what it takes */
async function messagesIn({ kind, path }: ChatDatabase, isNew: boolean): Promise<Messages> {
  if (kind === "postgres") {
    const client = await connected(path);
    if (isNew) await client.query(POSTGRES);
    const add = { name: "add", text: "INSERT INTO messages(body) VALUES ($1), ($2)" };
    return {
      add: (bodies) => client.query({ ...add, values: [...bodies] }),
      read: async (query) => (await client.query(query)).rows as { body: string }[],
      close: () => client.end(),
    };
  }
  const database = new (await import("libsql")).default(path);
  database.exec(SETTINGS);
  if (isNew) database.exec(SQLITE);
  const insert = database.prepare("INSERT INTO messages(body) VALUES (?)");
  return {
    add: database.transaction((bodies: readonly [string, string]) => {
      for (const body of bodies) insert.run(body);
    }),
    read: async (query) => database.prepare(query).all() as { body: string }[],
    close: () => {
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}

export async function floorChat(database: ChatDatabase, turns: number, tail: number): Promise<Last> {
  const messages = await messagesIn(database, true);
  const times = await lastOf(turns, tail, async (turn) => {
    const [question, answer] = [textFor(turn, "user"), textFor(turn, "assistant")];
    const start = performance.now();
    await messages.add([
      JSON.stringify({ role: "user", content: question }),
      JSON.stringify({ role: "assistant", content: answer }),
    ]);
    return performance.now() - start;
  });
  await messages.close();
  return times;
}

/** `ready`, `begun`: open and read the last message. `all`: open, read and parse every one. */
export async function floorResume(database: ChatDatabase, turns: number, until: string): Promise<Figures> {
  await import(database.kind === "postgres" ? "pg" : "libsql");
  const start = performance.now();
  const messages = await messagesIn(database, false);
  const rows = await messages.read(until === "all" ? EVERY : LAST);
  const found = rows.map((row) => JSON.parse(row.body) as unknown).length;
  const took = performance.now() - start;
  if (until === "all" && found !== 2 * turns) throw new Error(`found ${found} of ${2 * turns} messages`);
  await messages.close();
  return { [until]: took };
}
