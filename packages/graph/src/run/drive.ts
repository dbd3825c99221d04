import { GraphError } from "@skein/errors";
import type { Awaitable } from "@skein/checkpointer";
import { apply, assertApplicable } from "../engine/apply.ts";
import { isAtEnd, plan } from "../engine/plan.ts";
import { consultLogs } from "../engine/prepare.ts";
import { inTaskOrder, isInTaskOrder, type Task } from "../engine/task.ts";
import { GraphRecursionError } from "../errors/errors.ts";
import { GraphDrained, isGraphBubbleUp } from "../errors/signals.ts";
import { INTERRUPT } from "../ids/names.ts";
import { isStateful } from "../ids/namespace.ts";
import { inTheEnd, reasonOf, unlessAborted } from "./abort.ts";
import { breathe, nextTurn } from "./breathe.ts";
import { commitStep } from "./commit.ts";
import { begin } from "./first.ts";
import { despiteFailure, type Journal } from "./journal.ts";
import { tellResumed } from "./lifecycle.ts";
import { materialise } from "./read.ts";
import type { Run } from "./run.ts";
import { isHeldBack, isOpen, runStep, type StepResult } from "./step.ts";
import type { TaskOutput } from "./storage.ts";
import { takeOver } from "./take-over.ts";
import { andThen, forAll } from "../channels/and-then.ts";

/**
 * The one run path: begin, then step after step until nothing is left, something waits, or
 * something failed. Waits only where something takes time.
 */
export async function drive(run: Run): Promise<void> {
  const { signal } = run.options;
  const forward = (): void => run.abort.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener("abort", forward, { once: true });
  let failure: Failure | undefined;
  try {
    await steps(run);
  } catch (error) {
    failure = { error };
  }
  signal?.removeEventListener("abort", forward);
  try {
    const closing = run.journal && close(run, run.journal, failure === undefined);
    if (closing !== undefined) await closing;
    if (run.caching.length > 0) await inTheEnd(Promise.all(run.caching), signal);
  } catch (error) {
    // why the run failed is what its caller is to know; a signal says that all is well, and it is not
    if (failure === undefined || isGraphBubbleUp(failure.error)) throw error;
  }
  if (failure !== undefined) throw failure.error;
}

interface Failure {
  readonly error: unknown;
}

/** Writes what durability held back, waits for what is on its way, and gives the thread back. */
function close(run: Run, journal: Journal, completed: boolean): Awaitable<void> {
  return journal.settled ? journal.release() : finish(run, journal, completed);
}

async function finish(run: Run, journal: Journal, completed: boolean): Promise<void> {
  try {
    await journal.finish(keepsHeld(run, completed));
  } finally {
    const released = journal.release();
    if (released !== undefined) await released;
  }
}

/** In durability "exit", a subgraph that ended is part of its parent's step and is not stored. */
function keepsHeld(run: Run, completed: boolean): boolean {
  if (run.options.parent === undefined || !completed || run.status === "interrupted") return true;
  return isStateful(run.options.namespace);
}

async function steps(run: Run): Promise<void> {
  const { signal } = run.options;
  const loading = materialise(run.snapshot, run.options.outputKeys);
  if (loading !== undefined) await unlessAborted(loading, signal);
  const begun = begin(run);
  if (begun !== undefined) await begun;
  const told = run.resuming ? tellResumed(run) : undefined;
  if (told !== undefined) await unlessAborted(told, signal);
  for (;;) {
    if (run.snapshot.step > run.stop) throw tooManySteps(run);
    const turn = breathe();
    if (turn !== undefined) await turn;
    assertNotAborted(run);
    const tasks = plan(run.snapshot, run.options.namespace);
    run.tasks = tasks;
    run.observer?.on({ type: "step-planned", tasks }, run);
    if (tasks.length === 0) {
      run.status = "done";
      return;
    }
    const inputs = loadInputs(run, tasks);
    if (inputs !== undefined) await unlessAborted(inputs, signal);
    if (run.options.control.drainRequested) throw new GraphDrained(run.options.control.drainReason);
    if (run.pending.length > 0 && !run.replaying) takeOver(run);
    if (run.tasks.some(isOpen)) {
      if (stopsAt(run, run.options.interruptBefore)) return atBreakpoint(run, "interrupt_before");
      const stepped = runStep(run, run.tasks);
      const result = stepped instanceof Promise ? await stepped : stepped;
      if (!isClean(run, result) && !(await settle(run, result))) return;
    }
    // a reducer may change in place what was shown
    for (let asked = 0, read; (read = run.listener?.turn?.(asked)) !== undefined; asked += 1) await read;
    const ended = endStep(run);
    if (ended !== undefined) await ended;
    if (run.abort.aborted) assertNotAborted(run);
    if (stopsAt(run, run.options.interruptAfter)) return atBreakpoint(run, "interrupt_after");
    // and a node the state that it is given
    for (let asked = 0, read; (read = run.listener?.turn?.(asked)) !== undefined; asked += 1) await read;
  }
}

/** Nothing but finished tasks: the step can end. */
function isClean(run: Run, { errors, waiting, parentCommand, drained }: StepResult): boolean {
  const isThrough =
    errors.length === 0 && waiting === 0 && parentCommand === undefined && drained === undefined;
  return isThrough && !run.abort.aborted;
}

/** Inputs that name a lazy channel are read when it is there; what a call's input names is looked up. */
function loadInputs(run: Run, tasks: readonly Task[]): Awaitable<void> {
  return forAll(tasks, (task) => {
    const { input, lazyInput } = task.node;
    if (input === "start" && typeof task.input === "object" && task.input !== null)
      return consultLogs(run.snapshot, Object.entries(task.input));
    if (task.trigger === undefined || lazyInput.length === 0 || !Array.isArray(input)) return undefined;
    return andThen(materialise(run.snapshot, lazyInput), () => {
      task.input = run.snapshot.state(input);
    });
  });
}

/** Whether the step can end. Throws what a task threw; stops the run if a task waits. */
async function settle(run: Run, result: StepResult): Promise<boolean> {
  if (run.lost !== undefined) throw run.lost;
  const { aborted } = run.abort;
  const isCutOff = (): boolean => run.tasks.filter(isOpen).length > result.waiting;
  // of a step whose tasks have all finished, what comes next is stored: a thread without would look done
  if (result.errors.length === 0 && aborted && isCutOff()) assertNotAborted(run);
  if (result.errors.length > 0) throw oneOf(result.errors, run.snapshot.step);
  if (result.parentCommand !== undefined) throw result.parentCommand;
  if (result.waiting === 0 && result.drained !== undefined) throw result.drained;
  if (result.waiting === 0) return true;
  run.status = "interrupted";
  const stored = storeLast(run);
  if (stored !== undefined) await stored;
  await run.journal?.flush();
  result.last?.();
  showFinished(run);
  // a graph that a task called stopped at a breakpoint: nobody asks anything
  if (!run.question?.interrupts.length) run.listener?.on({ type: "breakpoint" }, run);
  return false;
}

/** The output of a run that waits shows what finished tasks of its step wrote; it is not stored. */
function showFinished(run: Run): void {
  // a graph that a task called has no output: its caller is told what it waits for
  if (run.options.parent !== undefined) return;
  const finished = run.tasks.filter((task) => task.writes.length > 0).toSorted(inTaskOrder);
  if (finished.length === 0) return;
  apply(run.snapshot, finished);
  run.listener?.on({ type: "state", tasks: finished }, run);
}

const NO_TASKS: readonly Task[] = [];

/** Applies a finished step and stores it. */
function endStep(run: Run): Awaitable<void> {
  const { tasks } = run;
  const ordered = isInTaskOrder(tasks) ? tasks : tasks.toSorted(inTaskOrder);
  const isTold = run.journal !== undefined || run.observer !== undefined;
  const reported = isTold ? ordered.filter((task) => !task.recorded) : NO_TASKS;
  const outputs: TaskOutput[] =
    run.journal === undefined ? [] : reported.map((task) => ({ taskId: task.lateId, writes: task.writes }));
  const called = run.calls?.tasks() ?? NO_TASKS;
  const contributions = called.length === 0 ? ordered : [...ordered, ...called];
  run.calls = undefined;
  try {
    // what durability holds back is taken from this very snapshot: it must survive the failure (I4)
    if (run.journal?.holds) assertApplicable(run.snapshot, contributions);
    apply(run.snapshot, contributions);
  } catch (error) {
    return cannotEnd(run, reported, outputs, error);
  }
  run.pending = [];
  // an answer is for a question of the step that it came for, and not for whoever asks next
  const { scope } = run;
  if (scope.resume.single && run.journal) scope.resume = { ...scope.resume, single: undefined };
  run.handback?.add(contributions);
  const committed = commitStep(run, "loop", outputs) ?? storeLast(run);
  const after = (): void => {
    report(run, reported);
    run.listener?.on({ type: "state", tasks: ordered }, run);
    run.resuming = false;
  };
  if (committed === undefined) return after();
  return committed.then(after);
}

/** The step's writes do not fit together; its tasks are finished all the same (I6). */
function cannotEnd(
  run: Run,
  reported: readonly Task[],
  outputs: readonly TaskOutput[],
  error: unknown,
): Awaitable<never> {
  const refuse = (): never => {
    report(run, reported);
    throw error;
  };
  return andThen(
    despiteFailure(() => run.journal?.record(outputs)),
    refuse,
  );
}

function report(run: Run, tasks: readonly Task[]): void {
  if (run.observer === undefined) return;
  for (const task of tasks) run.observer.on({ type: "task-end", task, writes: task.raw, cached: false }, run);
}

/** What durability "exit" holds back and nothing follows is stored before it is shown. */
function storeLast(run: Run): Awaitable<void> {
  const { journal, snapshot, options, status } = run;
  if (!isHeldBack(run) || journal?.settled !== false) return undefined;
  const { interruptAfter, interruptBefore, namespace } = options;
  const isLast =
    status === "interrupted" ||
    isAtEnd(snapshot) ||
    stopsAt(run, interruptAfter) ||
    (interruptBefore.length > 0 && stopsAt(run, interruptBefore, plan(snapshot, namespace)));
  if (!isLast) return undefined;
  // who reads the stream is to ask for the state of what was shown before, and not of what is half stored
  const read = run.listener?.turn === undefined ? undefined : nextTurn();
  return andThen(read, () => journal.finish(true));
}

/** Whether a breakpoint stops before or after these tasks: only at a state not seen before. */
function stopsAt(run: Run, names: readonly string[] | "*", tasks = run.tasks): boolean {
  if (names.length === 0) return false;
  const matches = tasks.some((task) => (names === "*" ? !task.node.hidden : names.includes(task.node.name)));
  if (!matches) return false;
  const { version } = run.snapshot;
  if (version === undefined) return false;
  for (const seen of run.snapshot.seen.get(INTERRUPT)?.values() ?? []) if (seen >= version) return false;
  return true;
}

function atBreakpoint(run: Run, which: Run["stoppedAt"]): Awaitable<void> {
  run.status = "interrupted";
  run.stoppedAt = which;
  return andThen(storeLast(run), () => run.listener?.on({ type: "breakpoint" }, run));
}

function assertNotAborted(run: Run): void {
  const { signal } = run.options;
  if (run.lost !== undefined) throw run.lost;
  if (signal?.aborted) throw reasonOf(signal);
}

function oneOf(errors: readonly unknown[], step: number): unknown {
  if (errors.length === 1) return errors[0];
  return new AggregateError(errors, `${errors.length} tasks failed in superstep ${step}. See "errors".`);
}

function tooManySteps(run: Run): GraphError {
  const limit = run.options.recursionLimit;
  return new GraphRecursionError(
    `Recursion limit of ${limit} reached without hitting a stop condition. Raise "recursionLimit", or end the loop.`,
    { details: { recursionLimit: limit } },
  );
}
