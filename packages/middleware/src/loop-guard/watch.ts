import type { ToolCall } from "@langchain/core/messages/tool";
import type { LastTurn } from "../shared/turn.ts";

/** What became of one call. */
export interface Outcome {
  /** The tool and its arguments. */
  readonly key: string;
  readonly failed: boolean;
}

/** What is remembered of a run's calls; saved with the thread, so that it outlives an interrupt. */
export interface Watch {
  /** Id of the reply that was looked at last. */
  readonly reply: string | undefined;
  /** The newest outcomes, oldest first. */
  readonly outcomes: readonly Outcome[];
  /** Failures without a success between them, since the user was asked. */
  readonly failures: number;
  /** What the model is told at its next call. */
  readonly alert: string | null;
}

export const NOTHING: Watch = { reply: undefined, outcomes: [], failures: 0, alert: null };

/** Takes in the results of a turn. */
export function watchTurn(before: Watch, { reply, results }: LastTurn, memory: number): Watch {
  const failed = new Set(
    results.flatMap((result) => (result.status === "error" ? [result.tool_call_id] : [])),
  );
  const turn = (reply.tool_calls ?? []).map((call) => ({
    key: keyOf(call),
    failed: failed.has(call.id ?? ""),
  }));
  return {
    reply: reply.id,
    outcomes: [...before.outcomes, ...turn].slice(-memory),
    failures: turn.reduce((count, one) => (one.failed ? count + 1 : 0), before.failures),
    alert: null,
  };
}

/** Of the newest calls the one that failed most often without ever working in between. */
export function repeatedFailure(
  watch: Watch,
  newest: number,
): { readonly key: string; readonly times: number } {
  const counts = new Map<string, number>();
  for (const { key, failed } of watch.outcomes) counts.set(key, failed ? (counts.get(key) ?? 0) + 1 : 0);
  let worst = { key: "", times: 0 };
  for (const { key } of watch.outcomes.slice(-newest)) {
    const times = counts.get(key) ?? 0;
    if (times > worst.times) worst = { key, times };
  }
  return worst;
}

/** One text for the same tool with the same arguments, whatever order a model writes them in. */
function keyOf({ name, args }: ToolCall): string {
  return `${name}(${JSON.stringify(args, inOrder)})`;
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
