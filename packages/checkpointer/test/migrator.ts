import { SqliteSaver as LangGraphSqlite } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "libsql";
import { migrateThread } from "../src/index.ts";
import { openTarget } from "./support/target.ts";

/**
 * Copies the thread "t" from a database of LangGraph's, and kills itself after so many checkpoints:
 * `migrator.ts OLD DATABASE COUNT`.
 */
const [old, target, count] = process.argv.slice(2) as [string, string, string];
void migrateThread(new LangGraphSqlite(new Database(old) as never), openTarget(target), {
  threadId: "t",
  onProgress: ({ checkpoints }) => {
    if (checkpoints === Number(count)) process.kill(process.pid, "SIGKILL");
  },
});
