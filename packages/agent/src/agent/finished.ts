import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { saverOf } from "../model/run-progress.ts";
import { isWaiting } from "./answers.ts";
import { readTurn } from "./turn.ts";

/** Checkpoints back to the one whose calls were left open: that of the input, and of the hooks before the model. */
const BACK = 20;

const NONE: readonly never[] = [];

/**
 * Results of calls that had ended while others of their reply waited for an answer, when the user said
 * something else instead: they stand under the checkpoint that the message gave up. What was done is not
 * to be told to the model as cancelled.
 *
 * The first node of a turn that looks at the context stores them: hooks see them, too, as they see all results.
 *
 * @returns undefined, and at once, for nearly all turns: no call is open before what was said
 */
export function finishedBefore(
  messages: readonly BaseMessage[],
  config: RunnableConfig,
): Promise<readonly ToolMessage[] | undefined> | undefined {
  const open = openBefore(messages);
  if (open.length === 0) return undefined;
  return lostResults(open, messages, config);
}

async function lostResults(
  open: readonly ToolCall[],
  messages: readonly BaseMessage[],
  config: RunnableConfig,
): Promise<readonly ToolMessage[] | undefined> {
  const { thread_id, checkpoint_ns: namespace } = config.configurable ?? {};
  const saver = saverOf(config);
  // an agent in a tool has another thread than the call that began the run
  if (saver === undefined || String(namespace).includes("|")) return undefined;
  const results = await resultsOf(open, saver, { configurable: { thread_id, checkpoint_ns: "" } });
  const known = new Set(messages.map(({ id }) => id));
  const lost = results?.filter(({ id }) => !known.has(id));
  return lost === undefined || lost.length === 0 ? undefined : lost;
}

/** Calls without result in front of what the user said last. */
function openBefore(messages: readonly BaseMessage[]): readonly ToolCall[] {
  let at = messages.length - 1;
  while (at >= 0 && HumanMessage.isInstance(messages[at])) at -= 1;
  const last = messages[at];
  if (last === undefined || at === messages.length - 1) return NONE;
  if (AIMessage.isInstance(last) && (last.tool_calls?.length ?? 0) === 0) return NONE;
  const turn = readTurn(messages.slice(0, at + 1));
  return turn.state === "calling" ? turn.calls : NONE;
}

async function resultsOf(
  open: readonly ToolCall[],
  saver: BaseCheckpointSaver,
  thread: RunnableConfig,
): Promise<readonly ToolMessage[] | undefined> {
  let at = await saver.getTuple(thread);
  let isGivenUp = false;
  for (let back = 0; at !== undefined && back < BACK; back += 1) {
    // all other writes have been applied; the input may not be stored yet
    if (isGivenUp || back === 0) {
      const under = resultsUnder(at);
      const results = open.flatMap(({ id }) => under.get(id ?? "") ?? []);
      if (results.length > 0) return results;
      if (isGivenUp && isWaiting(at)) return undefined;
    }
    isGivenUp = at.metadata?.source === "input";
    at = at.parentConfig === undefined ? undefined : await saver.getTuple(at.parentConfig);
  }
  return undefined;
}

function resultsUnder({ pendingWrites = [] }: CheckpointTuple): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (const [, channel, value] of pendingWrites) {
    if (channel !== "messages") continue;
    for (const message of Array.isArray(value) ? value : [value])
      if (ToolMessage.isInstance(message)) results.set(message.tool_call_id, message);
  }
  return results;
}
