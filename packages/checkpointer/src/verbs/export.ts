import { GraphError } from "@skein/errors";
import { run } from "../awaitable.ts";
import { parse } from "../codec/parse.ts";
import type { Backend, CheckpointRow, LaneRow, NewItem } from "../core/backend.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { WriteAt } from "../core/maintenance.ts";
import { missingItems } from "../core/missing.ts";
import { brokenChain } from "../core/snapshots.ts";
import { VALUES } from "../core/stage.ts";
import { printManifest } from "../manifest/text.ts";
import { Chains } from "./chains.ts";
import { findShownThread, PAGE } from "./stored-thread.ts";
import { ItemUses, type Span } from "./uses.ts";

/** Version of the lines that `exportThread` writes. */
export const EXPORT_FORMAT = 1;

/**
 * A thread as lines of JSON, each with its line end: everything that is stored of it, so that the
 * imported thread has the same checkpoints, branches and pending writes.
 *
 * @throws GraphError UNKNOWN_THREAD; THREAD_CONFLICT when part of it is removed meanwhile; STORAGE_CORRUPT
 *   when something that it needs is damaged or not there
 */
export async function* exportThread(log: ItemLog, threadId: string): AsyncGenerator<string> {
  const { backend } = log;
  const { tid, generation } = await run(findShownThread(backend, threadId));
  const isUnchanged = async (): Promise<boolean> => {
    const now = await backend.find(threadId, "");
    return now?.tid === tid && now.generation === generation;
  };
  yield line({ skein: "thread", format: EXPORT_FORMAT, thread: threadId });
  const counts: LineCounts = { checkpoints: 0, items: 0, writes: 0, lanes: 0, namespaces: 0 };
  try {
    const uses = new ItemUses(backend, tid);
    yield* checkpointLines(backend, threadId, uses, counts);
    const written: LaneRow[] = [];
    for (;;) {
      // read again behind each: a step that is stored meanwhile may begin one
      const next = nextLane(await backend.scanLanes(tid), written);
      if (next === undefined) break;
      const { lane, name } = next;
      yield line({ lane, name });
      counts.lanes += 1;
      written.push(next);
      yield* itemLines(backend, { threadId, tid, lane }, uses.needed(lane), counts);
    }
    const [lost] = uses.without(written);
    if (lost !== undefined) throw missingItems(threadId, lost.lane, lost.from, lost.to, 0);
  } catch (error) {
    if (!GraphError.is(error, "STORAGE_CORRUPT") || (await isUnchanged())) throw error;
    throw changedMeanwhile(threadId);
  }
  if (!(await isUnchanged())) throw changedMeanwhile(threadId);
  yield line({ end: true, ...counts });
}

/**
 * Values come first: a step that is stored meanwhile may make one refer to its own items, which then are read
 * behind it. Others in their order.
 */
function nextLane(lanes: readonly LaneRow[], written: readonly LaneRow[]): LaneRow | undefined {
  const left = lanes.filter(({ lane }) => !written.some((one) => one.lane === lane));
  left.sort((a, b) => Number(b.name === VALUES) - Number(a.name === VALUES) || a.lane - b.lane);
  return left[0];
}

/** How many lines of each kind there are. */
export interface LineCounts {
  checkpoints: number;
  items: number;
  writes: number;
  lanes: number;
  namespaces: number;
}

async function* checkpointLines(
  backend: Backend,
  threadId: string,
  uses: ItemUses,
  counts: LineCounts,
): AsyncGenerator<string> {
  for (const { namespace, nsid, head, next } of await backend.namespaces(threadId)) {
    yield line({ namespace, head, next });
    counts.namespaces += 1;
    const chains = new Chains();
    for (let after = 0; ;) {
      // what is committed from now on is left out, and its items are read for nothing
      const rows = (await backend.scanCheckpoints(nsid, after, PAGE)).filter(({ seq }) => seq < next);
      const last = rows.at(-1)?.seq;
      if (last === undefined) break;
      for (const row of rows) {
        if (!chains.add(row)) throw brokenChain(threadId, row.seq);
        await run(uses.manifest(row.manifest));
        yield checkpointLine(row);
      }
      for (const write of await backend.scanWrites(nsid, after, last)) {
        uses.text(write.body);
        yield writeLine(write);
        counts.writes += 1;
      }
      uses.compact();
      counts.checkpoints += rows.length;
      after = last;
    }
    if (head !== null && !chains.has(head)) throw brokenChain(threadId, head);
  }
}

/** @param needed - ascending */
async function* itemLines(
  backend: Backend,
  { threadId, tid, lane }: { threadId: string; tid: number; lane: number },
  needed: readonly Span[],
  counts: LineCounts,
): AsyncGenerator<string> {
  const found = needed.map(() => 0);
  let at = 0;
  for (let from = 0; ;) {
    const rows = await backend.scanItems(tid, lane, from, PAGE);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const item of rows) {
      while (at < needed.length && (needed[at] as Span).to <= item.ord) at += 1;
      if (at < needed.length && (needed[at] as Span).from <= item.ord) found[at] = (found[at] as number) + 1;
      yield itemLine(item);
    }
    counts.items += rows.length;
    from = last.ord + 1;
  }
  for (const [i, { from, to }] of needed.entries()) {
    const count = found[i] as number;
    if (count < to - from) throw missingItems(threadId, lane, from, to, count);
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function checkpointLine(row: CheckpointRow): string {
  const { seq, id, parent, parentId, base, ts } = row;
  const fields = JSON.stringify({ seq, id, parent, parentId, base, ts });
  return `${fields.slice(0, -1)},"metadata":${whole(row.metadata)},"manifest":${printManifest(row.manifest)}}\n`;
}

function writeLine({ seq, task, slot, body }: WriteAt): string {
  return `${JSON.stringify({ under: seq, task, slot }).slice(0, -1)},"body":${whole(body)}}\n`;
}

function itemLine({ ord, key, body }: NewItem): string {
  return `{"ord":${ord},"key":${key},"body":${whole(body)}}\n`;
}

/** @throws GraphError STORAGE_CORRUPT for what is not the JSON that was written */
function whole(body: string): string {
  parse(body);
  return body;
}

function changedMeanwhile(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Part of thread "${threadId}" was removed while it was exported. What was written is incomplete; export it again.`,
    { details: { threadId } },
  );
}
