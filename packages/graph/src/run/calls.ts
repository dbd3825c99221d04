import type { Awaitable } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { pushTo } from "../channels/push-to.ts";
import { prepareWrites } from "../engine/prepare.ts";
import { inTaskOrder, Task } from "../engine/task.ts";
import { isGraphInterrupt } from "../errors/signals.ts";
import { plainError } from "../errors/thrown.ts";
import { ERROR, INTERRUPT, RESUME, RETURN } from "../ids/names.ts";
import type { ProgramNode, Write } from "../program/program.ts";
import { runTask } from "../task/attempt.ts";
import { Called } from "../task/called.ts";
import type { Outcome } from "../task/outcome.ts";
import type { Limits, RunScope, TaskRuntime } from "../task/runtime.ts";
import { fromCache, toCache } from "./cache.ts";
import { despiteFailure } from "./journal.ts";
import { withOneQuestion } from "./questions.ts";
import type { Calls, Run } from "./run.ts";
import type { TaskOutput } from "./storage.ts";

/**
 * Calls a task from within a task of the step that is running.
 *
 * @throws GraphError OUTSIDE_RUN when the caller's step is over
 */
export function callTask(run: Run, caller: TaskRuntime, node: ProgramNode, args: readonly unknown[]): Called {
  const isOver = caller.task.checkpointId !== run.snapshot.checkpointId || run.calls?.open === false;
  if (isOver) {
    throw new GraphError(
      "OUTSIDE_RUN",
      `The task "${node.name}" was called after "${caller.task.node.name}" had ended. Await what the caller starts before it returns.`,
      { details: { task: node.name, caller: caller.task.node.name } },
    );
  }
  run.calls ??= new StepCalls(run);
  return run.calls.start(caller, node, args);
}

/**
 * The tasks that tasks of one step call. A call is known by its place among its caller's calls (I5),
 * and what it returns is recorded at once: when the caller runs again, after an interrupt, a crash or
 * a failed attempt, it gets the result instead of doing the work again (I6).
 */
class StepCalls implements Calls {
  open = true;
  readonly #run: Run;
  readonly #tasks = new Map<string, Task>();
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #running = new Set<Promise<unknown>>();
  /** What earlier runs of this step recorded, by task id. */
  #recorded: ReadonlyMap<string, readonly Write[]> | undefined;
  #batch: TaskOutput[] = [];
  #flushing: Promise<void> | undefined;

  constructor(run: Run) {
    this.#run = run;
  }
  start(caller: TaskRuntime, node: ProgramNode, args: readonly unknown[]): Called {
    const { step, checkpointId, namespace } = caller.task;
    caller.progress();
    const origin = { caller: caller.task, index: caller.tasks++ };
    const task = new Task(node, args, origin, { step, checkpointId, namespace });
    const result = this.#results.get(task.id) ?? this.#begin(task, caller.limits ?? caller.scope.limits);
    const called = new Called((resolve, reject) => {
      result.then(resolve, (error: unknown) => {
        if (isGraphInterrupt(error)) caller.waitsFor(error);
        reject(error);
      });
    });
    // the caller's attempt looks at failures that nobody heard of
    void called.outcome();
    (caller.called ??= []).push(called);
    return called;
  }
  tasks(): Task[] {
    // time decides when they start, and must not decide about the state (I2)
    return [...this.#tasks.values()].sort(inCallOrder);
  }
  end(atOnce: boolean): Awaitable<void> {
    if (atOnce || this.#running.size === 0) {
      this.open = false;
      return undefined;
    }
    return Promise.allSettled(this.#running).then(() => this.end(false));
  }

  #begin(task: Task, limits: Limits | undefined): Promise<unknown> {
    this.#tasks.set(task.id, task);
    const result = this.#make(task, limits);
    this.#results.set(task.id, result);
    this.#running.add(result);
    const over = (failed: boolean): void => {
      this.#running.delete(result);
      // a caller that tries again has it done again
      if (failed) this.#results.delete(task.id);
    };
    result.then(
      () => over(false),
      () => over(true),
    );
    return result;
  }
  async #make(task: Task, limits: Limits | undefined): Promise<unknown> {
    const run = this.#run;
    const scope = limits === undefined ? run.scope : limitedScope(run.scope, limits);
    run.observer?.on({ type: "tasks-start", tasks: [task] }, run);
    const recorded = this.#recordedWrites().get(task.id);
    if (!recorded?.some(isReturn)) {
      await (run.options.cache && fromCache(run, run.options.cache, [task]));
      if (!task.writes.some(isReturn)) return this.#settle(task, await runTask(task, scope));
    } else {
      task.writes = recorded;
      run.observer?.on({ type: "task-end", task, writes: recorded.filter(isReturn), cached: true }, run);
    }
    return returned(task);
  }
  #recordedWrites(): ReadonlyMap<string, readonly Write[]> {
    if (this.#recorded !== undefined) return this.#recorded;
    const recorded = (this.#recorded = new Map<string, Write[]>());
    const { pending, replaying } = this.#run;
    for (const [id, ...write] of replaying ? [] : pending) pushTo(recorded, id, write);
    return recorded;
  }
  async #settle(task: Task, outcome: Outcome): Promise<unknown> {
    switch (outcome.kind) {
      case "done":
        // what it pushed is for the state of the graph
        task.writes = prepareWrites(this.#run.snapshot, outcome.writes, "task");
        toCache(this.#run, task);
        await this.#record(task, task.writes, outcome.answers, "first");
        this.#report(task, outcome.writes);
        return returned(task);
      case "interrupted":
        await this.#record(
          task,
          outcome.signal.interrupts.map((interrupt): Write => [INTERRUPT, interrupt]),
          outcome.answers,
          "last",
        );
        throw outcome.signal;
      case "parent-command":
      case "drained":
        throw outcome.signal;
      case "failed": {
        const writes: Write[] = [[ERROR, plainError(outcome.error)]];
        await despiteFailure(() => this.#record(task, writes, outcome.answers, "last"));
        this.#report(task, writes);
        throw outcome.error;
      }
    }
  }
  /** @param where - answers stand before what a task returned, and after what stopped it */
  #record(
    task: Task,
    writes: readonly Write[],
    answers: readonly unknown[] | undefined,
    where: "first" | "last",
  ): Awaitable<void> {
    if (!this.open || this.#run.journal === undefined || writes.length === 0) return undefined;
    const told: Write[] = answers === undefined ? [] : [[RESUME, answers]];
    const all = where === "first" ? [...told, ...writes] : [...withOneQuestion(writes), ...told];
    this.#batch.push({ taskId: task.id, writes: all });
    // calls that finish in one tick share a transaction
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
    return this.#flushing;
  }
  #flush(): Awaitable<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#flushing = undefined;
    return this.#run.journal?.record(batch);
  }
  #report(task: Task, writes: readonly Write[]): void {
    if (this.open) this.#run.observer?.on({ type: "task-end", task, writes, cached: false }, this.#run);
  }
}

function inCallOrder(a: Task, b: Task): number {
  return inTaskOrder(a.caller as Task, b.caller as Task) || a.index - b.index;
}

const isReturn = ([channel]: Write): boolean => channel === RETURN;

function returned({ writes }: Task): unknown {
  return writes.find(isReturn)?.[1];
}

/** The scope of tasks that a limited attempt calls: what they do is its progress while it lasts. */
function limitedScope(scope: RunScope, limits: Limits): RunScope {
  const write: RunScope["write"] = (chunk, at) => {
    if (limits.isOver) return;
    if (limits.isAutomatic) limits.touch();
    scope.write(chunk, at);
  };
  return Object.assign(Object.create(scope) as RunScope, { limits, write });
}
