import {
  afterFailure,
  checkSummary,
  readiness,
  type Compaction,
  type InvalidSummary,
  type Summarizer,
  type SummarizerStatus,
} from "@skein/context";
import { GraphError } from "@skein/errors";
import { asError } from "../shared/as-error.ts";
import type { CompactionEvent } from "./events.ts";
import { TOOL_CALLS } from "./model.ts";
import type { Setup } from "./options.ts";

export interface Written {
  readonly text: string;
  readonly tokens: number;
  readonly by: string;
  readonly tries: number;
}

export interface Attempted {
  /** `undefined` if every summarizer failed or rests. */
  readonly written: Written | undefined;
  readonly status: SummarizerStatus | undefined;
}

interface Failure {
  readonly reason: InvalidSummary | "error" | "tool-calls";
  readonly message: string;
}

/**
 * Has the summary written: up to the allowed tries, then by the fallback if there is one. It throws
 * only when the run itself is aborted.
 */
export async function attempt(
  plan: Compaction,
  previous: string | undefined,
  before: SummarizerStatus | undefined,
  turn: string | null,
  setup: Setup,
  env: { readonly signal?: AbortSignal | undefined; readonly emit: (event: CompactionEvent) => void },
): Promise<Attempted> {
  const { policy } = setup;
  let status = before;
  let tries = 0;
  while (readiness(status, turn, policy, policy.now()) === "ready") {
    tries++;
    const result = await once(setup.summarize, plan, previous, setup, env.signal);
    if ("text" in result) return { written: { ...result, by: setup.by, tries }, status: undefined };
    status = afterFailure(status, turn, result.message, policy, policy.now());
    const again = status.tries < policy.tries;
    const otherwise = setup.fallback === undefined ? "rest" : "fallback";
    const next = again ? "retry" : otherwise;
    env.emit({
      type: "compaction-failure",
      by: setup.by,
      attempt: status.tries,
      ...result,
      next,
      ...(next === "rest" ? { restUntil: status.restUntil } : {}),
    });
    if (!again) break;
  }
  if (setup.fallback === undefined) return { written: undefined, status };
  const result = await once(setup.fallback, plan, previous, setup, env.signal);
  if ("text" in result) return { written: { ...result, by: "extractive", tries: tries + 1 }, status };
  const restUntil = status?.restUntil ?? 0;
  env.emit({
    type: "compaction-failure",
    by: "extractive",
    attempt: tries + 1,
    ...result,
    next: "rest",
    restUntil,
  });
  return { written: undefined, status };
}

async function once(
  summarize: Summarizer,
  plan: Compaction,
  previous: string | undefined,
  setup: Setup,
  signal: AbortSignal | undefined,
): Promise<{ text: string; tokens: number } | Failure> {
  const { counter } = setup.policy;
  const limit = deadline(setup.timeout, signal);
  try {
    const input = {
      messages: plan.summarize,
      previous,
      maxTokens: plan.summaryTokens,
      signal: limit.signal,
    };
    const text = await Promise.race([Promise.resolve(summarize(input)), limit.over]);
    const tokens = typeof text === "string" ? counter.text(text) : 0;
    const reason = checkSummary(text, tokens, {
      replaced: plan.replacedTokens,
      longest: plan.longestSummary,
    });
    if (reason === undefined) return { text: text.trim(), tokens };
    return { reason, message: explain(reason, tokens, plan) };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const message = asError(error).message;
    return { reason: GraphError.is(error) && message === TOOL_CALLS ? "tool-calls" : "error", message };
  } finally {
    limit.clear();
  }
}

function explain(reason: InvalidSummary, tokens: number, plan: Compaction): string {
  if (reason === "empty") return "the summary is empty";
  if (reason === "no-text") return "the summarizer returned no text";
  if (reason === "not-smaller")
    return `the summary has ${tokens} tokens, what it replaces has ${plan.replacedTokens}`;
  return `the summary has ${tokens} tokens, ${plan.summaryTokens} were asked for and ${Math.floor(plan.longestSummary)} are allowed`;
}

/** A time limit for summarizers that may not heed a signal. The run's own abort ends it too. */
function deadline(
  milliseconds: number,
  outer: AbortSignal | undefined,
): { signal: AbortSignal; over: Promise<never>; clear: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => {
    controller.abort(new GraphError("TIMEOUT", `No summary within ${milliseconds} ms.`));
  }, milliseconds);
  if (outer?.aborted === true) abort();
  else outer?.addEventListener("abort", abort, { once: true });
  const over = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(controller.signal.reason as Error);
    if (controller.signal.aborted) fail();
    else controller.signal.addEventListener("abort", fail, { once: true });
  });
  // Nobody waits for it once the summary is there.
  over.catch(() => undefined);
  const clear = (): void => {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, over, clear };
}
