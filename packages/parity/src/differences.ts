/**
 * Where Skein differs from @langchain/langgraph, on purpose or by a gap that its page calls one. Each
 * entry names the page that says why; a test checks that it exists and that a scenario shows the difference.
 */
export const DIFFERENCES = {
  "falsy-resume": "docs/decisions/2026-11-21-falsy-resume.md",
  "control-values-by-brand": "docs/decisions/2026-11-21-control-values-by-brand.md",
  "swallowed-interrupt": "docs/decisions/2026-11-21-swallowed-interrupt.md",
  "wrong-calls-are-errors": "docs/decisions/2026-11-21-wrong-calls-are-errors.md",
  "guards-take-anything": "docs/decisions/2026-11-21-guards-take-anything.md",
  "message-ids-when-recorded": "docs/decisions/2026-11-21-message-ids-when-recorded.md",
  "next-names-what-waits": "docs/decisions/2026-11-21-next-names-what-waits.md",
  "shared-reducer-key": "docs/decisions/2026-11-21-shared-reducer-key.md",
  "input-errors": "docs/decisions/2026-11-21-input-errors.md",
  "cache-of-a-call": "docs/decisions/2026-11-21-cache-of-a-call.md",
  "writer-writes": "docs/decisions/2026-11-21-writer-writes.md",
  "commands-of-tools": "docs/decisions/2026-11-21-commands-of-tools.md",
  "calls-of-tasks": "docs/decisions/2026-11-21-calls-of-tasks.md",
  "questions-in-unstored-subgraphs": "docs/decisions/2026-11-21-questions-in-unstored-subgraphs.md",
  "branches-of-deltas": "docs/decisions/2026-11-21-branches-of-deltas.md",
  "parent-command-is-no-error": "docs/decisions/2026-11-21-parent-command-is-no-error.md",
  "retried-subgraph": "docs/decisions/2026-11-21-retried-subgraph.md",
  "resume-within-subgraphs": "docs/decisions/2026-11-21-resume-within-subgraphs.md",
  "siblings-of-a-failure": "docs/decisions/2026-11-21-siblings-of-a-failure.md",
  "ids-of-edited-lists": "docs/decisions/2026-11-21-ids-of-edited-lists.md",
  "update-of-a-half-finished-step": "docs/decisions/2026-11-21-update-of-a-half-finished-step.md",
  "context-defaults": "docs/decisions/2026-11-21-context-defaults.md",
  "event-streams": "docs/decisions/2026-11-22-event-streams.md",
  "json-schemas-of-all-zods": "docs/decisions/2026-11-22-json-schemas-of-all-zods.md",
  "calls-that-mean-nothing": "docs/decisions/2026-11-22-calls-that-mean-nothing.md",
  "bare-answers": "docs/decisions/2026-11-22-bare-answers.md",
  "one-task-at-a-time": "docs/decisions/2026-11-22-one-task-at-a-time.md",
  "durability-exit": "docs/decisions/2026-11-23-durability-exit.md",
  "overwrite-without-a-reducer": "docs/decisions/2026-11-23-overwrite-without-a-reducer.md",
  "what-a-waiting-task-pushed": "docs/decisions/2026-11-23-what-a-waiting-task-pushed.md",
  "barriers-without-names": "docs/decisions/2026-11-23-barriers-without-names.md",
  "node-that-ran-last": "docs/decisions/2026-11-23-node-that-ran-last.md",
  "names-of-runs-within": "docs/decisions/2026-11-23-names-of-runs-within.md",
  "zod-objects-key-by-key": "docs/decisions/2026-11-23-zod-objects-key-by-key.md",
  "after-a-failure": "docs/decisions/2026-11-23-after-a-failure.md",
  "what-is-stored": "docs/decisions/2026-11-23-what-is-stored.md",
  "stores-in-nodes": "docs/decisions/2026-11-23-stores-in-nodes.md",
  "remote-graphs": "docs/decisions/2026-11-22-remote-graphs.md",
} as const;

/** Differences in how a thread is saved that neither engine reads; recordings leave them out. */
export const NOT_COMPARED = [
  "docs/decisions/2026-11-21-one-version-per-step.md",
  "docs/decisions/2026-11-21-answers-are-saved-with-their-task.md",
  "docs/decisions/2026-11-21-parent-command-is-no-error.md",
  "docs/decisions/2026-11-21-update-of-a-half-finished-step.md",
] as const;

export type DifferenceId = keyof typeof DIFFERENCES;
