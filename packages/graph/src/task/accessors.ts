import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { requireConfig } from "./ambient.ts";
import { type LangGraphRunnableConfig, taskOf } from "./config.ts";

/** The store of the running graph. @throws GraphError OUTSIDE_RUN outside of nodes */
export function getStore(config?: LangGraphRunnableConfig): BaseStore | undefined {
  return requireConfig("getStore()", config).store;
}

/** Sends chunks to the stream mode "custom". @throws GraphError OUTSIDE_RUN outside of nodes */
export function getWriter(config?: LangGraphRunnableConfig): ((chunk: unknown) => void) | undefined {
  return requireConfig("getWriter()", config).writer;
}

/** The input of the node that is running. @throws GraphError OUTSIDE_RUN outside of nodes */
export function getCurrentTaskInput<T = unknown>(config?: LangGraphRunnableConfig): T {
  const runtime = taskOf(requireConfig("getCurrentTaskInput()", config));
  if (runtime !== undefined) return runtime.task.input as T;
  throw new GraphError("OUTSIDE_RUN", "getCurrentTaskInput() was called with a config that is no node's.");
}
