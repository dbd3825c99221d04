import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { START } from "@skein/graph";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { hookName, isHookOf } from "./node-names.ts";
import { MODEL_NODE } from "./routes.ts";

/** The node that a turn ends with: after a write of its own nothing is to run, unless the last reply calls tools. */
export function lastOfTurn(middleware: readonly AnyAgentMiddleware[]): string {
  const last = middleware.find(({ afterAgent }) => afterAgent !== undefined);
  return last === undefined ? MODEL_NODE : hookName(last, "afterAgent");
}

/**
 * Writes as the node that ran last. Where that was a hook of a middleware which the agent no longer has,
 * it writes as the node that stands in the same part of a turn, so that what was to run is to run still.
 */
export async function updateAsLast(
  graph: AgentGraph,
  middleware: readonly AnyAgentMiddleware[],
  config: RunnableConfig,
  values: unknown,
): Promise<RunnableConfig> {
  try {
    return await graph.updateState(config, values);
  } catch (error) {
    const node = unknownNode(error);
    if (node === undefined) throw error;
    return graph.updateState(config, values, standInFor(node, middleware));
  }
}

function unknownNode(error: unknown): string | undefined {
  const node = GraphError.is(error, "UNKNOWN_NODE") ? error.details["node"] : undefined;
  return typeof node === "string" ? node : undefined;
}

function standInFor(node: string, middleware: readonly AnyAgentMiddleware[]): string {
  if (isHookOf(node, "afterAgent")) return lastOfTurn(middleware);
  return isHookOf(node, "beforeAgent") || isHookOf(node, "beforeModel") ? START : MODEL_NODE;
}
