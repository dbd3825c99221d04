import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { checkpointIdOf } from "../base/checkpoint.ts";

/** What a config names. */
export interface Place {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string | undefined;
}

export function placeOf(config: RunnableConfig): Place | undefined {
  const { thread_id: threadId, checkpoint_ns: namespace } = ((config as RunnableConfig | null | undefined)
    ?.configurable ?? {}) as Record<string, unknown>;
  if (threadId === undefined || threadId === null) return undefined;
  return {
    threadId: String(threadId),
    namespace: namespace === undefined || namespace === null ? "" : String(namespace),
    checkpointId: checkpointIdOf(config) || undefined,
  };
}

export function required(config: RunnableConfig, what: string): Place {
  const place = placeOf(config);
  if (place !== undefined) return place;
  throw new GraphError(
    "MISSING_THREAD_ID",
    `Cannot ${what}: the config has no "thread_id". Pass {configurable: {thread_id: "..."}}; it names the thread whose state is kept.`,
  );
}

export function configOf(threadId: string, namespace: string, checkpointId: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId } };
}
