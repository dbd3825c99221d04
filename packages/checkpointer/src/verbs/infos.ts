import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { wait, type Steps } from "../awaitable.ts";
import type { CheckpointRow } from "../core/backend.ts";
import type { ItemLog } from "../core/item-log.ts";
import { PAGE } from "./stored-thread.ts";

/** A checkpoint without its channels. */
export interface CheckpointInfo {
  readonly id: string;
  readonly parentId: string | undefined;
  /** ISO 8601. */
  readonly ts: string;
  readonly metadata: CheckpointMetadata;
  /** Whether the next run goes on from it. */
  readonly isHead: boolean;
}

export function* checkpointInfos(log: ItemLog, threadId: string): Steps<CheckpointInfo[]> {
  const found = yield* wait(log.backend.find(threadId, ""));
  // without a head it was only claimed, or is imported at this moment
  if (found === undefined || found.nsid === null || found.head === null) return [];
  const rows: CheckpointRow[] = [];
  for (let page: readonly CheckpointRow[] | undefined; page === undefined || page.length === PAGE;) {
    page = yield* wait(log.backend.scanCheckpoints(found.nsid, rows.at(-1)?.seq ?? 0, PAGE));
    rows.push(...page);
  }
  const ids = new Map(rows.map(({ seq, id }) => [seq, id]));
  return rows.map(({ seq, id, parent, parentId, ts, metadata }) => ({
    id,
    parentId: (parent === null ? parentId : (ids.get(parent) ?? parentId)) ?? undefined,
    ts,
    metadata: log.codec.decode(metadata) as CheckpointMetadata,
    isHead: seq === found.head,
  }));
}
