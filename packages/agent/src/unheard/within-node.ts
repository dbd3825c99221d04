import { AsyncLocalStorageProviderSingleton as provider } from "@langchain/core/singletons";
import { overrides } from "./overrides.ts";

/** Under this symbol the run of a node that nobody hears of makes another one, with a config of its own. */
const WITHIN: unique symbol = Symbol.for("skein.within") as never;

interface NodeRun {
  [WITHIN]?(config: unknown): object;
}

type Replaced = Partial<Pick<typeof provider, "runWithConfig">>;

const isPatched = overrides(provider, ["runWithConfig"]);

/**
 * Calls what has LangChain run something with a config before it waits for anything, as tools do that `tool()`
 * has made. LangChain makes a run tree of LangSmith's for it, also where nothing is traced: of 30 members that
 * are defined one by one, random bytes and dates, which took a third of an agent's turn
 * (docs/decisions/2026-11-28-calls-that-nobody-hears-of.md). What a node has in its place serves here as well.
 *
 * LangChain has one object that all ask, so that it answers otherwise for as long as it takes to be asked once:
 * nobody else can run meanwhile. Its class has the method: what stands before that is taken away again, for who
 * changes the class later.
 */
export function withinNode<T>(call: () => T): T {
  const storage = provider.getInstance();
  const make = (storage.getStore() as NodeRun | undefined)?.[WITHIN];
  if (make === undefined || !isReplaceable()) return call();
  // a literal assigned to a property is allocated among the old, and would keep the run from being collected early
  const once: typeof provider.runWithConfig = (config, callback, avoidCreatingRootRunTree) => {
    putBack(once);
    if (config?.callbacks !== undefined || avoidCreatingRootRunTree === true)
      return provider.runWithConfig(config, callback, avoidCreatingRootRunTree);
    return storage.run(make(config) as never, callback);
  };
  provider.runWithConfig = once;
  try {
    return call();
  } finally {
    putBack(once);
  }
}

function isReplaceable(): boolean {
  return !isPatched(provider) && !Object.hasOwn(provider, "runWithConfig") && Object.isExtensible(provider);
}

/** What somebody else has put there meanwhile stays. */
function putBack(once: typeof provider.runWithConfig): void {
  // by the operator: `Reflect.deleteProperty` would make the object one that V8 looks things up in by hash
  if (provider.runWithConfig === once) delete (provider as Replaced).runWithConfig;
}
