import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { Awaitable } from "@skein/checkpointer";
import { TAG_HIDDEN } from "../ids/names.ts";
import type { Branch } from "../program/program.ts";
import type { Done } from "./outcome.ts";
import type { LangGraphRunnableConfig } from "./config.ts";
import type { TaskRuntime } from "./runtime.ts";

/** What LangChain's callbacks are told a node is. */
const NODE = { lc: 1, type: "not_implemented", id: ["langgraph", "RunnableSequence"] } as const;

/** An attempt that callbacks hear of: its beginning, its end or error, and what runs inside it. */
export async function traced(
  runtime: TaskRuntime,
  config: LangGraphRunnableConfig,
  attempt: (runtime: TaskRuntime, config: LangGraphRunnableConfig) => Awaitable<Done>,
): Promise<Done> {
  const { task, scope } = runtime;
  const step = scope.callbacks?.getChild(`graph:step:${task.step}`);
  const tags = task.node.hidden ? [...(config.tags ?? []), TAG_HIDDEN] : config.tags;
  const manager = CallbackManager._configureSync(step, undefined, tags, undefined, config.metadata);
  if (manager === undefined) return attempt(runtime, config);
  const run = await manager.handleChainStart(
    NODE as never,
    asRecord(task.input, "input"),
    undefined,
    undefined,
    undefined,
    undefined,
    task.node.name,
  );
  config.callbacks = run.getChild();
  try {
    const done = await attempt(runtime, config);
    await run.handleChainEnd(asRecord(done.returned, "output"));
    return done;
  } catch (error) {
    await run.handleChainError(error);
    throw error;
  }
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
  const run = await manager.handleChainStart(
    NODE as never,
    state,
    undefined,
    undefined,
    undefined,
    undefined,
    "RunnableLambda",
  );
  config.callbacks = run.getChild();
  try {
    const chosen = await branch.choose(state, config);
    await run.handleChainEnd(asRecord(chosen, "output"));
    return chosen;
  } catch (error) {
    await run.handleChainError(error);
    throw error;
  } finally {
    config.callbacks = manager;
  }
}

/** Callbacks take records; anything else is wrapped, as LangChain does. */
export function asRecord(value: unknown, key: string): Record<string, unknown> {
  const isRecord =
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
  return isRecord ? (value as Record<string, unknown>) : { [key]: value };
}
