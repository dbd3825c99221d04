import type { ToolMessage } from "@langchain/core/messages";
import { tool, type StructuredToolInterface } from "@langchain/core/tools";
import { Command } from "@skein/graph";
import { toRecorded, type RecordedThread } from "@skein/context";
import type { Playback } from "./playback.ts";

/** Names of all tools that the recordings call. */
export function toolNames(threads: readonly RecordedThread[]): string[] {
  const calls = threads.flatMap((thread) =>
    thread.messages.flatMap((message) => toRecorded(message).tool_calls ?? []),
  );
  return [...new Set(calls.map((call) => call.name))].sort();
}

/**
 * Tools that return what the recording says. A call whose result was never recorded adds no message
 * at all, so that the thread keeps the gap that the recording has.
 */
export function scriptedTools(
  names: readonly string[],
  take: Playback["takeResults"],
): StructuredToolInterface[] {
  const run = (_args: unknown, config: { toolCallId?: string }): ToolMessage | Command => {
    const results = take(config.toolCallId ?? "");
    if (results.length === 1) return results[0] as ToolMessage;
    return new Command({ update: { messages: results } });
  };
  // Arguments are the recording's: any object is right.
  const schema = { type: "object" as const, properties: {}, additionalProperties: true };
  return names.map((name) => tool(run, { name, description: "Answers from the recording.", schema }));
}
