import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Annotation, Command, interrupt, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { Pool } from "pg";
import { expect, it } from "vitest";
import { PostgresServer } from "../../checkpointer/test/support/postgres-server.ts";

type Saver = SqliteSaver | PostgresSaver;

/** Longer than a page of a database, and of a kind that none can compress. */
const LONG = Array.from({ length: 300 }, (_, i) =>
  createHash("sha256").update(String(i)).digest("base64"),
).join("");
const SECRET = `${LONG} Geheimnis-äöü-東京都-4711 is the password of the server`;
/** Pieces of it, from its beginning to its end. */
const PIECES = [LONG.slice(0, 24), LONG.slice(6_000, 6_024), LONG.slice(-24), "Geheimnis-äöü-東京都-4711"];

const State = Annotation.Root({ ...MessagesAnnotation.spec, note: Annotation<unknown>() });

/** Says again what it reads: in a subgraph, in a value that is no text, in a question, in an answer. */
function talkative(checkpointer: Saver) {
  const last = ({ messages }: typeof State.State) => messages.at(-1)?.text ?? "";
  const inner = new StateGraph(State)
    .addNode("take", (state) => ({ note: { quoted: last(state), map: new Map([["k", [last(state)]]]) } }))
    .addEdge(START, "take")
    .compile();
  return new StateGraph(State)
    .addNode("inner", inner)
    .addNode("ask", (state) => ({
      messages: [new AIMessage(`${interrupt({ approve: last(state) }) as string}, I read: ${last(state)}`)],
    }))
    .addEdge(START, "inner")
    .addEdge("inner", "ask")
    .compile({ checkpointer });
}

const config = { configurable: { thread_id: "t" } };

/** A thread with the secret, which waits for an answer, and a copy of it. */
async function tell(saver: Saver): Promise<void> {
  const graph = talkative(saver);
  await graph.invoke({ messages: [new HumanMessage("hello")] }, config);
  await graph.invoke(new Command({ resume: "ok" }), config);
  await graph.invoke({ messages: [new HumanMessage({ id: "secret", content: SECRET })] }, config);
  await saver.search(config, "password");
  await saver.copyThread("t", "copy");
}

/** Files below a folder that hold a piece of the secret. */
function holders(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const bytes = entry.isFile() ? readFileSync(join(entry.parentPath, entry.name)) : Buffer.of();
    return PIECES.some((piece) => bytes.includes(piece)) ? [entry.name] : [];
  });
}

/** What the thread says when its question is answered after the erasure. */
async function rest(saver: Saver): Promise<unknown[]> {
  const { messages } = await talkative(saver).invoke(new Command({ resume: "ok" }), config);
  return messages.map(({ text }) => text);
}
const REST = ["hello", "ok, I read: hello", "[erased]", "ok, I read: [erased]"];

it("the files of a SQLite database hold nothing of a long message that was erased from runs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-erased-"));
  const saver = SqliteSaver.fromConnString(join(folder, "t.db"));
  await tell(saver);
  expect(holders(folder).length).toBeGreaterThan(0);
  expect((await saver.eraseMessage(config, "secret")).threads).toEqual(["t", "copy"]);
  await saver.cleanUp();
  expect(holders(folder)).toEqual([]);
  expect(await rest(saver)).toEqual(REST);
  await saver.close();
  rmSync(folder, { recursive: true });
});

it("the data folder of a PostgreSQL server holds nothing of it, where it keeps long texts neither", async () => {
  await using server = await PostgresServer.start();
  const pool = new Pool({ connectionString: server.url });
  await pool.query("ALTER SYSTEM SET wal_recycle = off");
  await pool.query("SELECT pg_reload_conf()");
  const { rows } = await pool.query<{ data_directory: string }>("SHOW data_directory");
  const data = rows[0]?.data_directory ?? "";
  const saver = new PostgresSaver(pool);
  await tell(saver);
  await pool.query("CHECKPOINT");
  const apart = await pool.query<{ bytes: string }>(
    "SELECT pg_relation_size(reltoastrelid) AS bytes FROM pg_class WHERE oid = 'skein.items'::regclass",
  );
  expect(Number(apart.rows[0]?.bytes)).toBeGreaterThan(0);
  expect(holders(data).length).toBeGreaterThan(1);
  await saver.eraseMessage(config, "secret");
  await saver.cleanUp();
  // as docs/concepts/checkpoint.md says
  await pool.query("SELECT pg_switch_wal()");
  await pool.query("CHECKPOINT");
  expect(holders(data)).toEqual([]);
  expect(await rest(saver)).toEqual(REST);
  await saver.close();
});
