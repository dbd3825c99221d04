import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { RunnableBinding, type RunnableConfig } from "@langchain/core/runnables";
import { _CONTEXT_VARIABLES_KEY, AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

const { invoke, generatePrompt, generate } = BaseChatModel.prototype;
const { invoke: invokeBound } = RunnableBinding.prototype;

/**
 * Whether anybody may be told of a call of a model: its callbacks and the model's own, a tracer, or a hook
 * that somebody registered with LangChain. Also true for models that call themselves in a way of their own,
 * and so may look at their config.
 *
 * @param callbacks - of the call
 */
export function mayBeHeard(model: unknown, callbacks: RunnableConfig["callbacks"]): boolean {
  return callbacks !== undefined || isListening(model) || isTracedAround();
}

function isListening(model: unknown): boolean {
  if (model instanceof RunnableBinding) {
    const { bound, config, configFactories } = model;
    if (model.invoke !== invokeBound || config.callbacks !== undefined) return true;
    return (configFactories ?? []).length > 0 || isListening(bound);
  }
  if (!(model instanceof BaseChatModel) || model.callbacks !== undefined || model.verbose) return true;
  return model.invoke !== invoke || model.generatePrompt !== generatePrompt || model.generate !== generate;
}

/** LangChain's hooks stand among the variables of what runs, as their handlers do. */
function isTracedAround(): boolean {
  const around = AsyncLocalStorageProviderSingleton.getInstance().getStore() as
    | (Record<symbol, unknown> & { readonly tracingEnabled?: unknown })
    | undefined;
  return (
    around !== undefined && (around.tracingEnabled !== false || around[_CONTEXT_VARIABLES_KEY] !== undefined)
  );
}
