import type { Attributes } from "@opentelemetry/api";
import { isBaseMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { isCompaction } from "@skein/agent";
import { createTokenCounter, isMarkedSummary } from "@skein/context";
import { REMOVE_ALL_MESSAGES } from "@skein/graph";

const counter = createTokenCounter();

/** What a task took out of the context, in numbers; undefined when it was no compaction. */
export function compactionOf(input: unknown, output: unknown): Attributes | undefined {
  const before = messagesOf(input);
  const write = (output as { messages?: unknown } | undefined)?.messages;
  if (before === undefined) return undefined;
  const change = isCompaction(write) ? write : byRemoval(write);
  if (change === undefined) return undefined;
  const { remove, replace, summary } = change;
  const byId = new Map(before.map((message) => [message.id, message]));
  const tokensBefore = counter.messages(before);
  let saved = 0;
  for (const id of remove) saved += tokensOf(byId.get(id));
  for (const message of replace) saved += tokensOf(byId.get(message.id)) - tokensOf(message);
  return {
    "skein.compaction.messages_before": before.length,
    "skein.compaction.messages_removed": remove.length,
    "skein.compaction.messages_shortened": replace.length,
    "skein.compaction.tokens_before": tokensBefore,
    "skein.compaction.tokens_after": tokensBefore - saved + tokensOf(summary),
    "skein.compaction.summary_tokens": tokensOf(summary),
  };

  /** A remove-all and a summary, as LangChain's own middleware and every agent of LangGraph's write it. */
  function byRemoval(list: unknown) {
    if (!Array.isArray(list) || !list.every(isBaseMessage)) return undefined;
    const [first, ...context] = list as BaseMessage[];
    if (!RemoveMessage.isInstance(first as BaseMessage) || first?.id !== REMOVE_ALL_MESSAGES)
      return undefined;
    const kept = new Set(context.map(({ id }) => id));
    const gone = (before ?? []).flatMap(({ id }) => (id === undefined || kept.has(id) ? [] : [id]));
    return { remove: gone, replace: [], summary: context.find(isMarkedSummary) };
  }
}

function messagesOf(input: unknown): readonly BaseMessage[] | undefined {
  const messages = (input as { messages?: unknown } | undefined)?.messages;
  return Array.isArray(messages) && messages.every(isBaseMessage) ? messages : undefined;
}

function tokensOf(message: BaseMessage | undefined): number {
  return message === undefined ? 0 : counter.message(message);
}
