import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary } from "@skein/context";
import { GraphError, shown } from "@skein/errors";

/** Private key of the state, there only when `maxIterations` is set. */
export const ITERATIONS_KEY = "_iterations";

/** How often the model was called since the user last spoke. */
export interface Iterations {
  /** Id of the user message that the count belongs to. */
  readonly turn: string | undefined;
  readonly calls: number;
}

/** The count with one more call. A new user message begins a new count; a resumed run goes on. */
export function nextIteration(messages: readonly BaseMessage[], before: Iterations | undefined): Iterations {
  const user = messages.findLast((message) => HumanMessage.isInstance(message) && !isMarkedSummary(message));
  // a user message that was compacted away was not followed by another one
  const turn = user?.id ?? before?.turn;
  return { turn, calls: before !== undefined && before.turn === turn ? before.calls + 1 : 1 };
}

/** What the agent says instead of calling the model once too often (E6). */
export function limitReached(limit: number): AIMessage {
  return new AIMessage({
    content: `Stopped: the limit of ${limit} model calls (maxIterations) was reached before a final answer.`,
    response_metadata: { finish_reason: "max_iterations" },
  });
}

export function requireLimit(name: string, limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit > 0)) return;
  throw new GraphError("INVALID_CONFIGURATION", `${name} must be a positive integer, not ${shown(limit)}.`);
}
