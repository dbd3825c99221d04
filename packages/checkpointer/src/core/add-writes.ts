import { wait, type Steps } from "../awaitable.ts";
import type { TaskWrites } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { Backend, ClaimKey, WriteRow } from "./backend.ts";
import type { NamespaceState, Recorded } from "./state.ts";
import { joined, newTo, regularOf, textOf, writeRows } from "./write-rows.ts";

/** A checkpoint under which a task's writes stand, and who may add to them: anybody, without a claim. */
export interface WritesPlace {
  readonly nsid: number;
  readonly seq: number;
  readonly claim: ClaimKey | undefined;
}

/**
 * Adds to what a task has written. Signals take the place of others; regular writes are told by their position:
 * those that stand are passed over, those behind them follow.
 *
 * @param already - all rows under the checkpoint
 * @returns false when the claim was lost
 */
export function* addWrites(
  { backend, codec }: { readonly backend: Backend; readonly codec: Codec },
  { nsid, seq, claim }: WritesPlace,
  { taskId, writes }: TaskWrites,
  already: readonly WriteRow[],
): Steps<boolean> {
  const task = textOf(taskId);
  const regular = already.find((row) => row.task === task && row.slot === 0);
  const rows = writeRows(codec, { taskId, writes: newTo(regular, writes) });
  const further = regular && rows.find(({ slot }) => slot === 0);
  const others = rows.filter((row) => row !== further);
  if (!(yield* wait(backend.record(claim, nsid, seq, others)))) return false;
  if (regular === undefined || further === undefined) return true;
  return yield* wait(backend.rewrite(claim, nsid, seq, joined(regular, further)));
}

/** Notes what a task has written under a checkpoint: a commit moves its elements to items. */
export function remember(space: NamespaceState, seq: number, { taskId, writes }: TaskWrites): void {
  const [regular, task] = [regularOf(writes), textOf(taskId)];
  const recorded = space.recorded.get(seq) ?? new Map<string, Recorded>();
  const before = recorded.get(task)?.writes ?? [];
  if (regular.length <= before.length) return;
  const all = before.length === 0 ? regular : [...before, ...regular.slice(before.length)];
  space.recorded.set(seq, recorded.set(task, { task, writes: all }));
}
