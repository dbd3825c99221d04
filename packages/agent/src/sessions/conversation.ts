import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { whileHeld } from "@skein/graph";
import { claimingOf } from "../claiming.ts";
import { fullMessages, type DualTrackState } from "../messages/dual-track.ts";

/** A complete history and the checkpoint that it was read from. */
export interface History {
  readonly messages: readonly BaseMessage[];
  readonly checkpointId: string | null;
}

/** The threads that sessions are about, on any saver. */
export class Conversations {
  readonly #saver: BaseCheckpointSaver;

  constructor(saver: BaseCheckpointSaver) {
    this.#saver = saver;
  }

  /**
   * Does something while no run works on a thread. On a foreign saver nobody knows of runs, and
   * nobody is kept out.
   *
   * @throws GraphError THREAD_CONFLICT when one still works on it after the wait
   */
  async alone<Result>(threadId: string, waitMs: number, body: () => Promise<Result>): Promise<Result> {
    const settings = { checkpointer: this.#saver, config: undefined };
    const thread = { configurable: { thread_id: threadId, onConflict: { waitMs } } };
    return whileHeld({ settings }, thread, () => body());
  }

  /** The newest checkpoint of a thread, and when it was stored, in milliseconds since 1970. */
  async head(threadId: string): Promise<{ readonly id: string; readonly at: number } | undefined> {
    const claiming = claimingOf(this.#saver);
    // the contract would read the whole history
    const checkpoint =
      claiming === undefined
        ? (await this.#saver.getTuple(rootOf(threadId)))?.checkpoint
        : (await claiming.open({ threadId, namespace: "" })).checkpoint;
    return checkpoint && { id: checkpoint.id, at: Date.parse(checkpoint.ts) };
  }

  /** Removes a thread with all its checkpoints, those of subgraphs included. */
  async delete(threadId: string): Promise<void> {
    await this.#saver.deleteThread(threadId);
  }

  async history(threadId: string): Promise<History> {
    const tuple = await this.#saver.getTuple(rootOf(threadId));
    if (tuple === undefined) return { messages: [], checkpointId: null };
    const state = tuple.checkpoint.channel_values as DualTrackState;
    // a thread of an agent that keeps one track only
    const messages = state.full_messages === undefined ? (state.messages ?? []) : fullMessages(state);
    return { messages: [...messages, ...resultsSince(tuple, messages)], checkpointId: tuple.checkpoint.id };
  }
}

/** Results of calls that have ended while others of their reply have not: they are stored, and no state has them yet. */
function resultsSince(
  { pendingWrites = [] }: CheckpointTuple,
  messages: readonly BaseMessage[],
): ToolMessage[] {
  const known = new Set(messages.map(({ id }) => id));
  const written = pendingWrites.flatMap(([, channel, value]) => (channel === "messages" ? value : []));
  return written.filter(
    (message): message is ToolMessage => ToolMessage.isInstance(message) && !known.has(message.id),
  );
}

/** Whether a call failed because a run works on the thread. */
export function isBusy(error: unknown): boolean {
  return GraphError.is(error, "THREAD_CONFLICT");
}

function rootOf(threadId: string) {
  return { configurable: { thread_id: threadId, checkpoint_ns: "" } };
}
