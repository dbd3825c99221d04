import { MemorySaver as PlainSaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";

/** Every kind of saver that a dual track must hold on: with change sets, and by the contract alone. */
export const SAVERS: readonly [name: string, make: () => BaseCheckpointSaver][] = [
  ["our memory saver", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["a saver that knows nothing of archives", () => new PlainSaver()],
];
