import type { CommitRow, NewItem } from "../core/backend.ts";
import { canBeInline, printInline } from "../core/inline-writes.ts";
import type { Columns } from "./rows.ts";
import { statement, type Statement } from "./statement.ts";
import { afterOf } from "./values.ts";

/** Items that a step brings with it, at most. */
const MOST_ITEMS = 2;

/** Whether a commit is a step: nearly all are. */
export function isStep(commit: CommitRow): boolean {
  const { checkpoint, expected, head } = commit;
  return (
    commit.nsid !== null &&
    expected !== null &&
    expected === checkpoint.parent &&
    head === checkpoint.seq &&
    checkpoint.seq === expected + 1 &&
    commit.lanes.length === 0 &&
    commit.items.length <= MOST_ITEMS &&
    commit.moved.length <= 1 &&
    commit.rewrites.length === 0 &&
    canBeInline(commit)
  );
}

/**
 * Of the last checkpoint that a saver has stored in a thread: a server that lost commits it had acknowledged, as
 * with `synchronous_commit = off` or a replica that lagged, may have the claim still. By its id: its numbers may
 * be another one's by now, of another thread even.
 */
export const isStored = (s: string, nsid: string, cid: string): string =>
  `EXISTS (SELECT FROM ${s}.checkpoints WHERE nsid = ${nsid} AND cid = ${cid})`;

/** The same where there is one: before the first there is nothing to ask for. */
export const isStoredIfAny = (s: string, nsid: string, cid: string): string =>
  `(${nsid}::bigint IS NULL OR ${isStored(s, nsid, cid)})`;

/** Items, then whether a value changes its bytes, then whether the claim ends. */
const FORMS = MOST_ITEMS + 1;

/** The statements of steps, of which each form has its own. @param s - the quoted name of the schema */
export function stepStatements(s: string): (commit: CommitRow) => Statement {
  const known: Statement[] = [];
  return ({ claim, items, moved, release }) => {
    const ends = release && claim !== undefined;
    const form = items.length + FORMS * (moved.length + (ends ? 2 : 0));
    return (known[form] ??= statement(stepText(s, items.length, moved.length > 0, ends)));
  };
}

/**
 * A checkpoint with its writes behind the head, perhaps items, a value that changes its bytes, and the end
 * of the claim. It stores one row or, where the claim or the head was lost, none at all; where the head is
 * another one, the row's number is not free.
 *
 * One statement, and not a function like the others: each statement of a function costs as much as a row.
 * It can be one because the claim stands in a row that it locks, which is compared anew if it was waited
 * for. Whatever changes heads otherwise, by numbers that are not the next, raises the generation.
 * What a value that changes its bytes leaves on its page is found free by the items that come then.
 */
function stepText(s: string, items: number, moves: boolean, release: boolean): string {
  // the limit is set before the row is locked, and until the transaction ends
  const held = `tid = $1 AND generation = $3 AND ($2::bigint IS NULL OR epoch = $2)
    AND ${isStoredIfAny(s, "$12", "$13")} AND set_config('lock_timeout', '5s', true) <> ''`;
  const parts = [
    release
      ? `held AS (UPDATE ${s}.threads SET owner = NULL, lease_until = NULL WHERE ${held} RETURNING tid)`
      : `held AS (SELECT tid FROM ${s}.threads WHERE ${held} FOR SHARE)`,
  ];
  let last = 13;
  const next = (type: string): string => `$${(last += 1)}::${type}`;
  const rows = Array.from(
    { length: items },
    () => `(${next("bigint")}, ${next("integer")}, ${next("integer")}, ${next("text")})`,
  );
  if (moves)
    parts.push(`changed AS (UPDATE ${s}.items i SET body = ${next("text")} FROM held
      WHERE i.tid = $1 AND i.lane = ${next("integer")} AND i.ord = ${next("integer")} RETURNING 1)`);
  if (items > 0)
    parts.push(`added AS (INSERT INTO ${s}.items SELECT $1::bigint, i.* FROM held,
      ${moves ? "(SELECT count(*) FROM changed) c, " : ""}(VALUES ${rows.join(", ")}) i)`);
  return `WITH ${parts.join(",\n")}
    INSERT INTO ${s}.checkpoints
    SELECT $4::bigint, $5::integer, $5::integer - 1, $7::integer, $6, $8, $9, $10, '', $11 FROM held`;
}

/** In the order of the places in a step's statement. */
export function stepValues(commit: CommitRow, checkpoints: Columns): unknown[] {
  const { claim, items } = commit;
  const [seq, cid, , , base, ts, metadata, manifest] = checkpoints.of(commit.checkpoint);
  const writes = printInline(commit.writes, checkpoints.names) ?? "";
  const [first, second] = items;
  const [moved] = commit.moved;
  const values: unknown[] = [
    commit.tid,
    claim?.epoch ?? null,
    commit.generation,
    commit.nsid,
    seq,
    cid,
    base,
    ts,
    metadata,
    manifest,
    writes,
    ...afterOf(commit.after),
  ];
  if (first !== undefined) pushItem(values, first);
  if (second !== undefined) pushItem(values, second);
  if (moved !== undefined) values.push(moved.body, moved.lane, moved.ord);
  return values;
}

function pushItem(values: unknown[], { key, lane, ord, body }: NewItem): void {
  values.push(key, lane, ord, body);
}
