import type { Awaitable } from "@skein/checkpointer";
import type { Task } from "../engine/task.ts";
import type { Outcome } from "../task/outcome.ts";
import { nextTurn } from "./breathe.ts";

export interface Execution {
  readonly tasks: readonly Task[];
  /** Most tasks that run at a time. */
  readonly limit: number;
  readonly start: (task: Task) => Awaitable<Outcome>;
  /** Called once for each task, as they finish. Returns whether more tasks may start. */
  readonly settle: (task: Task, outcome: Outcome, running: number) => boolean;
  /** Ends the wait, once the event loop has turned. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs the tasks of a step with bounded concurrency and yields their outcomes. Starts them in
 * order; answers at once when all of them do. An abort ends the wait; what comes later is ignored. What is done
 * by then may be on its way here yet: a stream shows the result of a tool before the node that called it returns.
 * What `settle` or `start` throws ends it, too: nobody else waits for a task that ends late.
 */
export function execute(execution: Execution): Awaitable<void> {
  const { tasks, limit, start, settle, signal } = execution;
  let next = 0;
  let running = 0;
  let open = true;
  let stopped = false;
  let over = false;
  let wake: (() => void) | undefined;
  let fail: ((error: unknown) => void) | undefined;
  // What ends at once is settled when all that may run have begun: a failure keeps none of them from it. Places
  // and outcomes apart: pairs of them, of 10,000 tasks, would outlive a young collection.
  let ended: number[] | undefined;
  let outcomes: (Outcome | undefined)[] | undefined;
  let at = 0;

  const settled = (task: Task, outcome: Outcome): void => {
    open = settle(task, outcome, running + (open ? tasks.length - next : 0)) && open;
  };
  const mayStart = (): boolean => open && next < tasks.length && running < limit && !signal?.aborted;
  const advance = (): void => {
    for (;;) {
      while (mayStart()) {
        const task = tasks[next++] as Task;
        const outcome = start(task);
        if (tasks.length === 1 && !(outcome instanceof Promise)) {
          settled(task, outcome);
          continue;
        }
        running += 1;
        if (outcome instanceof Promise) void finish(task, outcome);
        else {
          (ended ??= []).push(next - 1);
          (outcomes ??= []).push(outcome);
        }
      }
      const place = ended?.[at];
      if (place === undefined) return;
      const outcome = outcomes?.[at] as Outcome;
      if (outcomes !== undefined) outcomes[at] = undefined;
      at += 1;
      running -= 1;
      settled(tasks[place] as Task, outcome);
    }
  };
  const finish = async (task: Task, outcome: Promise<Outcome>): Promise<void> => {
    try {
      const result = await outcome;
      running -= 1;
      if (over) return;
      // that it fails now is no news: it was told to
      if (!stopped || result.kind === "done") settled(task, result);
      advance();
      if (running === 0) wake?.();
    } catch (error) {
      fail?.(error);
    }
  };
  try {
    advance();
  } catch (error) {
    over = true;
    throw error;
  }
  if (running === 0) return undefined;
  // a task may have aborted the run before anything was waited for
  if (signal?.aborted) {
    over = true;
    return undefined;
  }
  return new Promise<void>((resolve, reject) => {
    const end = (): void => {
      over = true;
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const stop = (): void => {
      stopped = true;
      void nextTurn().then(end);
    };
    wake = end;
    fail = (error) => {
      reject(error);
      end();
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
