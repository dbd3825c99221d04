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

/** The count with one more call. */
type IterationCounter = (
  messages: readonly BaseMessage[],
  before: Iterations | undefined,
  run: AbortSignal | undefined,
) => Iterations;

/**
 * Counts the calls of an agent's model. A user message that a run finds begins a new count; one that a hook or
 * a tool writes meanwhile does not, or a loop of them would never end. A resumed run goes on,
 * unless one of them wrote such a message since the model was called last: the run takes it for the user's, who
 * may have said something before a hook asked its question. Such a loop waits for an answer every time.
 */
export function iterationCounter(): IterationCounter {
  // every run has a signal of its own
  const counted = new WeakSet<AbortSignal>();
  return (messages, before, run) => {
    const isSameRun = run !== undefined && counted.has(run);
    if (run !== undefined) counted.add(run);
    const user = messages.findLast(
      (message) => HumanMessage.isInstance(message) && !isMarkedSummary(message),
    );
    // a user message that was compacted away was not followed by another one
    const turn = user?.id ?? before?.turn;
    const goesOn = before !== undefined && (isSameRun || before.turn === turn);
    return { turn, calls: goesOn ? before.calls + 1 : 1 };
  };
}

const REACHED = "max_iterations";

/** What the agent says instead of calling the model once too often (E6). */
export function limitReached(limit: number): AIMessage {
  return new AIMessage({
    content: `Stopped: the limit of ${limit} model calls (maxIterations) was reached before a final answer.`,
    response_metadata: { finish_reason: REACHED },
  });
}

/** Whether the agent said so in the model's place just now. */
export function endsByLimit(messages: readonly BaseMessage[]): boolean {
  return messages.at(-1)?.response_metadata?.["finish_reason"] === REACHED;
}

export function requireLimit(name: string, limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit > 0)) return;
  throw new GraphError("INVALID_CONFIGURATION", `${name} must be a positive integer, not ${shown(limit)}.`);
}
