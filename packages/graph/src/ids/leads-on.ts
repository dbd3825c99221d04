import type { ReadonlyCheckpoint } from "@langchain/langgraph-checkpoint";
import { branchChannel, START, TASKS } from "./names.ts";

/** Whether anything is still to run from a checkpoint. It is not asked of a graph: who stored it may have run another one. */
export function leadsOn({ channel_values: values }: ReadonlyCheckpoint): boolean {
  const sent = values[TASKS];
  if (Array.isArray(sent) && sent.length > 0) return true;
  return Object.keys(values).some((name) => name === START || name.startsWith(branchChannel("")));
}
