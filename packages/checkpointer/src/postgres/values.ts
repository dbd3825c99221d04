import type { CheckpointKey, CommitRow, NewItem, WriteRow } from "../core/backend.ts";
import { printInline } from "../core/inline-writes.ts";
import { toText } from "../core/names.ts";
import { shortId } from "../core/short-id.ts";
import type { Columns } from "./rows.ts";

const task = (row: WriteRow): string => shortId(row.task);
const slot = (row: WriteRow): number => row.slot;
const body = (row: { readonly body: string }): string => row.body;
const lane = (row: { readonly lane: number }): number => row.lane;
const ord = (row: { readonly ord: number }): number => row.ord;
const key = (row: NewItem): number | null => row.key;

/** Columns of rows, as arrays to be bound; nulls where there are no rows. */
function columns<Row>(rows: readonly Row[], ...of: readonly ((row: Row) => unknown)[]): unknown[] {
  return of.map((column) => (rows.length === 0 ? null : rows.map(column)));
}

/** Of rows for one place, only the last. */
export function lastOfEach<Row extends WriteRow & { readonly seq?: number }>(
  rows: readonly Row[],
): readonly Row[] {
  if (rows.length < 2) return rows;
  return [...new Map(rows.map((row) => [`${row.seq} ${row.slot} ${row.task}`, row])).values()];
}

export const writeColumns = (rows: readonly WriteRow[]): unknown[] =>
  columns(lastOfEach(rows), task, slot, body);

/** What has to be stored before. */
export const afterOf = (after: CheckpointKey | undefined): unknown[] => [
  after?.nsid ?? null,
  after === undefined ? null : shortId(after.id),
];

/** In the order of the parameters of `commit` in the schema, and what has to be stored before. */
export function commitValues(commit: CommitRow, checkpoints: Columns, inline: boolean): unknown[] {
  const { claim, checkpoint, items } = commit;
  return [
    commit.tid,
    claim?.epoch ?? null,
    commit.generation,
    toText(commit.namespace),
    commit.nsid,
    commit.expected,
    commit.head,
    ...checkpoints.of(checkpoint),
    (inline ? printInline(commit.writes, checkpoints.names) : undefined) ?? "",
    commit.replaces,
    commit.release && claim !== undefined,
    ...columns(commit.lanes, lane, ({ name }) => toText(name)),
    ...columns(items, lane, ord, key, body),
    ...writeColumns(inline ? [] : commit.writes),
    ...writeColumns(commit.rewrites),
    ...columns(commit.moved, lane, ord, body),
    ...afterOf(commit.after),
  ];
}

/** In the order of the parameters of `steps`, and what has to be stored before. @param commits - one behind the other, in one namespace */
export function stepsValues(commits: readonly CommitRow[], checkpoints: Columns): unknown[] {
  const first = commits[0] as CommitRow;
  const { tid, claim, generation, nsid, checkpoint } = first;
  const rows = commits.map((commit) => checkpoints.of(commit.checkpoint));
  const items = commits.flatMap((commit) => commit.items);
  return [
    tid,
    claim?.epoch ?? null,
    generation,
    nsid,
    checkpoint.seq,
    rows.map(([, cid]) => cid),
    rows.map(([, , , , base]) => base),
    rows.map(([, , , , , ts]) => ts),
    rows.map(([, , , , , , metadata]) => metadata),
    rows.map(([, , , , , , , manifest]) => manifest),
    commits.map(({ writes }) => printInline(writes, checkpoints.names) ?? ""),
    ...columns(items, lane, ord, key, body),
    ...afterOf(first.after),
  ];
}
