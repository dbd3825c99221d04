import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { contentHash, type JournalEntry } from "./journal.ts";

/** What comparing the journal with the history on disk found. All but `total` must be 0. */
export interface Accounts {
  readonly total: number;
  /** Acknowledged, and not in the history. */
  readonly lost: number;
  /** Acknowledged, and in the history with another content. */
  readonly changed: number;
  /** In the history more than once, answered more than once, or run again after it was acknowledged. */
  readonly appliedTwice: number;
  /** Tool calls without a result. */
  readonly unanswered: number;
  /** In the history, but never acknowledged to anybody. */
  readonly unknown: number;
  /** Tool calls that ran again because the kill found them running: at-least-once, and no error. */
  readonly runAgain: number;
}

export function settle(journal: readonly JournalEntry[], history: readonly BaseMessage[]): Accounts {
  const stored = new Map(history.map((message) => [message.id, contentHash(message)]));
  const acknowledged = new Map(
    journal.flatMap((entry) => (entry.type === "message" ? [[entry.id, entry.hash] as const] : [])),
  );
  const missing = [...acknowledged].filter(([id]) => !stored.has(id));
  const changed = [...acknowledged].filter(([id, hash]) => stored.has(id) && stored.get(id) !== hash);
  const results = countBy(
    history.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  );
  const calls = history.flatMap((message) =>
    AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
  );
  const { afterwards, again } = executions(journal);
  const twice =
    extra(countBy(history.map((message) => message.id ?? ""))) +
    extra(results) +
    extra(countBy(calls.map((call) => call.id ?? ""))) +
    afterwards;
  return {
    total: history.length,
    lost: missing.length,
    changed: changed.length,
    appliedTwice: twice,
    unanswered: calls.filter((call) => !results.has(call.id ?? "")).length,
    unknown: history.filter((message) => !acknowledged.has(message.id ?? "")).length,
    runAgain: again,
  };
}

export function holds(accounts: Accounts): boolean {
  const { lost, changed, appliedTwice, unanswered, unknown } = accounts;
  return lost + changed + appliedTwice + unanswered + unknown === 0;
}

/** Tool calls that ran more than once: after their result was acknowledged, or before. */
function executions(journal: readonly JournalEntry[]): { afterwards: number; again: number } {
  const answered = new Set<string>();
  const started = new Set<string>();
  let afterwards = 0;
  let again = 0;
  for (const entry of journal) {
    if (entry.type === "message" && entry.callId !== undefined) answered.add(entry.callId);
    if (entry.type !== "tool-start") continue;
    if (answered.has(entry.callId)) afterwards += 1;
    else if (started.has(entry.callId)) again += 1;
    started.add(entry.callId);
  }
  return { afterwards, again };
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function extra(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, times) => sum + times - 1, 0);
}
