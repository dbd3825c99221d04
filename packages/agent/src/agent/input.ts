import { isBaseMessage } from "@langchain/core/messages";
import { GraphError, shown } from "@skein/errors";
import { isCommand } from "@skein/graph";
import type { AgentGraph } from "./agent-graph.ts";

/**
 * Input that the graph would pass over without a word: the model would be asked with nothing.
 *
 * @throws GraphError INVALID_INPUT
 */
export function requireInput(input: unknown, graph: AgentGraph): void {
  if (input === null || input === undefined || isCommand(input)) return;
  if (typeof input !== "object" || Array.isArray(input) || isBaseMessage(input)) {
    throw new GraphError(
      "INVALID_INPUT",
      `An agent takes an object with keys of its state, such as { messages: "Hello" }, not ${named(input)}.`,
    );
  }
  const keys = Object.keys(input);
  if (keys.length === 0 || keys.some((key) => graph.program.channels.has(key))) return;
  throw new GraphError(
    "INVALID_INPUT",
    `The agent's state has no ${keys.map((key) => `"${key}"`).join(", ")}; pass what is said as "messages".`,
    { details: { keys } },
  );
}

const named = (input: unknown): string => (isBaseMessage(input) ? "a message" : shown(input));
