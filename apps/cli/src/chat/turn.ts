import { AIMessage, isBaseMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { HumanMessage } from "@langchain/core/messages";
import { isCommand, type Command } from "@skein/graph";
import type { CompactionEvent } from "@skein/middleware/summarization";
import type { FolderAgent } from "../agent.ts";
import type { Show } from "./events.ts";

/**
 * One turn, or with `undefined` the rest of one that was stopped, or with a command one that waits. What the agent does is shown as it
 * happens. An abort ends the run; what was finished until then is saved.
 */
export async function runTurn(
  agent: FolderAgent,
  thread: string,
  input: HumanMessage | Command | undefined,
  show: Show,
  signal: AbortSignal,
): Promise<void> {
  const given = input === undefined || isCommand(input) ? (input ?? null) : { messages: [input] };
  const stream = await agent.stream(given, {
    configurable: { thread_id: thread },
    streamMode: ["messages", "updates", "custom"],
    durability: "sync",
    recursionLimit: 200,
    signal,
  });
  for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
    if (mode === "messages") showToken(chunk as [BaseMessage, { langgraph_node?: string }], show);
    else if (mode === "custom") showCompaction(chunk as CompactionEvent, show);
    else showUpdates(chunk as Record<string, { messages?: unknown } | null>, show);
  }
}

function showToken([message, metadata]: [BaseMessage, { langgraph_node?: string }], show: Show): void {
  if (!AIMessage.isInstance(message) || metadata.langgraph_node !== "model_request") return;
  if (message.text !== "") show({ type: "token", text: message.text });
}

function showCompaction(event: CompactionEvent, show: Show): void {
  switch (event.type) {
    case "compaction-end": {
      const { coveredIds, tokensBefore, tokensAfter } = event;
      show({ type: "compaction", messages: coveredIds.length, tokensBefore, tokensAfter });
      break;
    }
    case "compaction-failure":
      show({
        type: "info",
        text: `The summary failed (${event.message}); all messages stay in the context.`,
      });
      break;
    case "compaction-error":
      show({
        type: "info",
        text: `Nothing was compacted (${event.message}); all messages stay in the context.`,
      });
      break;
  }
}

function showUpdates(updates: Record<string, { messages?: unknown } | null>, show: Show): void {
  for (const update of Object.values(updates)) {
    const messages = Array.isArray(update?.messages) ? update.messages : [update?.messages];
    for (const message of messages) {
      if (isBaseMessage(message)) showMessage(message, show);
    }
  }
}

function showMessage(message: BaseMessage, show: Show): void {
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: id, name = "", status, text } = message;
    show({ type: "tool-result", id, name, failed: status === "error", text });
  }
  if (!AIMessage.isInstance(message)) return;
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) show({ type: "answer", text: message.text });
  for (const { id = "", name, args } of calls) show({ type: "tool-call", id, name, args });
}
