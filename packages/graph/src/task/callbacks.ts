import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import { TAG_HIDDEN } from "../ids/names.ts";
import type { Branch } from "../program/program.ts";
import { shownReturn } from "../program/several.ts";
import type { Choose } from "../program/writes.ts";
import { withConfig } from "./ambient.ts";
import type { Done } from "./outcome.ts";
import type { LangGraphRunnableConfig } from "./config.ts";
import type { TaskRuntime } from "./runtime.ts";

/** What callbacks are told a run is: some packages name runs by it. */
export const serialized = (...id: readonly string[]) => ({ lc: 1, type: "not_implemented", id }) as never;

/** Who is told of a run; undefined when nobody is. @param configurable - of a run that nobody called, or a graph */
export function listeners(
  callbacks: RunnableConfig["callbacks"],
  tags: string[] | undefined,
  metadata: Shown | undefined,
  configurable?: Readonly<Record<PropertyKey, unknown>>,
  context?: unknown,
): CallbackManager | undefined {
  const traced = configurable && shownOf(configurable, context);
  return CallbackManager._configureSync(callbacks, undefined, tags, undefined, metadata, undefined, {
    tracerInheritableMetadata: traced as Shown,
  });
}

/** An attempt that callbacks hear of: its beginning, its end or error, and what runs inside it. */
export async function traced(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  attempt: (runtime: TaskRuntime, config: LangGraphRunnableConfig) => Awaitable<Done>,
): Promise<Done> {
  const { task, scope } = runtime;
  const step = scope.callbacks?.getChild(`graph:step:${task.step}`);
  const tags = task.node.hidden ? [...(config.tags ?? []), TAG_HIDDEN] : config.tags;
  const manager = listeners(step, tags, config.metadata);
  if (manager === undefined) return attempt(runtime, config);
  const act = async (child: CallbackManager): Promise<[Done, unknown]> => {
    config.callbacks = child;
    const done = await attempt(runtime, config);
    return [done, shownReturn(done.returned)];
  };
  return told(manager, SEQUENCE, task.input, act, task.node.name);
}

/** The choice of a branch as a run of its own within the node's, under the name that LangGraph has for it. */
export async function tracedChoice(
  branch: Branch,
  state: Record<string, unknown>,
  given: unknown,
): Promise<unknown> {
  const config = given as LangGraphRunnableConfig;
  const manager = config.callbacks as CallbackManager | undefined;
  if (manager === undefined || branch.runnable) return branch.choose(state, config);
  try {
    return await told(manager, "RunnableLambda", state, async (child) => {
      config.callbacks = child;
      const chosen = await withConfig(config, () => branch.choose(state, config));
      return [chosen, chosen];
    });
  } finally {
    config.callbacks = manager;
  }
}

/** An update of a state as a run of its own, with the choices of branches in it, if callbacks are to hear of it. */
export async function tracedUpdate<Writes>(
  name: string,
  values: unknown,
  config: LangGraphRunnableConfig,
  update: (config: LangGraphRunnableConfig, choose?: Choose) => Awaitable<Writes>,
): Promise<Writes> {
  const { callbacks, tags, metadata, configurable = {}, runId, runName } = config;
  const manager = listeners(callbacks, tags, metadata, configurable);
  if (manager === undefined) return update(config);
  const act = async (child: CallbackManager): Promise<[Writes, unknown]> => [
    await update({ ...config, callbacks: child }, tracedChoice),
    values,
  ];
  return told(manager, SEQUENCE, values, act, runName ?? `${name}UpdateState`, runId);
}

/** What LangGraph runs a node as. */
const SEQUENCE = "RunnableSequence";

/** Tells callbacks that a run begins, and how it ends: by what it returns beside its result. */
async function told<Result>(
  manager: CallbackManager,
  kind: string,
  input: unknown,
  act: (child: CallbackManager) => Promise<[result: Result, output: unknown]>,
  name = kind,
  runId?: string,
): Promise<Result> {
  const run = await manager.handleChainStart(
    serialized("langchain_core", "runnables", kind),
    asRecord(input, "input"),
    runId,
    undefined,
    undefined,
    undefined,
    name,
  );
  try {
    const [result, output] = await act(run.getChild());
    await run.handleChainEnd(asRecord(output, "output"));
    return result;
  } catch (error) {
    await run.handleChainError(error);
    throw error;
  }
}

/** Secrets that people keep in `configurable`, by parts of their names. */
const SECRET = /key|token|secret|password|auth/i;

/**
 * Members of `configurable` that LangSmith shows with each run of the call. One that `context` has with the
 * same value is left out, as context is none of LangSmith's business: there its value is undefined.
 */
function shownOf(configurable: Readonly<Record<PropertyKey, unknown>>, context: unknown): Shown {
  const shown: Shown = {};
  for (const [key, value] of Object.entries(configurable)) {
    if (key.startsWith("__")) continue;
    if (Object.is((context as Shown | null | undefined)?.[key], value)) shown[key] = undefined;
    else if (/string|number|boolean/.test(typeof value) && !SECRET.test(key)) shown[key] = value;
  }
  return shown;
}
type Shown = Record<string, unknown>;

/** Callbacks take records; anything else is wrapped, as LangChain does. */
export function asRecord(value: unknown, key: string): Record<string, unknown> {
  const isRecord =
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
  return isRecord ? (value as Record<string, unknown>) : { [key]: value };
}
