import { Runnable } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import { LONGEST_TIMER, thrownText } from "@skein/errors";
import type { Task } from "../engine/task.ts";
import { type GraphInterrupt, isGraphBubbleUp, isGraphDrained, isGraphInterrupt } from "../errors/signals.ts";
import { parentNamespace, statefulNamespace } from "../ids/namespace.ts";
import { Command, targetsOf } from "../program/command.ts";
import type { RetryPolicy, Write } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import { writesOf } from "../program/writes.ts";
import { withConfig, withTaskConfig } from "./ambient.ts";
import { traced, tracedChoice } from "./callbacks.ts";
import type { LangGraphRunnableConfig } from "./config.ts";
import { answersOf } from "./interrupt.ts";
import type { Done, Outcome } from "./outcome.ts";
import { isParentCommand, type ParentCommand } from "../program/parent-command.ts";
import { freshState } from "./own-keys.ts";
import { retryDelay } from "./retry.ts";
import { type RunScope, TaskRuntime } from "./runtime.ts";
import { taskConfig } from "./task-config.ts";
import { heard, limited } from "./timeout.ts";

/**
 * Runs a task, with its retries and limits. Answers at once when the node does: a step of
 * synchronous nodes makes no promise.
 */
export function runTask(task: Task, scope: RunScope): Awaitable<Outcome> {
  return once(new TaskRuntime(task, scope, answersOf(task, scope), 1, Date.now()));
}

/** One attempt, and the next ones if it fails and may be repeated. */
function once(runtime: TaskRuntime): Awaitable<Outcome> {
  const outcome = settle(runtime, taskConfig(runtime));
  const { retryPolicy } = runtime.task.node;
  if (retryPolicy === undefined) return outcome;
  return outcome instanceof Promise
    ? later(runtime, retryPolicy, outcome, retried)
    : retried(runtime, retryPolicy, outcome);
}

function retried(runtime: TaskRuntime, policy: RetryPolicy, outcome: Outcome): Awaitable<Outcome> {
  const { task, scope, attempt, first } = runtime;
  if (outcome.kind !== "failed" || scope.abort.aborted) return outcome;
  let delay: number | undefined;
  try {
    delay = retryDelay(policy, attempt, outcome.error);
  } catch (error) {
    // the policy's own `retryOn`: the task has failed with that
    return { ...outcome, error };
  }
  if (delay === undefined) return outcome;
  if (policy.logWarning ?? true) {
    console.warn(
      `Retrying task "${task.node.name}" after ${delay.toFixed(0)}ms (attempt ${attempt}): ${thrownText(outcome.error)}`,
    );
  }
  return sleep(delay, scope.abort.signal).then(() =>
    scope.abort.aborted ? outcome : once(new TaskRuntime(task, scope, runtime.answers, attempt + 1, first)),
  );
}

/** A closure stands apart from what every task goes through: that would make its context each time. */
function later<What, Value, Result>(
  runtime: TaskRuntime,
  what: What,
  promise: Promise<Value>,
  act: (runtime: TaskRuntime, what: What, value: Value) => Awaitable<Result>,
): Promise<Result> {
  return promise.then((value) => act(runtime, what, value));
}

/** One attempt. Whatever is thrown becomes an outcome. */
function settle(runtime: TaskRuntime, config: LangGraphRunnableConfig): Awaitable<Outcome> {
  const { scope } = runtime;
  try {
    const result =
      scope.callbacks === undefined ? attempt(runtime, config) : traced(runtime, config, attempt);
    return result instanceof Promise ? ending(runtime, config, result) : finished(runtime, result);
  } catch (error) {
    return thrown(runtime, config, error);
  }
}

function ending(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  result: Promise<Done>,
): Promise<Outcome> {
  return result.then(
    (done) => finished(runtime, done),
    (error: unknown) => thrown(runtime, config, error),
  );
}

function attempt(runtime: TaskRuntime, config: LangGraphRunnableConfig): Awaitable<Done> {
  const { timeout } = runtime.task;
  if (timeout !== undefined) return attemptInTime(runtime, config, timeout);
  const { callbacks, limits } = runtime.scope;
  const own = limits === undefined ? config : heard(config, limits);
  return withTaskConfig(own, callbacks && own.callbacks, () => call(runtime, own));
}

function attemptInTime(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  timeout: TimeoutPolicy,
): Awaitable<Done> {
  return limited(runtime, timeout, config, (scoped) => withConfig(scoped, () => call(runtime, scoped)));
}

function call(runtime: TaskRuntime, config: LangGraphRunnableConfig): Awaitable<Done> {
  const { task } = runtime;
  const returned = task.node.action(task.input, config);
  if (returned instanceof Promise || isThenable(returned))
    return later(runtime, config, Promise.resolve(returned), after);
  return after(runtime, config, returned);
}

function after(runtime: TaskRuntime, config: LangGraphRunnableConfig, returned: unknown): Awaitable<Done> {
  const { task } = runtime;
  // a node may return a runnable, which is then run in its place
  if (returned instanceof Runnable && task.node.conveys === undefined) {
    return later(runtime, config, returned.invoke(task.input, config as never), afterCalls);
  }
  return afterCalls(runtime, config, returned);
}

/** A task is not finished before the tasks that it called are. */
function afterCalls(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  returned: unknown,
): Awaitable<Done> {
  if (runtime.called === undefined) return interpret(runtime, config, returned);
  return awaitingCalls(runtime, config, returned);
}

function awaitingCalls(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  returned: unknown,
): Promise<Done> {
  return callsEnd(runtime).then((unheard) => {
    if (unheard !== undefined) throw unheard.error;
    return interpret(runtime, config, returned);
  });
}

/** Waits for all calls, also for those made meanwhile. Tells a failure that nobody listened to. */
async function callsEnd({ called }: TaskRuntime): Promise<{ readonly error: unknown } | undefined> {
  let unheard: { readonly error: unknown } | undefined;
  for (const call of called ?? []) {
    const failure = await call.outcome();
    if (failure !== undefined && !call.heard && !isGraphInterrupt(failure.error)) unheard ??= failure;
  }
  return unheard;
}

function interpret(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  returned: unknown,
): Awaitable<Done> {
  const { task, scope } = runtime;
  const choose = scope.callbacks === undefined ? undefined : tracedChoice;
  const sent = runtime.pushed?.length ?? 0;
  const writes = writesOf(scope.program, task.node, returned, freshState(runtime), config, choose);
  return writes instanceof Promise
    ? later(runtime, { returned, sent }, writes, doneLater)
    : doneWith(runtime, returned, writes, sent);
}

const doneLater = (
  runtime: TaskRuntime,
  { returned, sent }: { readonly returned: unknown; readonly sent: number },
  writes: readonly Write[],
): Done => doneWith(runtime, returned, writes, sent);

/** @param sent - how many of what was pushed the node pushed itself; its conditions pushed the rest */
function doneWith(runtime: TaskRuntime, returned: unknown, writes: readonly Write[], sent: number): Done {
  const { pushed } = runtime;
  const all = pushed === undefined ? writes : [...pushed.slice(0, sent), ...writes, ...pushed.slice(sent)];
  return { kind: "done", writes: all, returned, answers: answered(runtime) };
}

function finished(runtime: TaskRuntime, done: Done): Outcome {
  // I8: the node caught the signal and went on; it is interrupted all the same
  return runtime.interrupted === undefined ? done : waits(runtime, runtime.interrupted);
}

function thrown(runtime: TaskRuntime, config: LangGraphRunnableConfig, error: unknown): Awaitable<Outcome> {
  if (isParentCommand(error)) return parentCommand(runtime, config, error);
  if (isGraphDrained(error)) return { kind: "drained", signal: error };
  const isOwn = runtime.interrupted !== undefined && !isGraphBubbleUp(error);
  const signal = isGraphInterrupt(error) ? error : isOwn ? runtime.interrupted : undefined;
  if (signal === undefined) return { kind: "failed", error, answers: answered(runtime) };
  // others that it called may wait for answers, too
  if (runtime.called !== undefined) return callsEnd(runtime).then(() => waits(runtime, signal));
  return waits(runtime, signal);
}

function waits(runtime: TaskRuntime, signal: GraphInterrupt): Outcome {
  return { kind: "interrupted", signal: runtime.interrupted ?? signal, answers: answered(runtime) };
}

/** A command that climbed up from a subgraph is either for this graph, or goes on climbing. */
function parentCommand(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  signal: ParentCommand,
): Awaitable<Outcome> {
  const { task } = runtime;
  const { command } = signal;
  // a graph with a state of its own stands in a namespace without task ids
  if (command.graph === task.namespace || command.graph === statefulNamespace(task.namespace)) {
    try {
      const done = interpret(runtime, config, new Command({ ...paramsOf(command) }));
      return done instanceof Promise ? ending(runtime, config, done) : finished(runtime, done);
    } catch (error) {
      return thrown(runtime, config, error);
    }
  }
  if (command.graph === Command.PARENT) {
    // an error handler speaks for the task that failed
    const { namespace } = task.failure?.task ?? task;
    signal.command = new Command({ ...paramsOf(command), graph: parentNamespace(namespace) });
  }
  return { kind: "parent-command", signal };
}

function paramsOf(command: Command): ConstructorParameters<typeof Command>[0] {
  return {
    goto: [...targetsOf(command)],
    ...(command.update === undefined ? {} : { update: command.update }),
    ...(command.resume === undefined ? {} : { resume: command.resume }),
  };
}

function answered(runtime: TaskRuntime): readonly unknown[] | undefined {
  return runtime.answered ? runtime.answers.slice(0, runtime.interrupts) : undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER));
    signal.addEventListener("abort", done, { once: true });
  });
}
