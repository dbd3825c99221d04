import type { Conversations } from "./conversation.ts";
import type { SessionFactStore } from "./facts.ts";
import type { Session, SessionFailure, SessionManagerOptions } from "./types.ts";

/** What handing over needs. */
export interface HandingOver {
  readonly facts: SessionFactStore;
  readonly conversations: Conversations;
  readonly options: Pick<SessionManagerOptions, "offload" | "heal">;
  readonly waitMs: number;
  readonly now: () => number;
  readonly report: (failure: SessionFailure) => void;
}

/**
 * Hands the history of a session that is over to who takes histories. That it is to be done is
 * stored before, that it was done afterwards: a crash between the two means that it is done again.
 * The thread is held meanwhile, so of several processes one does it, and no run adds to what was read.
 *
 * @returns false when it could not be done now; a sweep tries again
 */
export async function handOver(session: Session, needs: HandingOver): Promise<boolean> {
  const { conversations, options, waitMs, report } = needs;
  const { thread_id } = session.thread.configurable;
  try {
    await options.heal?.({ configurable: { thread_id, onConflict: { waitMs } } });
    await conversations.alone(thread_id, waitMs, () => whileAlone(session, needs));
    return true;
  } catch (error) {
    report({ hook: "offload", sessionId: session.id, error });
    return false;
  }
}

async function whileAlone({ id, thread }: Session, needs: HandingOver): Promise<void> {
  const { facts, conversations, options, now } = needs;
  const { thread_id } = thread.configurable;
  // asked again: another process may have done it while this one waited for the thread
  const [known] = await facts.read([id]);
  const { offload } = options;
  // deleted meanwhile: what whoever ended it wrote since then goes too
  if (known === undefined) return facts.delete(id, undefined);
  if (offload === undefined) {
    await facts.handOff(id, { at: now(), key: null, checkpointId: null });
    return;
  }
  const head = await conversations.head(thread_id);
  if (known.handoff !== undefined && known.handoff.checkpointId === (head?.id ?? null)) {
    await facts.forget(id, "open", "ending");
    return;
  }
  const { messages, checkpointId } = await conversations.history(thread_id);
  const key = messages.length === 0 ? null : `${thread_id}@${checkpointId}`;
  if (key !== null) await offload({ session: known.session, key, messages });
  await facts.handOff(id, { at: now(), key, checkpointId });
}
