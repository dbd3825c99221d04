import type { Figures } from "../protocol.ts";
import { textFor } from "./conversation.ts";

const SCHEMA =
  "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE IF NOT EXISTS messages(ord INTEGER PRIMARY KEY, body TEXT)";

/** The least a chat turn can be on SQLite: one transaction that inserts its two messages. */
export async function floorChat(path: string, turns: number): Promise<number[]> {
  const { default: Database } = await import("libsql");
  const database = new Database(path);
  database.exec(SCHEMA);
  const insert = database.prepare("INSERT INTO messages(body) VALUES (?)");
  const write = database.transaction((turn: number) => {
    insert.run(JSON.stringify({ role: "user", content: textFor(turn, "user") }));
    insert.run(JSON.stringify({ role: "assistant", content: textFor(turn, "assistant") }));
  });
  const times: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const start = performance.now();
    write(turn);
    times.push(performance.now() - start);
  }
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  return times;
}

/** `ready`: open and read the last message. `all`: open, read and parse every one. */
export async function floorResume(path: string, turns: number, until: string): Promise<Figures> {
  const { default: Database } = await import("libsql");
  const start = performance.now();
  const database = new Database(path);
  if (until === "ready") {
    database.prepare("SELECT body FROM messages ORDER BY ord DESC LIMIT 1").get();
    const ready = performance.now() - start;
    database.close();
    return { ready };
  }
  const rows = database.prepare("SELECT body FROM messages ORDER BY ord").all() as { body: string }[];
  const found = rows.map((row) => JSON.parse(row.body) as unknown).length;
  const all = performance.now() - start;
  if (found !== 2 * turns) throw new Error(`found ${found} of ${2 * turns} messages`);
  database.close();
  return { all };
}
