import type { BaseStore } from "@langchain/langgraph-checkpoint";
import Database from "libsql";
import { InMemoryStore, type StoreOptions } from "../../src/store/index.ts";
import { PostgresStore } from "../../src/store/postgres/index.ts";
import { SqliteStore } from "../../src/store/sqlite/index.ts";
import { newSchema, postgresUrl } from "./postgres.ts";

export type StoreKind = "memory" | "SQLite" | "PostgreSQL";

export const storeKinds: readonly StoreKind[] = ["memory", "SQLite", "PostgreSQL"];

/** An empty store of a kind. */
export async function openStore(kind: StoreKind, options: StoreOptions = {}): Promise<BaseStore> {
  if (kind === "memory") return new InMemoryStore(options);
  if (kind === "SQLite") return new SqliteStore(() => new Database(":memory:") as never, options);
  return PostgresStore.fromConnString(await postgresUrl(), { ...options, schema: newSchema() });
}
