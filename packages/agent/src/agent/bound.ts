import type { RunnableConfig } from "@langchain/core/runnables";

/** What `withConfig` or the agent itself has set for all calls of a graph. */
type Bound = RunnableConfig | undefined;

/** The thread of a call, as the graph merges it: what the call names stands in place of what is bound. */
export function threadOf({ configurable }: RunnableConfig, bound: Bound): unknown {
  const isNamed = configurable !== undefined && configurable !== null && "thread_id" in configurable;
  return isNamed ? configurable["thread_id"] : bound?.configurable?.["thread_id"];
}

/** What stops a call: the signal that is bound, or its own. */
export function eitherSignal(
  bound: AbortSignal | undefined,
  own: AbortSignal | null | undefined,
): AbortSignal | undefined {
  if (own === undefined || own === null) return bound;
  // of what is no signal the graph says so
  return bound === undefined || !(own instanceof AbortSignal) ? own : AbortSignal.any([bound, own]);
}
