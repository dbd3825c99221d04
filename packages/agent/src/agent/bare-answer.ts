import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { answersById, Command, isCommand } from "@skein/graph";
import type { AgentGraph } from "./agent-graph.ts";

/**
 * The input of a call that may have to wait for its turn. An answer that names no question is for the one that
 * waits when it comes, never for one that is asked meanwhile: it gets that one's id.
 *
 * @param isBehind - whether others are called before it
 * @throws GraphError NOTHING_TO_RESUME where nobody asks, and others are to run first
 */
export async function asOfNow(
  graph: AgentGraph,
  thread: RunnableConfig,
  input: unknown,
  isBehind: boolean,
): Promise<unknown> {
  if (!isCommand(input) || input.resume === undefined || answersById(input) !== undefined) return input;
  const { tasks } = await graph.getState(thread, { archive: false });
  const ids = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  if (ids.length === 0 && isBehind) throw nobodyAsks();
  const [id] = ids;
  if (ids.length !== 1 || id === undefined) return input;
  const { resume, update, goto } = input;
  return new Command({ resume: { [id]: resume }, ...(update && { update }), ...(goto && { goto }) } as never);
}

function nobodyAsks(): GraphError {
  return new GraphError(
    "NOTHING_TO_RESUME",
    "This thread does not wait for an answer: a run that was called before works on it. Look at what it asks then, and answer that.",
  );
}
