import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { FakeSaver } from "./fake-change-sets.ts";
import { SortedSaver } from "./sorted-saver.ts";

/** Every way in which a run can be stored. */
export const SAVERS: readonly (readonly [name: string, make: () => BaseCheckpointSaver])[] = [
  ["a saver of complete checkpoints", () => new MemorySaver()],
  ["one that gives writes back by their position", () => new SortedSaver()],
  ["change sets in memory", () => new ItemMemorySaver()],
  ["change sets in SQLite", () => SqliteSaver.fromConnString(":memory:")],
];

/** And one that shows what the engine asks of it. */
export const SAVERS_AND_FAKE: typeof SAVERS = [
  ["change sets that are looked at", () => new FakeSaver()],
  ...SAVERS,
];
