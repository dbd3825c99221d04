import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { LangGraphRunnableConfig } from "./config.ts";
import { madeOf } from "./config-on-demand.ts";

/** Under this key LangChain looks for the config of the running node. */
export const CHILD_CONFIG: unique symbol = Symbol.for("lc:child_config") as never;
/** Under this key LangChain keeps context variables, which nested runs inherit. */
export const VARIABLES = Symbol.for("lc:context_variables");

interface RunTree {
  createChild(config: object): unknown;
}

/**
 * What LangChain finds of a node that no tracer follows: a run tree of LangSmith's with tracing off, as far
 * as LangChain itself looks. What else a run tree has, see `run-tree-members.ts`.
 */
export class UntracedRun {
  extra: object;
  tracingEnabled = false;
  declare [VARIABLES]?: unknown;

  constructor(config: LangGraphRunnableConfig) {
    this.extra = new Extra(config);
  }
  createChild(config: object): unknown {
    return wholeTree(this).createChild(config);
  }
  /** Nothing is sent of it. */
  async postRun(): Promise<void> {}
}

/** A run tree as LangChain makes one where nothing is traced: it costs more than a superstep. */
export function wholeTree(run: UntracedRun): RunTree {
  const provider = AsyncLocalStorageProviderSingleton;
  const storage = provider.getInstance();
  const tree = storage.run(undefined as never, () => provider.runWithConfig({}, () => storage.getStore()));
  return Object.assign(tree as unknown as RunTree, run);
}

/** What LangChain finds a config in. Nested runs copy what they find, so they get it without its proxy. */
export class Extra {
  readonly #config: LangGraphRunnableConfig;

  constructor(config: LangGraphRunnableConfig) {
    this.#config = config;
  }
  get [CHILD_CONFIG](): LangGraphRunnableConfig {
    return madeOf(this.#config);
  }
}
