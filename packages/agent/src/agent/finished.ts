import {
  AIMessage,
  HumanMessage,
  isBaseMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { type BaseChannel, decodeStoredWrite, isStateful, Overwrite, parentNamespace } from "@skein/graph";
import { isCancelled } from "../messages/cancelled.ts";
import { setId } from "../messages/set-id.ts";
import { saverOf } from "../model/run-progress.ts";
import { isWaiting } from "./answers.ts";
import { readTurn } from "./turn.ts";

/** Checkpoints back to the one whose calls were left open: that of the input, and of the hooks before the model. */
const BACK = 20;

const NONE: readonly never[] = [];

/** A call that had no result of its own when the user said something else. */
interface UnfinishedCall {
  readonly id?: string | undefined;
  /** Id of the result that says that it was cancelled, in whose place its own one is put. */
  readonly place?: string | undefined;
}

type Write = [key: string, value: unknown];

/** The keys of an agent's state. */
export type StateChannels = ReadonlyMap<string, BaseChannel>;

/** What calls wrote that had ended. */
export interface Finished {
  /** Their results, and what they said beside them. */
  readonly messages: readonly BaseMessage[];
  /** What their tasks wrote beside that, in order and as it is stored; also what the engine had them write. */
  readonly update: readonly Write[];
}

/**
 * What calls wrote that had ended while others of their reply waited for an answer, when the user said
 * something else instead: it stands under the checkpoint that the message gave up. What was done is not
 * to be told to the model as cancelled, nor is the state to lack what a result says.
 *
 * The first node of a turn that looks at the context stores it: hooks see the results, too, as they see all results.
 *
 * @returns undefined, and at once, for nearly all turns: no call is open before what was said
 */
export function finishedBefore(
  messages: readonly BaseMessage[],
  config: RunnableConfig,
): Promise<Finished | undefined> | undefined {
  const last = messages.at(-1);
  if (!HumanMessage.isInstance(last)) return undefined;
  const namespace = parentNamespace(String(config.configurable?.["checkpoint_ns"] ?? ""));
  // an agent in a tool that keeps nothing from call to call has no turn before
  if (!isStateful(namespace)) return undefined;
  const closed = namespace === "" ? NONE : closedBefore(messages);
  const open: readonly UnfinishedCall[] = closed.length > 0 ? closed : openBefore(messages);
  if (open.length === 0) return undefined;
  return lostResults(open, messages, config, namespace);
}

async function lostResults(
  open: readonly UnfinishedCall[],
  messages: readonly BaseMessage[],
  config: RunnableConfig,
  checkpoint_ns: string,
): Promise<Finished | undefined> {
  const saver = saverOf(config);
  if (saver === undefined) return undefined;
  const thread = { thread_id: config.configurable?.["thread_id"] as unknown, checkpoint_ns };
  const lost = await finishedOf(open, messages, saver, thread);
  if (lost.length === 0) return undefined;
  const said = lost.flatMap((one) => one.messages);
  const placeOf = new Map(open.map(({ id, place }) => [id, place]));
  for (const result of said) {
    const place = ToolMessage.isInstance(result) ? placeOf.get(result.tool_call_id) : undefined;
    if (place !== undefined) setId(result, place);
  }
  return { messages: said, update: lost.flatMap((one) => one.update) };
}

/**
 * What those of some calls wrote that had ended when an input gave their reply up, call by call.
 *
 * @param messages - the context, which lacks it
 */
export async function finishedOf(
  open: readonly UnfinishedCall[],
  messages: readonly BaseMessage[],
  saver: BaseCheckpointSaver,
  thread: { readonly thread_id: unknown; readonly checkpoint_ns: string },
): Promise<readonly Finished[]> {
  const ended = await endedOf(open, saver, { configurable: thread });
  const known = new Set(messages.map(({ id }) => id));
  // a call may also have edited a message that was there before
  const isKnown = (one: BaseMessage): boolean => ToolMessage.isInstance(one) && known.has(one.id);
  return ended.filter((one) => !one.messages.some(isKnown));
}

/**
 * Those writes of finished calls, as the calls made them, that one node can make together with its own, which come behind them: as in
 * a step of their own, the last one counts for a key that takes one write, and the last `Overwrite` for any
 * other. The step would fail with more of them, and so would every later one of the thread.
 */
export function besides(
  finished: readonly Write[],
  own: readonly (readonly [string, unknown])[],
  channels: StateChannels,
): Write[] {
  const taken = new Set<string>();
  const isFree = ([key, value]: readonly [string, unknown]): boolean => {
    const channel = channels.get(key);
    if (channel === undefined) return false;
    if (!channel.takesOneWrite && !Overwrite.isInstance(value)) return true;
    const isLast = !taken.has(key);
    taken.add(key);
    return isLast;
  };
  for (const write of own) isFree(write);
  const made = finished.map(([key, stored]): Write => {
    const channel = channels.get(key);
    return [key, channel === undefined ? stored : decodeStoredWrite(channel, stored)];
  });
  return made.toReversed().filter(isFree).toReversed();
}

/** Calls without result in front of what the user said last. */
export function openBefore(messages: readonly BaseMessage[]): readonly ToolCall[] {
  let at = messages.length - 1;
  while (at >= 0 && HumanMessage.isInstance(messages[at])) at -= 1;
  const last = messages[at];
  if (last === undefined || at === messages.length - 1) return NONE;
  if (AIMessage.isInstance(last) && (last.tool_calls?.length ?? 0) === 0) return NONE;
  const turn = readTurn(messages.slice(0, at + 1));
  return turn.state === "calling" ? turn.calls : NONE;
}

/** Calls in front of what the user said last whose results say that they were cancelled: see `closingOpenCalls`. */
function closedBefore(messages: readonly BaseMessage[]): readonly UnfinishedCall[] {
  const last = messages.findLastIndex((one) => !HumanMessage.isInstance(one));
  const closed: UnfinishedCall[] = [];
  for (let at = last; ToolMessage.isInstance(messages[at]); at -= 1) {
    const result = messages[at] as ToolMessage;
    if (isCancelled(result)) closed.push({ id: result.tool_call_id, place: result.id });
  }
  return closed;
}

async function endedOf(
  open: readonly UnfinishedCall[],
  saver: BaseCheckpointSaver,
  thread: RunnableConfig,
): Promise<readonly Finished[]> {
  let at = await saver.getTuple(thread);
  let isGivenUp = false;
  for (let back = 0; at !== undefined && back < BACK; back += 1) {
    // all other writes have been applied; the input may not be stored yet
    if (isGivenUp || back === 0) {
      const under = endedUnder(at);
      const ended = new Set(open.flatMap(({ id }) => under.get(id ?? "") ?? []));
      if (ended.size > 0) return [...ended];
      if (isGivenUp && isWaiting(at)) return NONE;
    }
    isGivenUp = at.metadata?.source === "input";
    at = at.parentConfig === undefined ? undefined : await saver.getTuple(at.parentConfig);
  }
  return NONE;
}

/** What the task of a call wrote, by the call's id. */
function endedUnder({ pendingWrites = [] }: CheckpointTuple): ReadonlyMap<string, Finished> {
  const tasks = new Map<string, Write[]>();
  for (const [task, key, value] of pendingWrites) tasks.set(task, [...(tasks.get(task) ?? []), [key, value]]);
  const ended = new Map<string, Finished>();
  for (const writes of tasks.values()) {
    const said = writes.flatMap(([key, value]) => (key === "messages" ? [value].flat() : []));
    // what it removed was not what the user has said since
    const messages = said.filter(
      (one) => isBaseMessage(one) && !RemoveMessage.isInstance(one),
    ) as BaseMessage[];
    const update = writes.filter(([key]) => key !== "messages");
    const finished = { messages, update };
    for (const one of messages) if (ToolMessage.isInstance(one)) ended.set(one.tool_call_id, finished);
  }
  return ended;
}
