import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError, shown } from "@skein/errors";
import { Command, Overwrite, whileHeld } from "@skein/graph";
import { cancelled } from "../messages/cancelled.ts";
import type { RunProgress } from "../model/run-progress.ts";
import { unstoredWrites } from "../tools/node.ts";
import { MODEL_NODE, TOOLS_NODE } from "./routes.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { besides, type Finished, finishedOf, openBefore, type StateChannels } from "./finished.ts";
import { readTurn } from "./turn.ts";

/** What becomes of a turn whose call is aborted: it is closed, or left for `invoke(null)` to go on with. */
export type OnStop = "heal" | "leave";

/** @throws GraphError INVALID_CONFIGURATION for what is neither */
export function requireOnStop(onStop: OnStop | undefined): void {
  if (onStop === undefined || onStop === "heal" || onStop === "leave") return;
  throw new GraphError("INVALID_CONFIGURATION", `onStop must be "heal" or "leave", not ${shown(onStop)}.`);
}

/** What was put right. */
export interface Healed {
  /** Ids of the calls that were answered in place of their tools. */
  readonly cancelled: readonly string[];
  /** Whether what the model had said of its reply was kept. */
  readonly partial: boolean;
}

/**
 * Closes a turn that was left open: every call without a result gets one that says that it was
 * cancelled, and half a reply is kept as half a reply. Results that tools did give count. The thread is
 * held meanwhile: a run that is waited for may give results of its own.
 *
 * @throws GraphError THREAD_CONFLICT while a run has the thread
 */
export async function heal(
  graph: AgentGraph,
  config: RunnableConfig,
  progress?: RunProgress,
): Promise<Healed> {
  // holding a thread makes it
  if (progress === undefined && !(await isStored(graph, config))) return { cancelled: [], partial: false };
  return whileHeld(graph, config, (held) => healHeld(graph, held, progress));
}

async function isStored(graph: AgentGraph, config: RunnableConfig): Promise<boolean> {
  const { createdAt } = await graph.getState(config, { archive: false });
  return createdAt !== undefined;
}

/** The same for who holds the thread: see `whileHeld` and `holding`. */
export async function healHeld(
  graph: AgentGraph,
  config: RunnableConfig,
  progress?: RunProgress,
): Promise<Healed> {
  const { values, tasks, metadata } = await graph.getState(config, { archive: false });
  const messages = (values as { messages?: BaseMessage[] }).messages ?? [];
  const turn = readTurn(messages);
  if (turn.state === "calling") {
    const done = finishedResults(tasks);
    const isGivenUp = metadata?.source === "input" || openBefore(messages).length > 0;
    const finished = isGivenUp ? await finishedOn(graph, config, turn.calls, messages) : [];
    for (const id of resultsIn(finished.flatMap((one) => one.messages))) done.add(id);
    const channels = channelsOf(graph);
    const own = progress === undefined ? [] : together(unstoredWrites(progress, turn.reply), channels);
    for (const id of resultsIn(messagesIn(own))) done.add(id);
    const open = turn.calls.filter(({ id }) => !done.has(id ?? ""));
    // an agent without tools may go on with a thread of one that has some
    const asNode = graph.program.nodes.has(TOOLS_NODE) ? TOOLS_NODE : MODEL_NODE;
    const wrote = finished.flatMap((one) => one.update);
    const said = finished.flatMap((one) => one.messages);
    const update: [string, unknown][] = [
      ...besides(wrote, own, channels),
      ...own,
      ["messages", [...said, ...open.map(cancelled)]],
    ];
    await graph.updateState(config, new Command({ update }), asNode);
    return { cancelled: open.map(({ id }) => id ?? ""), partial: false };
  }
  const half = progress?.message;
  if (half === undefined) return { cancelled: [], partial: false };
  await graph.updateState(config, { messages: [half] }, MODEL_NODE);
  return { cancelled: [], partial: true };
}

/** The same where healing is best effort: what is sent to a model is repaired anyway. */
export async function healQuietly(
  graph: AgentGraph,
  config: RunnableConfig,
  progress?: RunProgress,
): Promise<void> {
  try {
    await heal(graph, config, progress);
  } catch (error) {
    // somebody else runs the thread by now, or its storage is gone; the abort is what the caller waits for
    if (!GraphError.is(error)) throw error;
  }
}

/** What calls wrote that had ended before the input of a run that was stopped gave their reply up. */
async function finishedOn(
  { checkpointer }: AgentGraph,
  { configurable }: RunnableConfig,
  calls: readonly ToolCall[],
  messages: readonly BaseMessage[],
): Promise<readonly Finished[]> {
  if (typeof checkpointer !== "object") return [];
  const thread = { thread_id: configurable?.["thread_id"] as unknown, checkpoint_ns: "" };
  return finishedOf(calls, messages, checkpointer, thread);
}

/** The keys of an agent's state. */
function channelsOf({ program: { channels, stateKeys } }: AgentGraph): StateChannels {
  return new Map([...channels].filter(([key]) => stateKeys.includes(key)));
}

/** As many of some writes as one step can make: of those of which a key takes one, the last. */
function together(writes: [string, unknown][], channels: StateChannels): [string, unknown][] {
  return writes.filter(([key, value], at) => {
    const channel = channels.get(key);
    const isOne = (written: unknown): boolean =>
      channel?.takesOneWrite === true || Overwrite.isInstance(written);
    const isReplaced = (): boolean =>
      writes.slice(at + 1).some(([other, later]) => other === key && isOne(later));
    return channel !== undefined && !(isOne(value) && isReplaced());
  });
}

const messagesIn = (writes: readonly (readonly [string, unknown])[]): unknown[] =>
  writes.flatMap(([key, value]) => (key === "messages" ? [value].flat() : []));

/** Calls whose tasks ended before the run was stopped: their results are applied with the update. */
function finishedResults(tasks: readonly { readonly result?: unknown }[]): Set<string> {
  const written = tasks.map(({ result }) => (result as { messages?: unknown } | undefined)?.messages);
  return new Set(resultsIn(written.flat()));
}

/** Ids of the calls whose results these are. */
const resultsIn = (messages: readonly unknown[]): string[] =>
  messages.flatMap((message) => (ToolMessage.isInstance(message) ? message.tool_call_id : []));
