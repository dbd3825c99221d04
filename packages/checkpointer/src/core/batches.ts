import { run, type Steps } from "../awaitable.ts";
import type { Awaitable, ChangeSet } from "../changeset/types.ts";
import type { RunClaim } from "./claims.ts";
import type { Turns } from "./turns.ts";

/** Most change sets that are sent together. */
const LARGEST = 128;

/** Change sets of one namespace that wait for their turn. */
interface Batch {
  readonly claim: RunClaim;
  readonly changes: ChangeSet[];
  readonly stored: Promise<void>;
}

/**
 * Puts commits together that come while an earlier call on their thread is under way: a run that does
 * not wait for each of its steps sends those that have piled up at once.
 */
export class Batches {
  readonly #turns: Turns;
  readonly #commit: (claim: RunClaim, changes: readonly ChangeSet[]) => Steps<void>;
  readonly #waiting = new Map<string, Batch>();

  constructor(turns: Turns, commit: (claim: RunClaim, changes: readonly ChangeSet[]) => Steps<void>) {
    this.#turns = turns;
    this.#commit = commit;
  }

  add(claim: RunClaim, change: ChangeSet): Awaitable<void> {
    const { threadId } = claim;
    const waiting = this.#waiting.get(threadId);
    if (waiting !== undefined && joins(waiting, claim, change)) {
      waiting.changes.push(change);
      return waiting.stored;
    }
    const changes = [change];
    const stored = this.#turns.take(threadId, () => {
      if (this.#waiting.get(threadId)?.changes === changes) this.#waiting.delete(threadId);
      return run(this.#commit(claim, changes));
    });
    if (!(stored instanceof Promise)) return stored;
    // not yet its turn: others may join
    this.#waiting.set(threadId, { claim, changes, stored });
    return stored;
  }

  /** What comes from now on is not sent with what waits. */
  close(threadId: string): void {
    this.#waiting.delete(threadId);
  }
}

function joins({ claim, changes }: Batch, by: RunClaim, change: ChangeSet): boolean {
  const [first] = changes;
  return claim === by && first?.namespace === change.namespace && changes.length < LARGEST;
}
