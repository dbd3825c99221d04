import { GraphError } from "@skein/errors";
import { run, wait, type Steps } from "../awaitable.ts";
import type { Awaitable, ChangeSet } from "../changeset/types.ts";
import { needsReading, type Appender } from "./append.ts";
import type { Backend, CommitRow } from "./backend.ts";
import { Batches } from "./batches.ts";
import { assertStored, type Claims, lostThread, type RunClaim } from "./claims.ts";
import { draftOf } from "./draft.ts";
import type { NamespaceState, Snapshot, ThreadState } from "./state.ts";
import type { TakenChange } from "./taken.ts";
import type { Staged, WaitingCommit } from "./together.ts";
import type { Turns } from "./turns.ts";

/** What is known of a thread, and read where it is not. */
export interface KnownPlaces {
  /** A namespace of a thread that a run holds. @throws GraphError THREAD_CONFLICT */
  space(held: RunClaim, namespace: string): Steps<NamespaceState>;
  snapshot(state: ThreadState, space: NamespaceState, id: string | undefined): Steps<Snapshot | undefined>;
  /** A run has given its thread back. */
  ended(held: RunClaim): void;
}

/** Commits the change sets of runs: at once, or several together where they pile up. */
export class Commits {
  readonly #backend: Backend;
  readonly #appender: Appender;
  readonly #claims: Claims;
  readonly #turns: Turns;
  readonly #known: KnownPlaces;
  readonly #batches: Batches;

  constructor(backend: Backend, appender: Appender, claims: Claims, turns: Turns, known: KnownPlaces) {
    this.#backend = backend;
    this.#appender = appender;
    this.#claims = claims;
    this.#turns = turns;
    this.#known = known;
    this.#batches = new Batches(turns, (held, changes) => this.#commitAll(held, changes));
  }

  commit(held: RunClaim, given: ChangeSet): Awaitable<void> {
    assertStored(held);
    const { threadId, waiting } = held;
    if (waiting !== undefined && this.#turns.takeBack(threadId)) {
      held.waiting = undefined;
      return this.#turns.take(threadId, () => run(this.#commitBoth(held, waiting, given)));
    }
    if (given.followed === true && this.#putOff(held, given)) return undefined;
    const change = this.#isLate(held, given) ? this.#appender.take(given) : given;
    if (this.#backend.commitAll !== undefined && this.#turns.isBusy(threadId))
      return this.#batches.add(held, change);
    return this.#turns.take(threadId, () => this.#commitNow(held, change));
  }

  /** Puts a change set off until the next one; false for one that is to be stored by itself. */
  #putOff(held: RunClaim, change: ChangeSet): boolean {
    const { threadId } = held;
    if (this.#backend.commitAll === undefined || this.#turns.isBusy(threadId)) return false;
    const staged = this.#stage(held, change, []);
    if (staged === undefined) return false;
    held.waiting = { change, staged };
    this.#turns.putOff(threadId, () => this.#commitWaiting(held));
    return true;
  }

  /** Another call came before the next change set. */
  #commitWaiting(held: RunClaim): Awaitable<void> {
    const waiting = held.waiting as WaitingCommit;
    held.waiting = undefined;
    // whoever called has nothing to do with it
    const fail = (error: unknown): void => {
      held.failure = { error };
    };
    try {
      const sent = run(this.#sendAll(held, waiting.staged.rows, () => [anew(waiting)]));
      return sent instanceof Promise ? sent.catch(fail) : undefined;
    } catch (error) {
      return fail(error);
    }
  }

  *#commitBoth(held: RunClaim, first: WaitingCommit, given: ChangeSet): Steps<void> {
    const alone = (): Steps<void> => this.#sendAll(held, first.staged.rows, () => [anew(first)]);
    let both: Staged | undefined;
    let change = given;
    try {
      both = this.#stage(held, given, first.staged.rows);
      if (both === undefined && this.#backend.synchronous !== true) change = this.#appender.take(given);
    } catch (error) {
      // what cannot be stored takes nothing with it
      yield* alone();
      throw error;
    }
    if (both !== undefined) {
      const second = { change: given, staged: both };
      return yield* this.#sendAll(held, both.rows, () => [anew(first), anew(second)]);
    }
    yield* alone();
    yield* wait(this.#commitNow(held, change));
  }

  /** Whether something is waited for before the change set is planned. */
  #isLate({ threadId, state }: RunClaim, change: ChangeSet): boolean {
    if (this.#turns.isBusy(threadId)) return true;
    if (this.#backend.synchronous === true) return false;
    const space = state.namespaces.get(change.namespace);
    if (state.lanes === undefined || space === undefined) return true;
    const parent = parentIn(space, change);
    return isCold(parent, change) || needsReading(parent, change.channels);
  }

  /** What comes from now on is not sent with what waits. */
  close(threadId: string): void {
    this.#batches.close(threadId);
  }

  /** Sends as many as can go together at once, and the others one by one. */
  *#commitAll(held: RunClaim, changes: readonly ChangeSet[]): Steps<void> {
    for (let at = 0; at < changes.length;) {
      let rows: readonly CommitRow[] = [];
      if (changes.length - at > 1)
        for (const change of changes.slice(at)) {
          const staged = this.#stage(held, change, rows);
          if (staged === undefined) break;
          rows = staged.rows;
        }
      const sent = changes.slice(at, at + rows.length);
      if (rows.length === 0) yield* wait(this.#commitNow(held, changes[at] as ChangeSet));
      else yield* this.#sendAll(held, rows, () => sent);
      at += rows.length || 1;
    }
  }

  /** A change set as one of several that are sent together; undefined where it has to go alone. */
  #stage(held: RunClaim, change: ChangeSet, before: readonly CommitRow[]): Staged | undefined {
    const { state } = held;
    const { namespace, parentId, basedOn, release, expectedHead } = change;
    const space = state.namespaces.get(namespace);
    const parent = parentId === undefined ? undefined : space?.snapshots.get(parentId);
    const isNext = expectedHead !== undefined && expectedHead === space?.headId && expectedHead === parentId;
    if (space === undefined || parent === undefined || !isNext) return undefined;
    if (basedOn !== undefined || release === true) return undefined;
    const sending = { claim: held, namespace, release: false };
    return this.#appender.stage(state, space, draftOf(space, parent, undefined, change), sending, before);
  }

  /** @param changes - what the rows were made of, to be planned anew */
  *#sendAll(held: RunClaim, rows: readonly CommitRow[], changes: () => readonly ChangeSet[]): Steps<void> {
    let isStored = false;
    try {
      const outcome = yield* wait(this.#backend.commitAll?.(rows));
      if (outcome?.done === false && outcome.why === "conflict") throw lostThread(held.threadId);
      isStored = outcome?.done === true;
    } finally {
      // they were remembered as if they were stored (S2)
      if (!isStored) held.state.forget();
    }
    // ordinals that somebody else has taken: each is planned anew
    if (!isStored) for (const change of changes()) yield* this.#commitColdly(held, change);
  }

  #commitNow(held: RunClaim, change: ChangeSet): Awaitable<void> {
    const space = held.state.namespaces.get(change.namespace);
    if (space === undefined) return run(this.#commitColdly(held, change));
    const parent = parentIn(space, change);
    if (isCold(parent, change)) return run(this.#commitColdly(held, change));
    return this.#commit(held, space, parent, undefined, change);
  }

  *#commitColdly(held: RunClaim, change: ChangeSet): Steps<void> {
    const space = yield* this.#known.space(held, change.namespace);
    const parent =
      change.parentId === undefined
        ? undefined
        : yield* this.#known.snapshot(held.state, space, change.parentId);
    const basis =
      change.basedOn === undefined
        ? undefined
        : yield* this.#known.snapshot(held.state, space, change.basedOn);
    if (basis === undefined && change.basedOn !== undefined)
      throw unknownCheckpoint(held.threadId, change.basedOn);
    yield* wait(this.#commit(held, space, parent, basis, change));
  }

  #commit(
    held: RunClaim,
    space: NamespaceState,
    parent: Snapshot | undefined,
    basis: Snapshot | undefined,
    change: ChangeSet,
  ): Awaitable<void> {
    if ((change.expectedHead ?? null) !== space.headId) throw lostThread(held.threadId);
    const draft = draftOf(space, parent, basis, change);
    const release = change.release === true;
    const stored = this.#appender.append(held.state, space, draft, {
      claim: held,
      namespace: change.namespace,
      release,
    });
    const ended = (): void => {
      if (!release) return;
      this.#claims.remove(held);
      this.#known.ended(held);
    };
    if (!(stored instanceof Promise)) return ended();
    return release ? stored.then(ended) : (stored as Promise<unknown> as Promise<void>);
  }
}

/** A change set as it was when it was planned first. */
const anew = ({ change, staged }: WaitingCommit): TakenChange => ({ ...change, told: staged.told() });

/** The checkpoint that a change set follows, as far as it is known. */
function parentIn({ snapshots }: NamespaceState, { parentId }: ChangeSet): Snapshot | undefined {
  return parentId === undefined ? undefined : snapshots.get(parentId);
}

/** Whether something has to be read first. */
function isCold(parent: Snapshot | undefined, { parentId, basedOn }: ChangeSet): boolean {
  return basedOn !== undefined || (parent === undefined && parentId !== undefined);
}

export function unknownCheckpoint(threadId: string, checkpointId: string | undefined): GraphError {
  return new GraphError(
    "UNKNOWN_CHECKPOINT",
    `Thread "${threadId}" has no checkpoint ${checkpointId === undefined ? "yet" : `"${checkpointId}"`}. List its checkpoints to see which it has.`,
    { details: { threadId, checkpointId } },
  );
}
