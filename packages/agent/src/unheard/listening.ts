import { CallbackManager } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { RunnableBinding, type RunnableConfig } from "@langchain/core/runnables";
import { _CONTEXT_VARIABLES_KEY, AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { overrides } from "./overrides.ts";

/** Methods that see the config of a call on its way. */
const hasOwnCalls = overrides(BaseChatModel.prototype, [
  "invoke",
  "generatePrompt",
  "generate",
  "_generateCached",
  "_generateUncached",
  "_separateRunnableConfigFromCallOptions",
  "_separateRunnableConfigFromCallOptionsCompat",
]);
const hasOwnBinding = overrides(RunnableBinding.prototype, ["invoke", "_mergeConfig"]);
const isPatched = overrides(CallbackManager, ["configure", "_configureSync"]);

/**
 * Whether anybody may be told of a call of a model: callbacks of the call, of what runs around it, of the
 * model, of what it is bound to; a tracer; a hook that somebody registered with LangChain. Also true for a
 * model with a method of its own that may look at the config.
 *
 * @param callbacks - of the call. A run that the environment traces, or prints, has some
 */
export function mayBeHeard(model: unknown, callbacks: RunnableConfig["callbacks"]): boolean {
  return callbacks !== undefined || isListening(model) || isHeardAround();
}

function isListening(model: unknown): boolean {
  if (model instanceof RunnableBinding) {
    const { bound, config, kwargs, configFactories = [] } = model;
    const called = (kwargs as Partial<RunnableConfig> | undefined)?.callbacks ?? config.callbacks;
    if (called !== undefined || configFactories.length > 0) return true;
    return hasOwnBinding(model) || isListening(bound);
  }
  if (!(model instanceof BaseChatModel) || model.callbacks !== undefined || model.verbose) return true;
  return hasOwnCalls(model);
}

/**
 * A call takes what it is not given from what runs around it, where the variables are in which hooks stand.
 * Also true where that limits its time, of which `invoke()` makes a signal.
 */
export function isHeardAround(): boolean {
  if (isPatched(CallbackManager)) return true;
  const provider = AsyncLocalStorageProviderSingleton;
  const around = provider.getInstance().getStore() as
    | (Record<symbol, unknown> & { readonly tracingEnabled?: unknown })
    | undefined;
  if (around === undefined) return false;
  if (around.tracingEnabled !== false || around[_CONTEXT_VARIABLES_KEY] !== undefined) return true;
  const { callbacks, timeout } = (provider.getRunnableConfig() ?? {}) as RunnableConfig;
  return callbacks !== undefined || timeout !== undefined;
}
