import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver, type PendingWrite } from "@langchain/langgraph-checkpoint";

/** Gives writes back in the order of task and position, as the SQL of LangGraph's other savers does: signals come first. */
export class SortedSaver extends MemorySaver {
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    await super.putWrites(config, writes, taskId);
    for (const [under, of] of Object.entries(this.writes))
      this.writes[under] = Object.fromEntries(Object.entries(of).toSorted(byPlace));
  }
}

function byPlace([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const [task = "", place] = a.split(",");
  const [otherTask = "", otherPlace] = b.split(",");
  return task.localeCompare(otherTask) || Number(place) - Number(otherPlace);
}
