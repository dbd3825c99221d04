import type { CommitOutcome, CommitRow } from "../core/backend.ts";
import { canBeInline, printInline } from "../core/inline-writes.ts";
import { toText } from "../core/names.ts";
import type { Connection } from "./connection.ts";
import { CONFLICT, explained, isConflict, isTaken } from "./driver.ts";
import { MOVE_HEAD } from "./heads.ts";
import { toId } from "./ids.ts";
import { spill } from "./inline.ts";
import {
  ADD_NAMESPACE,
  INSERT_CHECKPOINT,
  INSERT_WRITE,
  MOVE_ITEM,
  OUTDATE,
  RELEASE,
  REPLACE_CHECKPOINT,
  REWRITE,
  UNCHANGED,
} from "./queries.ts";
import { INLINE_ITEMS, INSERT_TOGETHER, insertSteps } from "./schema.ts";

/**
 * Whether a commit is a step, as nearly all are: a checkpoint that comes next and is the head from then on.
 *
 * @param inline - its writes can stand in the checkpoint's row
 */
function isStep(commit: CommitRow, inline: boolean): boolean {
  const { checkpoint, expected, head } = commit;
  return (
    commit.nsid !== null &&
    !commit.replaces &&
    head === checkpoint.seq &&
    checkpoint.seq === (expected ?? 0) + 1 &&
    commit.items.length <= INLINE_ITEMS &&
    (inline || commit.writes.length === 0) &&
    commit.rewrites.length === 0 &&
    commit.moved.length <= 1 &&
    commit.lanes.length === 0
  );
}

/** Whether a step binds what few of them do. */
const hasMoved = ({ moved, checkpoint }: CommitRow): boolean =>
  moved.length > 0 || checkpoint.parentId !== null;

/** How a commit is stored: nearly every one by one statement. */
export class Commits {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Of what is stored on its own: what a trigger refused is an outcome, and errors of the driver are explained. */
  outcomeOf(store: () => CommitOutcome): CommitOutcome {
    try {
      return store();
    } catch (error) {
      if (isConflict(error)) return { done: false, why: "conflict" };
      if (isTaken(error)) return { done: false, why: "taken" };
      throw explained(this.#db.path, error);
    }
  }

  /** Within a transaction of several, too; with errors of the driver as they are. */
  commit(commit: CommitRow): CommitOutcome {
    const inline = canBeInline(commit);
    const nsid = isStep(commit, inline)
      ? this.#commitStep(commit, commit.nsid as number)
      : this.#commitBig(commit, inline);
    return { done: true, nsid };
  }

  /** Whether a commit can be one of several that are stored by one call. */
  joins(commit: CommitRow): boolean {
    const { names } = this.#db.checkpoints;
    return isStep(commit, canBeInline(commit)) && names.missing(commit.checkpoint.manifest) === undefined;
  }

  /** Of one namespace, all of which join. With errors of the driver as they are. */
  commitAll(commits: readonly CommitRow[]): CommitOutcome {
    const [first, second] = commits as [CommitRow, CommitRow | undefined];
    const nsid = first.nsid as number;
    if (second !== undefined && commits.length === 2 && !this.#db.isTogether) {
      const items = Math.max(first.items.length, second.items.length);
      const moves = hasMoved(first) || hasMoved(second);
      const values = this.#values(first, nsid, items, moves);
      this.#db.write(insertSteps(items, moves, 2), [...values, ...this.#values(second, nsid, items, moves)]);
    } else this.#db.transaction(() => commits.forEach((commit) => this.#commitStep(commit, nsid)));
    return { done: true, nsid };
  }

  #commitStep(commit: CommitRow, nsid: number): number {
    const { items } = commit;
    const moves = hasMoved(commit);
    const isPlain = items.length === 0 && !moves;
    const sql = isPlain && this.#db.isTogether ? INSERT_TOGETHER : insertSteps(items.length, moves, 1);
    this.#db.write(sql, this.#values(commit, nsid, items.length, moves));
    return nsid;
  }

  /** In the order of the places of `insertSteps`. */
  #values(commit: CommitRow, nsid: number, items: number, moves: boolean): unknown[] {
    const values = this.#plain(commit, nsid);
    for (let i = 0; i < items; i += 1) {
      const item = commit.items[i];
      if (item === undefined) values.push(null, null, null, null);
      else values.push(item.lane, item.ord, item.key, item.body);
    }
    if (!moves) return values;
    const { parentId } = commit.checkpoint;
    const [moved] = commit.moved;
    values.push(parentId === null ? null : toId(parentId));
    values.push(moved?.lane ?? null, moved?.ord ?? null, moved?.body ?? null);
    return values;
  }

  /** What every step binds; most bind nothing else, for they bring no item and their parent is stored. */
  #plain({ tid, claim, generation, checkpoint, writes, release }: CommitRow, nsid: number): unknown[] {
    const { checkpoints } = this.#db;
    const [seq, id, parent, , base, ts, metadata, manifest] = checkpoints.of(checkpoint);
    const text = printInline(writes, checkpoints.names) ?? null;
    const place = [tid, claim?.epoch ?? null, generation, nsid, seq, id, parent, base];
    return [...place, ts, metadata, manifest, text, release ? 1 : 0];
  }

  #commitBig(commit: CommitRow, inline: boolean): number {
    return this.#db.transaction(() => {
      const { tid, claim, checkpoint } = commit;
      let { nsid } = commit;
      if (nsid === null) {
        this.#db.sql(ADD_NAMESPACE).run([tid, toText(commit.namespace)]);
        [nsid] = this.#db
          .sql("SELECT nsid FROM namespaces WHERE tid = ? AND ns = ?")
          .get([tid, toText(commit.namespace)]) as [number];
      }
      const epoch = claim?.epoch ?? null;
      const unchanged = this.#db
        .sql(UNCHANGED)
        .get([nsid, commit.expected, tid, commit.generation, epoch, epoch]);
      if (unchanged === undefined) throw new Error(CONFLICT);
      for (const { lane, name } of commit.lanes) {
        this.#db.sql("INSERT INTO lanes VALUES (?, ?, ?)").run([tid, lane, toText(name)]);
      }
      const insertItem = this.#db.sql("INSERT INTO items VALUES (?, ?, ?, ?, ?)");
      for (const { lane, ord, key, body } of commit.items) insertItem.run([tid, lane, ord, key, body]);
      const { checkpoints } = this.#db;
      const columns = [nsid, ...checkpoints.of(checkpoint)];
      const text = inline ? printInline(commit.writes, checkpoints.names) : undefined;
      if (commit.replaces) {
        spill(this.#db, nsid, checkpoint.seq);
        this.#db.sql(REPLACE_CHECKPOINT).run(columns);
        this.#db.sql(OUTDATE).run([tid]);
      } else this.#db.sql(INSERT_CHECKPOINT).run([...columns, text ?? null]);
      this.#db.sql(MOVE_HEAD).run([commit.head, nsid, commit.head]);
      for (const { task, slot, body } of inline ? [] : commit.writes) {
        this.#db.sql(INSERT_WRITE).run([nsid, checkpoint.parent, toId(task), slot, body]);
      }
      for (const { task, slot, body } of commit.rewrites) {
        this.#db.sql(REWRITE).run([body, nsid, checkpoint.parent, toId(task), slot]);
      }
      for (const { lane, ord, body } of commit.moved) this.#db.sql(MOVE_ITEM).run([body, tid, lane, ord]);
      if (commit.release && claim !== undefined) this.#db.sql(RELEASE).run([tid, claim.epoch]);
      return nsid;
    });
  }
}
