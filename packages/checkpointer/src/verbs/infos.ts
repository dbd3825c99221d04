import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { wait, type Steps } from "../awaitable.ts";
import type { CheckpointRow } from "../core/backend.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { CheckpointInfo } from "../core/saver.ts";
import { PAGE } from "./stored-thread.ts";

export function* checkpointInfos(log: ItemLog, threadId: string): Steps<CheckpointInfo[]> {
  const found = yield* wait(log.backend.find(threadId, ""));
  if (found === undefined || found.nsid === null) return [];
  const rows: CheckpointRow[] = [];
  for (let after = 0; ;) {
    const page = yield* wait(log.backend.scanCheckpoints(found.nsid, after, PAGE));
    const last = page.at(-1);
    if (last === undefined) break;
    rows.push(...page);
    after = last.seq;
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
