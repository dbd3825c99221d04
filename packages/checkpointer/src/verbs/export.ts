import { GraphError } from "@skein/errors";
import { run } from "../awaitable.ts";
import type { CheckpointRow, NewItem } from "../core/backend.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { WriteAt } from "../core/maintenance.ts";
import { printManifest } from "../manifest/text.ts";
import { findShownThread, PAGE } from "./stored-thread.ts";

/** Version of the lines that `exportThread` writes. */
export const EXPORT_FORMAT = 1;

/**
 * A thread as lines of JSON, each with its line end: everything that is stored of it, so that the
 * imported thread has the same checkpoints, branches and pending writes.
 *
 * @throws GraphError UNKNOWN_THREAD, or THREAD_CONFLICT when part of it is removed meanwhile
 */
export async function* exportThread(log: ItemLog, threadId: string): AsyncGenerator<string> {
  const { backend } = log;
  const { tid, generation } = await run(findShownThread(backend, threadId));
  yield line({ skein: "thread", format: EXPORT_FORMAT, thread: threadId });
  const namespaces = await backend.namespaces(threadId);
  let checkpoints = 0;
  for (const { namespace, nsid, head, next } of namespaces) {
    yield line({ namespace, head, next });
    for (let after = 0; ;) {
      // what is committed from now on is left out, and its items are read for nothing
      const rows = (await backend.scanCheckpoints(nsid, after, PAGE)).filter(({ seq }) => seq < next);
      const last = rows.at(-1)?.seq;
      if (last === undefined) break;
      for (const row of rows) yield checkpointLine(row);
      for (const write of await backend.scanWrites(nsid, after, last)) yield writeLine(write);
      checkpoints += rows.length;
      after = last;
    }
  }
  let items = 0;
  for (const { lane, name } of await backend.lanes(tid)) {
    yield line({ lane, name });
    for (let from = 0; ;) {
      const rows = await backend.scanItems(tid, lane, from, PAGE);
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const item of rows) yield itemLine(item);
      items += rows.length;
      from = last.ord + 1;
    }
  }
  const now = await backend.find(threadId, "");
  if (now?.tid !== tid || now.generation !== generation) throw changedMeanwhile(threadId);
  yield line({ end: true, checkpoints, items });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function checkpointLine(row: CheckpointRow): string {
  const { seq, id, parent, parentId, base, ts } = row;
  const fields = JSON.stringify({ seq, id, parent, parentId, base, ts });
  return `${fields.slice(0, -1)},"metadata":${row.metadata},"manifest":${printManifest(row.manifest)}}\n`;
}

function writeLine({ seq, task, slot, body }: WriteAt): string {
  return `${JSON.stringify({ under: seq, task, slot }).slice(0, -1)},"body":${body}}\n`;
}

function itemLine({ ord, key, body }: NewItem): string {
  return `{"ord":${ord},"key":${key},"body":${body}}\n`;
}

function changedMeanwhile(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Part of thread "${threadId}" was removed while it was exported. What was written is incomplete; export it again.`,
    { details: { threadId } },
  );
}
