import type { Awaitable } from "@skein/checkpointer";
import { prepareWrites } from "../engine/prepare.ts";
import { handlerOf, type Task } from "../engine/task.ts";
import { type GraphDrained, withInterrupts } from "../errors/signals.ts";
import { plainError } from "../errors/thrown.ts";
import type { ParentCommand } from "../program/parent-command.ts";
import { ERROR, ERROR_SOURCE, INTERRUPT, NO_WRITES, RESUME } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import { expand, shown } from "../program/several.ts";
import { runTask } from "../task/attempt.ts";
import type { Outcome } from "../task/outcome.ts";
import { fromCache, toCache } from "./cache.ts";
import { execute } from "./executor.ts";
import { despiteFailure } from "./journal.ts";
import { withOneQuestion } from "./questions.ts";
import { inheritedBy, type Run } from "./run.ts";
import type { TaskOutput } from "./storage.ts";
import { andThen } from "../channels/and-then.ts";

/** Why a task has not finished that was told to stop, as LangGraph stores it. */
const STOPPED = { message: "This operation was aborted", name: "AbortError" };

export interface StepResult {
  readonly errors: readonly unknown[];
  /** How many tasks wait: for answers, or at a breakpoint within. */
  readonly waiting: number;
  readonly parentCommand: ParentCommand | undefined;
  readonly drained: GraphDrained | undefined;
  /** Shows the question that ended the step, once it is stored. */
  readonly last: (() => void) | undefined;
}

/** Runs the tasks of a step that have not run yet, and records what must survive a crash. */
export function runStep(run: Run, tasks: readonly Task[]): Awaitable<StepResult> {
  run.observer?.on({ type: "tasks-start", tasks }, run);
  const { cache } = run.options;
  const cached = cache && fromCache(run, cache, tasks.filter(isOpen));
  return cached?.then(() => runOpen(run, tasks)) ?? runOpen(run, tasks);
}

function runOpen(run: Run, tasks: readonly Task[]): Awaitable<StepResult> {
  const open = tasks.filter(isOpen);
  const step = new StepRecorder(run, open);
  const only = open.length === 1 ? open[0] : undefined;
  const first = only === undefined ? undefined : runTask(only, run.scope);
  const result = (): Awaitable<StepResult> => afterCalls(run, () => step.result());
  if (only !== undefined && first !== undefined && !(first instanceof Promise) && isLast(only, first)) {
    step.settle(only, first, 0);
    return result();
  }
  // one task, and nobody who could end the wait for it
  if (only?.node.errorHandler === undefined && first instanceof Promise && run.options.signal === undefined) {
    return first.then((outcome) => {
      step.settle(only as Task, outcome, 0);
      return result();
    });
  }
  const execution = execute({
    tasks: open,
    limit: run.options.maxConcurrency,
    start: (task) => (task === only && first !== undefined ? first : runTask(task, run.scope)),
    settle: (task, outcome, running) => step.settle(task, outcome, running),
    signal: run.options.signal,
  });
  return execution === undefined ? result() : execution.then(result);
}

/** Whether all that the run does is stored at its end: durability "exit", and no graph called it. */
export function isHeldBack({ journal, options }: Run): boolean {
  return journal?.durability === "exit" && options.parent === undefined;
}

/** A task that has not run yet. */
export function isOpen(task: Task): boolean {
  return task.writes.length === 0;
}

/** Whether no error handler follows. */
function isLast(task: Task, outcome: Outcome): boolean {
  return outcome.kind !== "failed" || task.node.errorHandler === undefined;
}

/** Tasks that failed or wait may have called others, which are still running. */
function afterCalls(run: Run, result: () => Awaitable<StepResult>): Awaitable<StepResult> {
  const ending = run.calls?.end(run.options.signal?.aborted === true);
  return ending === undefined ? result() : ending.then(result);
}

/** What a failed task leaves when an error handler takes over. */
export function failureWrites(
  task: Task,
  error: { readonly message: string; readonly name: string },
): Write[] {
  return [
    [ERROR, error],
    [ERROR_SOURCE, task.node.name],
  ];
}

class StepRecorder {
  readonly #run: Run;
  /** Tasks to run; error handlers are added to it. */
  readonly #open: Task[];
  readonly #errors: unknown[] = [];
  #waiting = 0;
  #last: (() => void) | undefined;
  #parentCommand: ParentCommand | undefined;
  #drained: GraphDrained | undefined;
  #batch: { task: Task; output: TaskOutput }[] = [];
  #flushing: Promise<void> | undefined;
  /** The newest batch that is on its way. */
  #flushed: Awaitable<void> = undefined;

  constructor(run: Run, open: Task[]) {
    this.#run = run;
    this.#open = open;
  }
  settle(task: Task, outcome: Outcome, running: number): boolean {
    switch (outcome.kind) {
      case "done":
        return this.#done(task, outcome, running);
      case "interrupted":
        this.#interrupted(task, outcome, running);
        return true;
      case "parent-command":
        this.#parentCommand = outcome.signal;
        // it has ended; what it wrote is for the graph that called this one
        this.#tell(task, [[ERROR, outcome.signal]]);
        return true;
      case "drained":
        this.#drained ??= outcome.signal;
        return true;
      case "failed":
        return this.#handle(task, outcome) || this.#failed(task, outcome);
    }
  }
  #done(task: Task, outcome: Outcome & { kind: "done" }, running: number): boolean {
    const { answers, writes } = outcome;
    try {
      task.writes = writes.length === 0 ? [[NO_WRITES, null]] : this.#prepare(task, writes);
    } catch (error) {
      const failed = { kind: "failed", error, answers: undefined } as const;
      return this.#handle(task, failed) || this.#failed(task, failed);
    }
    task.raw = shown(writes);
    // as LangGraph stores it: what the task was told, then what it wrote
    if (answers !== undefined) task.writes = [[RESUME, answers], ...task.writes];
    toCache(this.#run, task);
    if (running === 0) return true;
    // others still run: what this one did must not be lost with them (I6), and is shown before theirs
    this.#keep(task, task.writes);
    return true;
  }
  /** Records a task that is finished while others are not, and shows it. */
  #keep(task: Task, writes: readonly Write[]): void {
    task.recorded = true;
    if (this.#run.journal === undefined) return this.#report(task);
    this.#batch.push({ task, output: { taskId: task.lateId, writes } });
    this.#flushSoon();
  }
  #prepare(task: Task, writes: readonly Write[]): readonly Write[] {
    const { snapshot, options } = this.#run;
    return task.node.input === "start"
      ? prepareWrites(snapshot, expand(writes), "input", inheritedBy(options.parent)?.snapshot)
      : prepareWrites(snapshot, expand(writes), "task");
  }
  #interrupted(task: Task, outcome: Outcome & { kind: "interrupted" }, running: number): void {
    this.#waiting += 1;
    const { interrupts } = outcome.signal;
    this.#run.question = withInterrupts(this.#run.question, outcome.signal);
    const writes: Write[] = interrupts.map((interrupt) => [INTERRUPT, interrupt]);
    if (writes.length === 0) return;
    this.#signal(task, writes, outcome.answers, running === 0 && isHeldBack(this.#run));
  }
  /**
   * Hands a failure to the node's error handler, which runs in the same step; false when there is
   * none. The failed task counts as finished; who failed and why is stored with it.
   */
  #handle(task: Task, { error, answers }: Outcome & { kind: "failed" }): boolean {
    const run = this.#run;
    const handler = run.abort.aborted ? undefined : handlerOf({ task, error }, run.options.program.nodes);
    if (handler === undefined) return false;
    task.writes = failureWrites(task, plainError(error));
    task.raw = task.writes;
    run.tasks = [...run.tasks, handler];
    this.#open.push(handler);
    run.observer?.on({ type: "tasks-start", tasks: [handler] }, run);
    const writes: Write[] = answers === undefined ? [...task.writes] : [...task.writes, [RESUME, answers]];
    this.#keep(task, writes);
    return true;
  }
  #failed(task: Task, outcome: Outcome & { kind: "failed" }): false {
    const { error } = outcome;
    // what a sibling throws because it was told to stop is no failure of its own
    if (this.#run.abort.aborted && this.#errors.length > 0) {
      this.#signal(task, [[ERROR, STOPPED]], outcome.answers);
      return false;
    }
    this.#errors.push(error);
    this.#signal(task, [[ERROR, plainError(error)]], outcome.answers);
    // as any abort: what failed is not the siblings' business
    this.#run.abort.abort(undefined);
    return false;
  }
  #signal(task: Task, writes: Write[], answers: readonly unknown[] | undefined, late = false): void {
    if (answers !== undefined) writes.push([RESUME, answers]);
    if (this.#run.journal !== undefined) {
      this.#batch.push({ task, output: { taskId: task.lateId, writes: withOneQuestion(writes) } });
    }
    if (late) this.#last = () => this.#tell(task, writes);
    else this.#tell(task, writes);
  }
  #tell(task: Task, writes: readonly Write[]): void {
    this.#run.listener?.on({ type: "task-end", task, writes, cached: false }, this.#run);
  }
  /** Tasks that finish in one tick share a transaction. */
  #flushSoon(): void {
    if (this.#flushing !== undefined) return;
    this.#flushing = Promise.resolve().then(() => this.#flush());
    // nobody may be waiting when it fails: the journal keeps the failure, and throws it at the next write
    this.#flushing.catch(() => {});
  }
  #flush(): Awaitable<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#flushing = undefined;
    if (batch.length === 0) return this.#flushed;
    return (this.#flushed = andThen(this.#run.journal?.record(batch.map(({ output }) => output)), () => {
      for (const { task } of batch) this.#report(task);
    }));
  }
  #flushAll(): Awaitable<void> {
    return this.#flushing === undefined ? this.#flush() : this.#flushing.then(() => this.#flush());
  }
  #report(task: Task): void {
    if (!task.recorded) return;
    this.#run.observer?.on({ type: "task-end", task, writes: task.raw, cached: false }, this.#run);
  }
  /** The step as a whole. If it cannot end, what its finished tasks did is recorded first. */
  result(): Awaitable<StepResult> {
    const { tasks } = this.#run;
    // nobody waits for an answer where something was thrown
    const isThrown = this.#errors.length > 0 || this.#parentCommand !== undefined;
    if (isThrown) this.#last?.();
    const result: StepResult = {
      errors: this.#errors,
      waiting: this.#waiting,
      parentCommand: this.#parentCommand,
      drained: this.#drained,
      last: isThrown ? undefined : this.#last,
    };
    const stuck =
      this.#errors.length > 0 ||
      this.#waiting > 0 ||
      this.#parentCommand !== undefined ||
      this.#drained !== undefined ||
      this.#run.abort.aborted;
    for (const task of stuck ? tasks : []) {
      if (task.writes.length === 0 || task.recorded) continue;
      task.recorded = true;
      if (this.#run.journal === undefined) this.#report(task);
      else this.#batch.push({ task, output: { taskId: task.lateId, writes: task.writes } });
    }
    const flushed = this.#errors.length === 0 ? this.#flushAll() : despiteFailure(() => this.#flushAll());
    return flushed instanceof Promise ? flushed.then(() => result) : result;
  }
}
