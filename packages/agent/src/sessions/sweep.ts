import { isBusy } from "./conversation.ts";
import { handOver, type HandingOver } from "./handoff.ts";
import type { EndReason, Session, SessionManagerOptions, SweptSessions } from "./types.ts";

export interface Sweeping extends HandingOver {
  readonly limits: Pick<SessionManagerOptions, "idleMs" | "maxAgeMs">;
}

/**
 * Ends the sessions whose time is over and hands over what is to be handed over. Looks at sessions
 * that are open or not handed over, never at all there ever were (I7).
 */
export async function sweepSessions(needs: Sweeping): Promise<SweptSessions> {
  const left = await needs.facts.all("ending", {});
  const ended: string[] = [];
  for (const id of await late(needs)) if (await timeOut(id, needs)) ended.push(id);
  const delivered: string[] = [];
  const pending: string[] = [];
  for (const id of new Set([...left, ...ended])) {
    const session = await over(id, needs);
    if (session !== undefined) ((await handOver(session, needs)) ? delivered : pending).push(id);
  }
  return { ended, delivered, pending };
}

/** Sessions whose time is over as far as the store knows. */
async function late({ facts, limits, now }: Sweeping): Promise<Set<string>> {
  const { idleMs, maxAgeMs } = limits;
  const idle = idleMs === undefined ? [] : await facts.all("open", { at: { $lte: now() - idleMs } });
  const old =
    maxAgeMs === undefined ? [] : await facts.all("open", { createdAt: { $lte: now() - maxAgeMs } });
  return new Set([...idle, ...old]);
}

/** Ends a session, unless it is being used now, or was used without anybody telling. */
async function timeOut(id: string, needs: Sweeping): Promise<boolean> {
  const { facts, conversations, now } = needs;
  const [known] = await facts.read([id]);
  if (known?.session.state !== "open") {
    // used for the last time by somebody who did not know yet that it is over
    await facts.forget(id, "open");
    return false;
  }
  const { session } = known;
  const { activeAt, createdAt } = session;
  const { thread_id } = session.thread.configurable;
  try {
    return await conversations.alone(thread_id, 0, async () => {
      const usedAt = Math.max(activeAt, (await conversations.head(thread_id))?.at ?? 0);
      const reason = reasonToEnd(createdAt, usedAt, needs);
      if (reason === undefined) await facts.touch(id, usedAt, createdAt);
      else await facts.end(id, { endedAt: now(), reason });
      return reason !== undefined;
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  }
}

function reasonToEnd(
  createdAt: number,
  usedAt: number,
  { limits: { idleMs = Infinity, maxAgeMs = Infinity }, now }: Sweeping,
): EndReason | undefined {
  if (now() - createdAt >= maxAgeMs) return "expired";
  return now() - usedAt >= idleMs ? "idle" : undefined;
}

/** A session that is to be handed over; its end is made good if who ended it came no further than to say so. */
async function over(id: string, { facts }: Sweeping): Promise<Session | undefined> {
  const [known] = await facts.read([id]);
  if (known === undefined) {
    // deleted while somebody ended it
    await facts.delete(id, undefined);
    return undefined;
  }
  if (known.session.state !== "open") return known.session;
  const end = await facts.ending(id);
  if (end === undefined) return undefined;
  await facts.end(id, end);
  return (await facts.read([id]))[0]?.session;
}
