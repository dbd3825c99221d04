import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { ambientConfig, requireConfig } from "./ambient.ts";
import { type LangGraphRunnableConfig, taskOf } from "./config.ts";
import type { TaskRuntime } from "./runtime.ts";
import { readable } from "./own-keys.ts";

/**
 * The config of the node that is running. Its type says what there is within a node; outside of nodes
 * there is none.
 *
 * @example
 * const userId = getConfig().configurable?.["userId"];
 */
export function getConfig(): LangGraphRunnableConfig {
  const config = ambientConfig() as LangGraphRunnableConfig;
  return config && readable(config);
}

/**
 * A hidden key of the state that is running, such as the complete history, as all tasks of the present
 * step see it. It is loaded when somebody asks, whatever the node's input is.
 *
 * @param options - `shown`: without the elements that were removed from the list whose log it is
 * @returns undefined when the state has no such key, or it is not hidden
 * @throws GraphError OUTSIDE_RUN outside of nodes
 *
 * @example
 * const history = await getArchive<BaseMessage>("full_messages", config);
 */
export async function getArchive<T = unknown>(
  key: string,
  config?: LangGraphRunnableConfig,
  options: { readonly shown?: boolean } = {},
): Promise<readonly T[] | undefined> {
  const { snapshot, program } = taskOf(requireConfig("getArchive()", config))?.scope ?? {};
  if (snapshot === undefined || program?.channels.get(key)?.lazy !== true) return undefined;
  const channel = snapshot.slot(key)?.channel;
  await channel?.materialise();
  const all = (snapshot.read([key])[key] ?? []) as readonly T[];
  if (options.shown !== true) return all;
  const hidden = (await channel?.hiddenIds()) ?? new Set<string>();
  return all.filter((element) => !hidden.has((element as { readonly id?: unknown }).id as string));
}

/**
 * The store of the running graph; undefined when it was compiled without one.
 *
 * @param config - of the node, for where there is no ambient one (browsers). Default: the ambient one
 * @throws GraphError OUTSIDE_RUN outside of nodes
 *
 * @example
 * const facts = await getStore()?.search(["facts", userId], { limit: 5 });
 */
export function getStore(config?: LangGraphRunnableConfig): BaseStore | undefined {
  return requireConfig("getStore()", config).store;
}

/**
 * What sends chunks to the stream mode "custom".
 *
 * @param config - of the node, for where there is no ambient one (browsers). Default: the ambient one
 * @throws GraphError OUTSIDE_RUN outside of nodes
 *
 * @example
 * const write = getWriter();
 * for (const page of pages) write?.({ read: page.url });
 */
export function getWriter(config?: LangGraphRunnableConfig): ((chunk: unknown) => void) | undefined {
  return requireConfig("getWriter()", config).writer;
}

/**
 * Sends a chunk to the stream mode "custom".
 *
 * @throws GraphError OUTSIDE_RUN outside of nodes
 *
 * @example
 * writer({ progress: 0.5 });
 */
export function writer<T = unknown>(chunk: T): void {
  requireConfig("writer()").writer?.(chunk);
}

/**
 * The input of the node that is running: the state, or what it was sent. A task that was sent a call of a
 * tool finds the state beside the call, also where the agent sends the call alone.
 *
 * @throws GraphError OUTSIDE_RUN outside of nodes
 *
 * @example
 * const { messages } = getCurrentTaskInput<typeof MessagesAnnotation.State>();
 */
export function getCurrentTaskInput<T = unknown>(config?: LangGraphRunnableConfig): T {
  const runtime = taskOf(requireConfig("getCurrentTaskInput()", config));
  if (runtime !== undefined) return inputOf(runtime) as T;
  throw new GraphError("OUTSIDE_RUN", "getCurrentTaskInput() was called with a config that is no node's.");
}

function inputOf(runtime: TaskRuntime): unknown {
  const input = runtime.task.input as { readonly lg_tool_call?: unknown } | null | undefined;
  return input?.lg_tool_call === undefined ? input : { ...visibleState(runtime), ...input };
}

function visibleState({ scope: { snapshot, program } }: TaskRuntime): Record<string, unknown> {
  return snapshot.read(program.visibleKeys);
}

/**
 * The state as all tasks of the present step see it: for nodes that were sent an input of their own.
 * Hidden keys are left out.
 *
 * @throws GraphError OUTSIDE_RUN outside of nodes
 *
 * @example
 * const rate = ({ page }: { page: string }) => {
 *   const { topic } = getCurrentState<typeof State.State>();
 *   return { ratings: [rated(page, topic)] };
 * };
 */
export function getCurrentState<T = Record<string, unknown>>(config?: LangGraphRunnableConfig): T {
  const runtime = taskOf(requireConfig("getCurrentState()", config));
  if (runtime === undefined) {
    throw new GraphError("OUTSIDE_RUN", "getCurrentState() was called with a config that is no node's.");
  }
  return visibleState(runtime) as T;
}
