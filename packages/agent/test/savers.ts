import { MemorySaver as PlainSaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";

/** Every kind of saver that a dual track must hold on: with change sets, and by the contract alone. */
export const SAVERS: readonly [name: string, make: () => BaseCheckpointSaver][] = [
  ["our memory saver", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["PostgreSQL", () => openPostgres().saver],
  ["a saver that knows nothing of archives", () => new PlainSaver()],
];
