import { GraphError, type OptionKind, shown } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import type { RunClaim } from "../core/claims.ts";
import { knownOptions } from "../core/given.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { Derivations } from "./derived.ts";
import { type Asked, carryOut, type Changed, holds, planErasure, type Planned } from "./erase-thread.ts";
import { findThread } from "./stored-thread.ts";
import { withThreads } from "./stored-threads.ts";

export interface EraseOptions {
  /** Follows the message into what was made of it in other words. Default: only quotes are followed. */
  readonly derived?: Derivations;
  /**
   * Texts that are erased with it wherever they stand in its threads, however short: a number, a
   * name. Compared as they are. Default: none.
   */
  readonly texts?: readonly string[];
}

export interface EraseReport {
  /** Threads that held the message: the one that was named, copies of it, and what it was copied from. */
  readonly threads: readonly string[];
  /** Stored messages, list elements and longer values that were rewritten. */
  readonly items: number;
  /** Writes of tasks that were rewritten. */
  readonly writes: number;
  /** Checkpoints whose metadata or short values were rewritten. */
  readonly checkpoints: number;
}

/** Not the kinds of their values: these are checked below. */
const ERASING: Readonly<Record<keyof EraseOptions, OptionKind>> = { derived: "any", texts: "any" };

/**
 * Takes what a message says out of a thread and of its relatives; a tombstone keeps its place. All of
 * them are held, and what is to change is known, before the first is changed.
 */
export function* eraseMessage(
  log: ItemLog,
  threadId: string,
  messageId: string,
  options: EraseOptions,
): Steps<EraseReport> {
  const { texts, derived } = knownOptions(options, "eraseMessage", ERASING);
  checkTexts(texts ?? []);
  checkDerived(derived);
  const asked = { messageId, texts: texts ?? [], derived };
  const row = yield* findThread(log.backend, threadId);
  const holders: string[] = [];
  for (const id of [threadId, ...(yield* wait(log.backend.relatives(row.tid)))]) {
    // a thread without it is not even taken
    if (yield* holds(log, id, asked)) holders.push(id);
  }
  return yield* withThreads(log, holders, function* (claims) {
    const plans = new Map<RunClaim, Planned>();
    for (const claim of claims) {
      const plan = yield* planErasure(log, claim, asked);
      if (plan !== undefined) plans.set(claim, plan);
    }
    return yield* eraseAll(log, plans, asked);
  });
}

function checkTexts(texts: readonly string[]): void {
  if (Array.isArray(texts) && texts.every((text) => typeof text === "string" && text.trim() !== "")) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "Texts to erase are a list of strings that are not blank: a blank stands in every text. Nothing was changed.",
  );
}

function checkDerived(derived: unknown): void {
  if (derived === undefined || derived === null) return;
  const { matches, rewrite } = derived as Partial<Derivations>;
  if (typeof matches === "function" && typeof rewrite === "function") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `What follows a message into what was made of it has matches and rewrite; ${shown(derived)} was given. Nothing was changed.`,
  );
}

/** One thread after the other: each is changed whole, and no storage changes several at once. */
function* eraseAll(log: ItemLog, plans: ReadonlyMap<RunClaim, Planned>, asked: Asked): Steps<EraseReport> {
  const report = { threads: [] as string[], items: 0, writes: 0, checkpoints: 0 };
  for (const [claim, plan] of plans) {
    let changed: Changed | undefined;
    try {
      changed = yield* carryOut(log, claim, plan, asked);
    } catch (error) {
      throw report.threads.length === 0 ? error : unfinished(error, asked, report.threads, claim);
    }
    if (changed === undefined) continue;
    report.threads.push(claim.threadId);
    report.items += changed.items;
    report.writes += changed.writes;
    report.checkpoints += changed.checkpoints;
  }
  return report;
}

function unfinished(
  cause: unknown,
  { messageId }: Asked,
  threads: readonly string[],
  { threadId }: RunClaim,
): GraphError {
  const done = threads.map((id) => `"${id}"`).join(", ");
  return new GraphError(
    GraphError.is(cause) ? cause.code : "STORAGE_UNAVAILABLE",
    `Message "${messageId}" was erased in ${done}, but not in "${threadId}" and what comes after it. ` +
      `Erase it again to finish. What happened in "${threadId}": ${cause instanceof Error ? cause.message : shown(cause)}`,
    { cause, details: { messageId, threads, threadId } },
  );
}
