import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@skein/graph";
import { cancelled } from "../messages/cancelled.ts";
import { readTurn } from "./turn.ts";

/**
 * An input of an agent whose memory is a part of another agent's thread, with results for the calls that
 * were left open there. Nobody else can close that turn: whoever stops the run, and heals its thread,
 * does not know the agents that its tools asked. Calls that the input answers itself stay as they are.
 */
export function closingOpenCalls(input: unknown, context: readonly BaseMessage[]): unknown {
  const turn = readTurn(context);
  if (turn.state !== "calling" || Overwrite.isInstance(input)) return input;
  const given: readonly unknown[] = Array.isArray(input) ? input : [input];
  const answered = new Set(given.map((like) => (like as { tool_call_id?: unknown } | null)?.tool_call_id));
  const open = turn.calls.filter(({ id }) => !answered.has(id));
  return open.length === 0 ? input : [...open.map(cancelled), ...given];
}
