import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import { GraphError } from "@skein/errors";
import { GraphValueError } from "../errors/errors.ts";
import { GraphInterrupt, type Interrupt } from "../errors/signals.ts";
import { isSame } from "../ids/same.ts";
import { xxh3 } from "../ids/xxh3.ts";
import { type JsonSchema, jsonSchemaOf } from "../state/json-schema.ts";
import { isStandardSchema, ownError, validated } from "../state/standard.ts";
import { requireConfig } from "./ambient.ts";
import { type InterruptOptions, taskOf } from "./config.ts";
import type { BareAnswer, RunScope, TaskRuntime } from "./runtime.ts";
import type { Task } from "../engine/task.ts";

/**
 * Stops the node until the run is resumed with an answer, and returns it. The node then runs from
 * its beginning: answers are handed out by the order of its interrupts.
 *
 * The signal travels as an exception. A node that catches it is interrupted all the same (I8).
 *
 * @param value - shown to whoever is to answer
 * @throws GraphInterrupt when there is no answer yet
 * @throws GraphError MISSING_CHECKPOINTER when nothing could be resumed
 * @example
 * const approved = interrupt<string, boolean>("Send the mail?");
 */
// oxlint-disable-next-line typescript/no-explicit-any -- whoever asks knows what is answered
export function interrupt<I = unknown, R = any>(value: I, options?: InterruptOptions<R>): R {
  const config = requireConfig("interrupt()");
  const runtime = taskOf(config);
  if (runtime === undefined) {
    throw new GraphError("OUTSIDE_RUN", "interrupt() was called outside of a node of a graph.");
  }
  return interruptTask(runtime, value, options);
}

/** The same for a task at hand: what its node finds as `config.interrupt`. */
export function interruptTask<I, R>(runtime: TaskRuntime, value: I, given?: InterruptOptions<R> | null): R {
  const options = given ?? {};
  if (!runtime.scope.persistent) {
    throw new GraphValueError(
      "interrupt() needs a checkpointer to be resumed: pass {checkpointer} to compile().",
      { lc_error_code: "MISSING_CHECKPOINTER", code: "MISSING_CHECKPOINTER" },
    );
  }
  const index = runtime.interrupts++;
  if (index < runtime.answers.length || takeSingle(runtime)) {
    return taken<R>(runtime, index, options);
  }
  const pending: Interrupt = { id: xxh3(runtime.task.namespace), value };
  const schema = shownSchema(options.responseSchema);
  if (schema !== undefined) pending.response_schema = schema;
  const signal = new GraphInterrupt([pending]);
  // of questions asked at once the first one waits, since the answer is for the first: they have one id
  if (!runtime.interrupted?.interrupts.some(({ id }) => id === pending.id)) runtime.waitsFor(signal);
  throw signal;
}

/** The answer, which is stored unless it does not fit: the question can then be answered again. */
function taken<R>(runtime: TaskRuntime, index: number, { responseSchema }: InterruptOptions<R>): R {
  try {
    const answer = parseAnswer<R>(runtime.answers[index], responseSchema);
    runtime.answered = true;
    return answer;
  } catch (error) {
    runtime.interrupts = index;
    runtime.answers.length = index;
    throw error;
  }
}

function takeSingle(runtime: TaskRuntime): boolean {
  const { single } = runtime.scope.resume;
  if (single === undefined || single.taken || !isFor(single, runtime)) return false;
  single.taken = true;
  runtime.answers.push(single.value);
  return true;
}

/** Where nobody waited, at a breakpoint, an answer is for who asks first in the call that gave it. */
function isFor({ value, isNew, asked }: BareAnswer, { task, scope, answers }: TaskRuntime): boolean {
  if (asked.size === 0) return isNew;
  // one of an earlier call that this task took then
  if (!isNew && isSame(answers.at(-1), value)) return false;
  return scope.asksAnew || asked.has(undefined) || asked.has(xxh3(task.namespace));
}

function parseAnswer<R>(answer: unknown, schema: InterruptOptions<R>["responseSchema"]): R {
  if (!isStandardSchema(schema)) return answer as R;
  const result = validated(schema, answer, "The answer to an interrupt");
  if (result.issues === undefined) return result.value as R;
  throw new GraphError(
    "INVALID_INPUT",
    `The answer to an interrupt does not fit: ${JSON.stringify(result.issues)}`,
    { details: { issues: result.issues }, cause: ownError(schema, answer) },
  );
}

/** A schema as whoever is to answer sees it. */
function shownSchema(schema: InterruptOptions["responseSchema"]): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const isZod = isInteropZodSchema(schema);
  return isZod || !isStandardSchema(schema)
    ? (toJsonSchema(schema as never) as JsonSchema)
    : jsonSchemaOf(schema);
}

/**
 * Answers that a task starts with: those it took before, then one from the map of this resume. All
 * attempts share the list: what a failed one takes late is there for the next.
 */
export function answersOf(task: Task, { resume: { byTask, map, single } }: RunScope): unknown[] {
  if (byTask.size === 0 && map === undefined && single === undefined) return NO_ANSWERS;
  const answers = [...(byTask.get(task.id) ?? [])];
  if (map !== undefined) {
    const id = xxh3(task.namespace);
    if (Object.hasOwn(map, id)) answers.push(map[id]);
  }
  return answers;
}
/** Nobody adds to it: there is nothing to take. */
const NO_ANSWERS: unknown[] = [];

/** Whether a state or output says that the run waits. */
export function isInterrupted<Value = unknown>(
  values: unknown,
): values is { __interrupt__: Interrupt<Value>[] } {
  if (typeof values !== "object" || values === null) return false;
  return Array.isArray((values as { __interrupt__?: unknown }).__interrupt__);
}
