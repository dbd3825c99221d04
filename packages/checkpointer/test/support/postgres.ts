import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Pool } from "pg";
import { inject } from "vitest";
import { PostgresSaver, type PostgresPool, type PostgresSaverOptions } from "../../src/postgres/index.ts";

let url: Promise<string> | undefined;

/** URL of the server that all tests share. */
export function postgresUrl(): Promise<string> {
  return (url ??= ask());
}

async function ask(): Promise<string> {
  const answer = await text(connect(inject("postgresDoor"), "127.0.0.1"));
  if (answer.startsWith("postgres://")) return answer;
  throw new Error(`The PostgreSQL server of the tests did not start: ${answer}`);
}

let made: Promise<Pool> | undefined;

/** Connections that the savers of one test file share. */
export function sharedPool(): Promise<Pool> {
  return (made ??= postgresUrl().then((connectionString) => {
    const pool = new Pool({ connectionString, allowExitOnIdle: true });
    pool.on("error", () => {});
    return pool;
  }));
}

/**
 * The shared pool for one saver: made when it is first used, and not ended by it.
 *
 * @param sent - gets the text of every query
 */
function borrowed(sent?: string[]): PostgresPool {
  return {
    query: async (query) => {
      sent?.push(query.text);
      return (await sharedPool()).query(query);
    },
    connect: async () => (await sharedPool()).connect(),
    end: async () => {},
    on: () => {},
  };
}

/** A saver that has made its tables, and what it has sent to the server since, or tried to. */
export async function countingSaver(schema: string): Promise<{ saver: PostgresSaver; sent: string[] }> {
  const sent: string[] = [];
  const saver = new PostgresSaver(borrowed(sent), { schema });
  await saver.setup();
  return { saver, sent };
}

/** The same server as another user. */
export function urlOf(url: string, user: string): string {
  const other = new URL(url);
  other.username = user;
  return other.href;
}

/** A name that no other test uses, not even one of this process that loaded this file anew. */
export const newSchema = (): string => `test_${crypto.randomUUID().replaceAll("-", "")}`;

/** Schemas that were used and emptied: making one takes longer than a test. */
const free: string[] = [];

/** A schema of its own, empty. */
export function openPostgres() {
  const schema = free.pop() ?? newSchema();
  const opened: PostgresSaver[] = [];
  const reopen = (options: PostgresSaverOptions = {}): PostgresSaver => {
    const saver = new PostgresSaver(borrowed(), { ...options, schema });
    opened.push(saver);
    return saver;
  };
  return {
    schema,
    saver: reopen(),
    reopen,
    async close(): Promise<void> {
      for (const saver of opened) await saver.close();
      const pool = await sharedPool();
      const tables = ["threads", "namespaces", "lanes", "items", "checkpoints", "writes"];
      const { rows } = await pool.query("SELECT to_regclass($1) AS found", [`${schema}.meta`]);
      if ((rows[0] as { found: unknown }).found === null) return;
      await pool.query(tables.map((table) => `DELETE FROM ${schema}.${table};`).join(""));
      free.push(schema);
    },
  };
}
