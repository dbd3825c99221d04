import { planAhead, seemsPrefix, turnOf, type Ahead } from "@skein/context";
import { asError } from "../shared/as-error.ts";
import type { ReadySummary, SummaryAhead } from "./ahead.ts";
import { attempt, type Attempted } from "./attempt.ts";
import type { Pass } from "./pass.ts";
import { emitter } from "./emit.ts";
import type { CompactionUpdate } from "./write.ts";

/** Beyond the tries' own time: a process that stood still is not dead. */
const GRACE = 5_000;

/**
 * Fetches what was prepared, and starts to prepare what will be needed. The state says what goes on,
 * so a thread has one preparation at a time, whichever processes run it.
 */
export function prepare(pass: Pass): CompactionUpdate | undefined {
  const { state, setup } = pass;
  const { _summaryAhead: ahead } = state;
  // no key, nowhere to put it
  if (setup.policy.start === undefined || ahead === undefined) return undefined;
  if (ahead?.kind === "running") return fetch(ahead, pass);
  if (ahead?.kind === "ready" && seemsPrefix(ahead.prefix, state.messages)) return undefined;
  if (ahead?.kind === "ready") {
    pass.emit({ type: "compaction-discard", reason: "other-branch", messages: ahead.prefix.count });
  }
  return begin(pass) ?? (ahead === null ? undefined : { _summaryAhead: null });
}

/** A prepared summary at the moment that it is needed; one that is being written here is waited for. */
export async function readyOf({ state, jobs, signal }: Pass): Promise<ReadySummary | undefined> {
  const { _summaryAhead: ahead } = state;
  if (ahead?.kind === "ready") return ahead;
  if (ahead?.kind !== "running") return undefined;
  const finished = await jobs.finish(ahead.id, signal);
  return finished && readySummary(ahead, finished);
}

function fetch(ahead: Extract<SummaryAhead, { kind: "running" }>, pass: Pass): CompactionUpdate | undefined {
  const { jobs, setup, emit } = pass;
  const finished = jobs.take(ahead.id);
  if (finished === undefined) {
    // Another process may be at it; once its lease is over, nobody is.
    if (jobs.has(ahead.id) || setup.policy.now() < ahead.deadline) return undefined;
    return begin(pass) ?? { _summaryAhead: null };
  }
  const ready = readySummary(ahead, finished);
  if (ready === undefined) return { _summaryAhead: null, _summaryStatus: finished.status ?? null };
  emit({
    type: "compaction-ready",
    messages: ready.prefix.count,
    summaryTokens: ready.tokens,
    by: ready.by,
    tries: ready.tries,
  });
  return { _summaryAhead: ready };
}

function readySummary(
  { prefix }: { readonly prefix: SummaryAhead["prefix"] },
  { written }: Attempted,
): ReadySummary | undefined {
  if (written === undefined) return undefined;
  const { text, tokens, by, tries } = written;
  return { kind: "ready", text, tokens, prefix, by, tries };
}

function begin(pass: Pass): CompactionUpdate | undefined {
  const { state, known, setup, jobs, emit } = pass;
  const { policy } = setup;
  const planned = planAhead(state.messages, known, policy);
  if (planned === undefined) return undefined;
  const now = policy.now();
  const id = crypto.randomUUID();
  const deadline = now + policy.tries * (setup.timeout + GRACE);
  const { facts } = planned.compaction.report;
  emit({
    type: "compaction-prepare",
    messages: facts.messages,
    tokens: facts.tokens,
    summarize: planned.prefix.count,
    deadline,
  });
  jobs.start(id, deadline, now, () => write(planned, pass));
  return { _summaryAhead: { kind: "running", id, deadline, prefix: planned.prefix } };
}

/** Off the run: its stream may be closed by then, and its abort is none of this. It never rejects. */
async function write({ compaction }: Ahead, pass: Pass): Promise<Attempted> {
  const { state, summary, status, setup } = pass;
  const emit = emitter(undefined, setup);
  try {
    return await attempt(compaction, summary?.text, status, turnOf(state.messages), setup, { emit });
  } catch (error) {
    emit({ type: "compaction-error", message: asError(error).message });
    return { written: undefined, status };
  }
}
