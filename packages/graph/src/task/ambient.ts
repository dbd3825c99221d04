import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { GraphError } from "@skein/errors";
import type { LangGraphRunnableConfig } from "./config.ts";
import { UntracedRun, VARIABLES } from "./untraced-run.ts";

/**
 * Runs a function with a config that `interrupt()`, `getStore()` and nested model calls find
 * without being handed it. Only for a tracer does LangChain's own way, which makes a run tree, serve
 * more than this.
 */
export function withConfig<T>(config: LangGraphRunnableConfig, fn: () => T): T {
  return withTaskConfig(config, config.callbacks, fn);
}

/** The same without looking at the config, which is made for who does. */
export function withTaskConfig<T>(
  config: LangGraphRunnableConfig,
  callbacks: LangGraphRunnableConfig["callbacks"],
  fn: () => T,
): T {
  return isolated(() => around(config, callbacks, fn));
}

/** What a node sets for what is asynchronous (`enterWith`) is not for other nodes, nor for who runs the graph (I9). */
let isolated: <T>(fn: () => T) => T = (fn) => fn();

/** Has nodes kept apart, where there is something that they could share. */
export function isolateBy(isolate: typeof isolated): void {
  isolated = isolate;
}

function around<T>(
  config: LangGraphRunnableConfig,
  callbacks: LangGraphRunnableConfig["callbacks"],
  fn: () => T,
): T {
  if (isTraced(callbacks)) return AsyncLocalStorageProviderSingleton.runWithConfig(config, fn);
  const storage = AsyncLocalStorageProviderSingleton.getInstance();
  const outer = storage.getStore() as Record<symbol, unknown> | undefined;
  const run = new UntracedRun(config);
  const variables = outer?.[VARIABLES];
  if (variables !== undefined) run[VARIABLES] = variables;
  return storage.run(run as never, fn);
}

function isTraced(callbacks: LangGraphRunnableConfig["callbacks"]): boolean {
  if (callbacks === undefined) return false;
  const handlers = Array.isArray(callbacks) ? callbacks : callbacks.handlers;
  return handlers.some((handler) => "name" in handler && handler.name === "langchain_tracer");
}

/** The config of the node that is running; undefined outside of nodes. */
export function ambientConfig(): LangGraphRunnableConfig | undefined {
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as LangGraphRunnableConfig | undefined;
}

/** @throws GraphError OUTSIDE_RUN when no node is running and no config was handed over */
export function requireConfig(what: string, config?: LangGraphRunnableConfig): LangGraphRunnableConfig {
  const found = config ?? ambientConfig();
  if (found !== undefined) return found;
  throw new GraphError(
    "OUTSIDE_RUN",
    `${what} was called outside of a node, or in one of @skein/graph/web, where only the node's second argument knows the run: config.interrupt(), config.store, config.writer.`,
  );
}
