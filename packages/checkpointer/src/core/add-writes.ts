import { wait, type Steps } from "../awaitable.ts";
import type { TaskWrites } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { Backend, CheckpointKey, ClaimKey, WriteRow } from "./backend.ts";
import { Stage } from "./stage.ts";
import type { NamespaceState, Recorded, ThreadState } from "./state.ts";
import {
  type Items,
  joined,
  parseWrites,
  partsIn,
  regularOf,
  regularRow,
  textOf,
  type WriteParts,
  writeRows,
} from "./write-rows.ts";

/** A checkpoint under which a task's writes stand, and who may add to them: anybody, without a claim. */
export interface WritesPlace {
  readonly nsid: number;
  readonly seq: number;
  /** What has to be stored: that checkpoint, and all that the writes may refer to. */
  readonly after: CheckpointKey;
  readonly claim: ClaimKey | undefined;
}

/** What a task has written, and the rows that say it as it was when it came. */
export interface TaskRows {
  readonly task: TaskWrites;
  readonly rows: readonly WriteRow[];
}

interface Log {
  readonly backend: Backend;
}

/**
 * The rows of tasks as they are now, because the program goes on while they wait for their turn; to be asked for then.
 *
 * @param isOnItsWay - whether something is that they may refer to. It may get other ordinals, and all that is known of
 *   the thread is forgotten then: they are stored whole
 */
export function rowsNow(
  codec: Codec,
  state: ThreadState,
  writes: readonly TaskWrites[],
  isOnItsWay: boolean,
): () => readonly TaskRows[] {
  const known = state.identity;
  const rowsBy = (items?: Items): TaskRows[] =>
    writes.map((task) => ({ task, rows: writeRows(codec, task, items) }));
  const referring = rowsBy(new Stage(codec, state, undefined));
  const whole = isOnItsWay ? rowsBy() : referring;
  return () => (state.identity === known ? referring : whole);
}

/** Stores what tasks have written, and remembers it. @returns false when the claim was lost, or what has to be stored */
export function* recordWrites(
  log: Log,
  space: NamespaceState,
  place: WritesPlace,
  tasks: readonly TaskRows[],
): Steps<boolean> {
  const { nsid, seq, after, claim } = place;
  const recorded = space.recorded.get(seq);
  const isLonger = ({ task: { taskId, writes } }: TaskRows): boolean => {
    const before = recorded?.get(textOf(taskId));
    return before !== undefined && regularOf(writes).length > before.writes.length;
  };
  const longer = tasks.filter(isLonger);
  const rows = tasks.flatMap((one) => (longer.includes(one) ? [] : one.rows));
  if (rows.length > 0 && !(yield* wait(log.backend.record(claim, nsid, seq, rows, after)))) return false;
  for (const one of longer) {
    const already = yield* wait(log.backend.writes(nsid, seq));
    if (!(yield* addWrites(log, place, one, already))) return false;
  }
  for (const one of tasks) remember(space, seq, one.task, partsIn(one.rows));
  return true;
}

/**
 * Adds to what a task has written. Signals take the place of others; regular writes are told by their position:
 * those that stand are passed over, those behind them follow.
 *
 * @param already - all rows under the checkpoint
 * @returns false when the claim was lost, or what has to be stored
 */
export function* addWrites(
  { backend }: Log,
  { nsid, seq, after, claim }: WritesPlace,
  { task, rows }: TaskRows,
  already: readonly WriteRow[],
): Steps<boolean> {
  const id = textOf(task.taskId);
  const stored = already.find((row) => row.task === id && row.slot === 0);
  const others = stored === undefined ? rows : rows.filter(({ slot }) => slot !== 0);
  if (!(yield* wait(backend.record(claim, nsid, seq, others, after)))) return false;
  const further = stored === undefined ? [] : partsIn(rows).slice(2 * parseWrites(stored).length);
  if (stored === undefined || further.length === 0) return true;
  return yield* wait(backend.rewrite(claim, nsid, seq, joined(stored, regularRow(id, further))));
}

/**
 * Notes what a task has written under a checkpoint: a commit moves its elements to items.
 *
 * @param parts - what it said when it came
 */
export function remember(
  space: NamespaceState,
  seq: number,
  { taskId, writes }: TaskWrites,
  parts: WriteParts,
): void {
  const [regular, task] = [regularOf(writes), textOf(taskId)];
  const recorded = space.recorded.get(seq) ?? new Map<string, Recorded>();
  const before = recorded.get(task);
  const known = before?.writes.length ?? 0;
  if (regular.length <= known) return;
  const all: Recorded =
    before === undefined
      ? { task, writes: regular, parts }
      : {
          task,
          writes: [...before.writes, ...regular.slice(known)],
          parts: [...before.parts, ...parts.slice(2 * known)],
        };
  space.recorded.set(seq, recorded.set(task, all));
}
