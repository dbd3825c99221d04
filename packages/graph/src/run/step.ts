import type { Awaitable } from "@skein/checkpointer";
import { prepareWrites } from "../engine/prepare.ts";
import type { Task } from "../engine/task.ts";
import type { ParentCommand } from "../errors/signals.ts";
import { ERROR, INTERRUPT, NO_WRITES, RESUME } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import { expand, shown } from "../program/several.ts";
import { runTask } from "../task/attempt.ts";
import type { Outcome } from "../task/outcome.ts";
import { execute } from "./executor.ts";
import type { Run } from "./run.ts";
import type { TaskOutput } from "./storage.ts";

export interface StepResult {
  readonly errors: readonly unknown[];
  readonly waits: boolean;
  readonly parentCommand: ParentCommand | undefined;
}

/** Runs the tasks of a step that have not run yet, and records what must survive a crash. */
export function runStep(run: Run, tasks: readonly Task[]): Awaitable<StepResult> {
  const step = new StepRecorder(run);
  run.observer?.on({ type: "tasks-start", tasks }, run);
  const open = tasks.filter((task) => task.writes.length === 0);
  let first: Awaitable<Outcome> | undefined;
  if (open.length === 1) {
    const task = open[0] as Task;
    first = runTask(task, run.scope);
    if (!(first instanceof Promise)) {
      step.settle(task, first, 0);
      return afterCalls(run, () => step.result(tasks));
    }
  }
  const execution = execute({
    tasks: open,
    limit: run.options.maxConcurrency,
    start: (task) => first ?? runTask(task, run.scope),
    settle: (task, outcome, running) => step.settle(task, outcome, running),
    signal: run.options.signal,
  });
  const result = (): Awaitable<StepResult> => afterCalls(run, () => step.result(tasks));
  return execution === undefined ? result() : execution.then(result);
}

/** Tasks that failed or wait may have called others, which are still running. */
function afterCalls(run: Run, result: () => Awaitable<StepResult>): Awaitable<StepResult> {
  const ending = run.calls?.end(run.options.signal?.aborted === true);
  return ending === undefined ? result() : ending.then(result);
}

/** An error as it is stored. */
export function plainError(error: unknown): { readonly message: string; readonly name: string } {
  return error instanceof Error
    ? { message: error.message, name: error.name }
    : { message: String(error), name: "Error" };
}

class StepRecorder {
  readonly #run: Run;
  readonly #errors: unknown[] = [];
  #waits = false;
  #parentCommand: ParentCommand | undefined;
  #batch: { task: Task; output: TaskOutput }[] = [];
  #flushing: Promise<void> | undefined;

  constructor(run: Run) {
    this.#run = run;
  }
  settle(task: Task, outcome: Outcome, running: number): boolean {
    switch (outcome.kind) {
      case "done":
        return this.#done(task, outcome, running);
      case "interrupted":
        this.#interrupted(task, outcome);
        return true;
      case "parent-command":
        this.#parentCommand ??= outcome.signal;
        return true;
      case "failed":
        this.#failed(task, outcome);
        return false;
    }
  }
  #done(task: Task, { writes, answers }: Outcome & { kind: "done" }, running: number): boolean {
    try {
      task.writes = writes.length === 0 ? [[NO_WRITES, null]] : this.#prepare(task, writes);
    } catch (error) {
      this.#failed(task, { kind: "failed", error, answers: undefined });
      return false;
    }
    task.raw = shown(writes);
    // as LangGraph stores it: what the task was told, then what it wrote
    if (answers !== undefined) task.writes = [[RESUME, answers], ...task.writes];
    if (running === 0) return true;
    // others still run: what this one did must not be lost with them (I6), and is shown before theirs
    if (this.#run.journal !== undefined) this.#enqueue(task, task.writes);
    else if (this.#run.observer !== undefined) {
      task.recorded = true;
      this.#report(task);
    }
    return true;
  }
  #prepare(task: Task, writes: readonly Write[]): readonly Write[] {
    return prepareWrites(this.#run.snapshot, expand(writes), task.node.input === "start" ? "input" : "task");
  }
  #interrupted(task: Task, outcome: Outcome & { kind: "interrupted" }): void {
    this.#waits = true;
    const { interrupts } = outcome.signal;
    this.#run.interrupts.push(...interrupts);
    const writes: Write[] = interrupts.map((interrupt) => [INTERRUPT, interrupt]);
    if (writes.length === 0) return;
    this.#signal(task, writes, outcome.answers);
  }
  #failed(task: Task, outcome: Outcome & { kind: "failed" }): void {
    const { error } = outcome;
    // what a sibling throws because it was told to stop is no failure of its own
    if (this.#run.abort.signal.aborted && this.#errors.length > 0) return;
    this.#errors.push(error);
    this.#signal(task, [[ERROR, plainError(error)]], outcome.answers);
    this.#run.abort.abort(error);
  }
  #signal(task: Task, writes: Write[], answers: readonly unknown[] | undefined): void {
    if (answers !== undefined) writes.push([RESUME, answers]);
    if (this.#run.journal !== undefined) this.#batch.push({ task, output: { taskId: task.id, writes } });
    this.#run.listener?.on({ type: "task-end", task, writes, cached: false }, this.#run);
  }
  #enqueue(task: Task, writes: readonly Write[]): void {
    task.recorded = true;
    this.#batch.push({ task, output: { taskId: task.id, writes } });
    // tasks that finish in one tick share a transaction
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
  }
  #flush(): Awaitable<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#flushing = undefined;
    if (batch.length === 0) return undefined;
    const recorded = this.#run.journal?.record(batch.map(({ output }) => output));
    const report = (): void => {
      for (const { task } of batch) this.#report(task);
    };
    return recorded instanceof Promise ? recorded.then(report) : report();
  }
  #report(task: Task): void {
    if (!task.recorded) return;
    this.#run.observer?.on({ type: "task-end", task, writes: task.raw, cached: false }, this.#run);
  }
  /** The step as a whole. If it cannot end, what its finished tasks did is recorded first. */
  result(tasks: readonly Task[]): Awaitable<StepResult> {
    const result: StepResult = {
      errors: this.#errors,
      waits: this.#waits,
      parentCommand: this.#parentCommand,
    };
    const stuck =
      this.#errors.length > 0 ||
      this.#waits ||
      this.#parentCommand !== undefined ||
      this.#run.abort.signal.aborted;
    if (stuck && this.#run.journal !== undefined) {
      for (const task of tasks) {
        if (task.writes.length === 0 || task.recorded) continue;
        task.recorded = true;
        this.#batch.push({ task, output: { taskId: task.id, writes: task.writes } });
      }
    } else if (stuck) {
      for (const task of tasks) {
        if (task.writes.length === 0 || task.recorded) continue;
        task.recorded = true;
        this.#report(task);
      }
    }
    const flushed = this.#flushing === undefined ? this.#flush() : this.#flushing.then(() => this.#flush());
    return flushed instanceof Promise ? flushed.then(() => result) : result;
  }
}
