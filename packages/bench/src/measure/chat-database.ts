import { rmSync, statSync } from "node:fs";
import { type Params, textOf } from "../protocol.ts";

/** Where a thread is kept: a SQLite file, or a database of a PostgreSQL server by its URL. */
export interface ChatDatabase {
  readonly kind: "sqlite" | "postgres";
  readonly path: string;
}

export function databaseOf(params: Params): ChatDatabase {
  const kind = textOf(params, "saver");
  if (kind !== "sqlite" && kind !== "postgres") throw new TypeError(`there are no threads on "${kind}"`);
  return { kind, path: textOf(params, "path") };
}

/** A database beside another one, for the turns that only warm the compilers. */
export const warmUpOf = ({ kind, path }: ChatDatabase): ChatDatabase => ({ kind, path: `${path}_warm` });

/** Makes an empty one; SQLite makes its files itself. */
export async function create({ kind, path }: ChatDatabase): Promise<void> {
  if (kind === "postgres") await onServer(path, (name) => `CREATE DATABASE "${name}"`);
}

export async function drop({ kind, path }: ChatDatabase): Promise<void> {
  if (kind === "postgres") await onServer(path, (name) => `DROP DATABASE "${name}"`);
  else for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

/** Indexes included; what the server's catalogue takes in an empty database is not ours. */
export async function bytesOf({ kind, path }: ChatDatabase): Promise<number> {
  if (kind === "sqlite") return statSync(path).size;
  const client = await connected(path);
  await client.query("VACUUM");
  const { rows } = await client.query(
    "SELECT sum(pg_total_relation_size(c.oid))::float8 AS size FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')",
  );
  await client.end();
  return (rows[0] as { size: number }).size;
}

export async function connected(url: string) {
  const { Client } = (await import("pg")).default;
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function onServer(url: string, text: (name: string) => string): Promise<void> {
  const place = new URL(url);
  const name = place.pathname.slice(1);
  place.pathname = "/postgres";
  const client = await connected(place.href);
  await client.query(text(name));
  await client.end();
}
