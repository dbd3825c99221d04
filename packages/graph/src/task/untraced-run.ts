import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { LangGraphRunnableConfig } from "./config.ts";
import { madeOf } from "./config-on-demand.ts";

/** Under this key LangChain looks for the config of the running node. */
const CHILD_CONFIG = Symbol.for("lc:child_config");
/** Under this key LangChain keeps context variables, which nested runs inherit. */
export const VARIABLES = Symbol.for("lc:context_variables");

/**
 * What LangChain finds of a node that no tracer follows. It stands for a run tree of LangSmith's with
 * tracing off, and becomes one when somebody first looks for more than the config and the variables:
 * to make one costs more than a superstep, and hardly any node asks.
 */
export class UntracedRun {
  tracingEnabled = false;
  readonly #config: LangGraphRunnableConfig;
  #variables: unknown;
  #extra: object | undefined;

  constructor(config: LangGraphRunnableConfig, variables: unknown) {
    this.#config = config;
    this.#variables = variables;
  }
  /** Nested runs copy the config that they find, so they get it without its proxy. */
  get extra(): object {
    this.#extra ??= { metadata: {}, [CHILD_CONFIG]: madeOf(this.#config) };
    return this.#extra;
  }
  set extra(extra: object) {
    this.#extra = extra;
  }
  get [VARIABLES](): unknown {
    return this.#variables;
  }
  set [VARIABLES](variables: unknown) {
    this.#variables = variables;
  }

  /** The same object, which is a run tree from then on; undefined for what is none of ours. */
  static grown(run: object): object | undefined {
    if (!(#config in run)) return undefined;
    const { extra, tracingEnabled } = run;
    const variables = run.#variables;
    const tree = bareTree();
    // first, as the accessors go with the old one
    Object.setPrototypeOf(run, Object.getPrototypeOf(tree) as object);
    if (variables !== undefined) Object.assign(run, { [VARIABLES]: variables });
    return Object.assign(run, tree, { extra, tracingEnabled });
  }
}

/** Asked for what a run does not have yet: its names are texts. */
const onFirstLook: ProxyHandler<object> = {
  get: (_, name, run: object): unknown =>
    typeof name === "symbol" ? undefined : Reflect.get(UntracedRun.grown(run) ?? bareTree(), name),
  set: (_, name, value, run: object) => Reflect.set(UntracedRun.grown(run) ?? bareTree(), name, value),
  has: (_, name) => typeof name !== "symbol" && Reflect.has(bareTree(), name),
  getPrototypeOf: () => Reflect.getPrototypeOf(bareTree()),
};
Object.setPrototypeOf(UntracedRun.prototype, new Proxy({}, onFirstLook));

/** A run tree as LangChain makes one where nothing is traced. */
function bareTree(): object {
  const storage = AsyncLocalStorageProviderSingleton.getInstance();
  const made = (): unknown => AsyncLocalStorageProviderSingleton.runWithConfig({}, () => storage.getStore());
  return storage.run(undefined as never, made) as object;
}
