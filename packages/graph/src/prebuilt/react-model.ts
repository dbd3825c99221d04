import type { BaseChatModel, BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { LanguageModelLike } from "@langchain/core/language_models/base";
import { Runnable, RunnableBinding, RunnableSequence } from "@langchain/core/runnables";
import { GraphError, shown } from "@skein/errors";

/** A tool that the provider runs, in the provider's own words. */
export type ServerTool = Record<string, unknown>;

type AnyRunnable = Runnable & { readonly name?: string };
type Binding = RunnableBinding<unknown, unknown> & {
  readonly kwargs?: { readonly tools?: unknown };
  readonly config?: { readonly tools?: unknown };
};
/** What `initChatModel` makes: the model is chosen when it is called. */
interface Configurable {
  _model(): Promise<Runnable>;
}

/** @throws GraphError INVALID_CONFIGURATION for what cannot be a model, nor choose one */
export function assertModel<T>(model: T): T {
  if (typeof model === "function" || (typeof model === "object" && model !== null)) return model;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `The llm of createReactAgent is a chat model, or a function that chooses one, not ${shown(model)}.`,
  );
}

/** A tool that we run. */
export function isClientTool(tool: unknown): tool is AnyRunnable {
  return Runnable.isRunnable(tool);
}

function isChatModel(model: unknown): model is BaseChatModel {
  const { invoke, _modelType: type } = (model ?? {}) as { invoke?: unknown; _modelType?: unknown };
  return typeof invoke === "function" && type !== undefined;
}

function isConfigurable(model: unknown): model is Configurable {
  const candidate = (model ?? {}) as { _queuedMethodOperations?: unknown; _model?: unknown };
  return candidate._queuedMethodOperations !== undefined && typeof candidate._model === "function";
}

function isBinding(model: unknown): model is Binding {
  return RunnableBinding.isRunnableBinding(model);
}

function isModelStep(step: unknown): boolean {
  return isBinding(step) || isChatModel(step) || isConfigurable(step);
}

/** The model in a sequence, or the model itself; one that is chosen when called, chosen. */
async function modelIn(llm: LanguageModelLike): Promise<unknown> {
  const model = RunnableSequence.isRunnableSequence(llm) ? (llm.steps.find(isModelStep) ?? llm) : llm;
  return isConfigurable(model) ? model._model() : model;
}

/** The chat model behind bindings and sequences. @throws GraphError when there is none */
export async function chatModelOf(llm: LanguageModelLike): Promise<BaseChatModel> {
  const model = await modelIn(llm);
  const bare: unknown = isBinding(model) ? model.bound : model;
  if (isChatModel(bare)) return bare;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "createReactAgent needs a chat model as its llm, or one with tools bound to it.",
  );
}

/**
 * The model with the tools bound to it, unless it has them already.
 *
 * @throws GraphError when its own tools are others, or when it takes none
 */
export async function withTools(llm: LanguageModelLike, tools: readonly unknown[]): Promise<Runnable> {
  const bound = boundTools(await modelIn(llm));
  if (bound !== undefined) {
    assertSameTools(bound, tools);
    return llm as unknown as Runnable;
  }
  const direct = bind(llm, tools) ?? (isConfigurable(llm) ? bind(await llm._model(), tools) : undefined);
  if (direct !== undefined) return direct;
  if (RunnableSequence.isRunnableSequence(llm)) {
    const index = llm.steps.findIndex(isModelStep);
    const model = bind(llm.steps[index], tools);
    if (model !== undefined) return RunnableSequence.from(llm.steps.toSpliced(index, 1, model) as never);
  }
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "The llm of createReactAgent must have the method bindTools.",
  );
}

function bind(model: unknown, tools: readonly unknown[]): Runnable | undefined {
  if (isChatModel(model)) return model.bindTools?.([...tools] as BindToolsInput[]) as Runnable | undefined;
  if (!isBinding(model) || !isChatModel(model.bound)) return undefined;
  const bound: unknown = model.bound.bindTools?.([...tools] as BindToolsInput[]);
  if (bound === undefined) return undefined;
  const { config, kwargs, configFactories } = model;
  if (!isBinding(bound)) return new RunnableBinding({ bound, config, kwargs, configFactories } as never);
  return new RunnableBinding({
    bound: bound.bound,
    config: { ...config, ...bound.config },
    kwargs: { ...kwargs, ...bound.kwargs },
    configFactories: bound.configFactories ?? configFactories,
  } as never);
}

function boundTools(model: unknown): readonly unknown[] | undefined {
  if (!isBinding(model)) return undefined;
  const tools = model.kwargs?.tools ?? model.config?.tools;
  if (!Array.isArray(tools)) return undefined;
  // Google's models hold all functions in one tool
  const declarations = (tools[0] as { functionDeclarations?: unknown } | undefined)?.functionDeclarations;
  return tools.length === 1 && Array.isArray(declarations) ? declarations : tools;
}

function assertSameTools(bound: readonly unknown[], tools: readonly unknown[]): void {
  if (bound.length !== tools.length) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `The model has ${bound.length} tools bound to it and createReactAgent was given ${tools.length}. They must be the same.`,
    );
  }
  const names = new Set(bound.map(nameOfBound));
  const missing = tools
    .filter(isClientTool)
    .map(({ name }) => name)
    .filter((name) => !names.has(name));
  if (missing.length === 0) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `Missing tools '${missing.join(", ")}' in the model.bindTools(). They must match the tools passed to createReactAgent.`,
    { details: { missing } },
  );
}

/** OpenAI's, Anthropic's and Google's, and Amazon's way to say a tool's name. */
function nameOfBound(tool: unknown): string | undefined {
  const { type, name, ...rest } = tool as {
    type?: string;
    name?: string;
    function?: { name?: string };
    toolSpec?: { name?: string };
  };
  if (type === "function" && rest.function !== undefined) return rest.function.name;
  return name ?? rest.toolSpec?.name;
}
