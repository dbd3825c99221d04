import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { GraphError } from "@skein/errors";
import type { LangGraphRunnableConfig } from "./config.ts";
import { madeOf } from "./config-on-demand.ts";

/** Under this key LangChain looks for the config of the running node. */
const CHILD_CONFIG = Symbol.for("lc:child_config");
/** Under this key LangChain keeps context variables, which nested runs inherit. */
const VARIABLES = Symbol.for("lc:context_variables");

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
  if (isTraced(callbacks)) return AsyncLocalStorageProviderSingleton.runWithConfig(config, fn);
  const storage = AsyncLocalStorageProviderSingleton.getInstance();
  const outer = storage.getStore() as Record<symbol, unknown> | undefined;
  const run = new UntracedRun(config);
  const variables = outer?.[VARIABLES];
  if (variables !== undefined) run[VARIABLES] = variables;
  return storage.run(run as never, fn);
}

/**
 * What LangChain finds of a node that no tracer follows: as much of a run tree of LangSmith's as it takes
 * to be known as one, so that `setContextVariable()` keeps what is ambient. A whole one costs more than a step.
 */
class UntracedRun {
  readonly extra: Extra;
  readonly tracingEnabled = false;
  declare [VARIABLES]?: unknown;

  constructor(config: LangGraphRunnableConfig) {
    this.extra = new Extra(config);
  }
  createChild(config: object): unknown {
    return Object.assign(bareTree(), { extra: this.extra }).createChild(config);
  }
  /** Nothing is sent of it. */
  async postRun(): Promise<void> {}
}

/** A run tree as LangChain makes one where nothing is traced. */
function bareTree(): Pick<UntracedRun, "createChild"> {
  const provider = AsyncLocalStorageProviderSingleton;
  const storage = provider.getInstance();
  return storage.run(undefined as never, () => provider.runWithConfig({}, () => storage.getStore())) as never;
}

/** What LangChain finds a config in. Nested runs copy what they find, so they get it without its proxy. */
class Extra {
  readonly #config: LangGraphRunnableConfig;

  constructor(config: LangGraphRunnableConfig) {
    this.#config = config;
  }
  get [CHILD_CONFIG](): LangGraphRunnableConfig {
    return madeOf(this.#config);
  }
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
