import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";

/** Every way in which a run can be stored. */
export const SAVERS: readonly (readonly [name: string, make: () => BaseCheckpointSaver])[] = [
  ["a saver of complete checkpoints", () => new MemorySaver()],
  ["change sets in memory", () => new ItemMemorySaver()],
  ["change sets in SQLite", () => SqliteSaver.fromConnString(":memory:")],
];
