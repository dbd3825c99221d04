import { _coerceToRunnable, Runnable, type RunnableLike } from "@langchain/core/runnables";
import { GraphError, shown } from "@skein/errors";
import type { NodeAction } from "../program/program.ts";

/** What a node does, as a function; a Runnable is invoked with the node's config. */
export function toAction(
  name: string,
  action: unknown,
): { readonly action: NodeAction; readonly runnable: unknown } {
  if (typeof action === "function") return { action: action as NodeAction, runnable: undefined };
  if (Runnable.isRunnable(action)) return { action: invoking(action), runnable: action };
  if (isMap(action)) {
    const runnable = _coerceToRunnable(action as RunnableLike);
    return { action: invoking(runnable), runnable };
  }
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `Node "${name}" needs a function or a Runnable (of an agent: its graph), not ${shown(action)}.`,
    {
      details: { node: name },
    },
  );
}

/** Steps by name; what can be invoked and is no Runnable, as an agent, would be one without steps, and do nothing. */
function isMap(action: unknown): boolean {
  const isObject = typeof action === "object" && action !== null && !Array.isArray(action);
  return isObject && typeof (action as { invoke?: unknown }).invoke !== "function";
}

function invoking(runnable: Runnable): NodeAction {
  const { invokeAsNode } = runnable as { invokeAsNode?: NodeAction };
  if (invokeAsNode !== undefined) return (input, config) => invokeAsNode.call(runnable, input, config);
  return (input, config) => runnable.invoke(input, config as never);
}

/** Whether a value is a compiled graph, of any copy of this package or of LangGraph. */
function isCompiledGraph(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && (value as { lg_is_pregel?: unknown }).lg_is_pregel === true
  );
}

/** Compiled graphs in a runnable, also as steps of a sequence. */
export function subgraphsIn(runnable: unknown): unknown[] {
  if (isCompiledGraph(runnable)) return [runnable];
  const steps = (runnable as { steps?: unknown } | undefined)?.steps;
  return Array.isArray(steps) ? steps.flatMap(subgraphsIn) : [];
}
