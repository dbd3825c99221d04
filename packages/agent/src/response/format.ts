import { RunnableBinding } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import type { ResponseSchema, SchemaOutput } from "./schema.ts";
import {
  ProviderStrategy,
  ToolStrategy,
  type ToolStrategyOptions,
  type TypedToolStrategy,
} from "./strategies.ts";

type Strategy = ToolStrategy | ProviderStrategy;

/**
 * What a structured response looks like, and how the model gives it. A schema by itself: in the
 * format of the provider if the model's profile says that it has one, else by calling a tool.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- of any output
export type ResponseFormatInput<T = any> =
  | ResponseSchema<T>
  | ToolStrategy<T>
  | ProviderStrategy<T>
  | TypedToolStrategy<T>
  | readonly (ResponseSchema | Strategy)[];

/** The type of the structured response of an agent that has none. */
export interface ResponseFormatUndefined {
  readonly __responseFormatUndefined: true;
}

/** What an agent's `structuredResponse` is. */
export type ResponseOf<F> = F extends undefined
  ? ResponseFormatUndefined
  : F extends ProviderStrategy<infer T>
    ? T
    : F extends ToolStrategy<infer T>
      ? T
      : F extends TypedToolStrategy<infer T>
        ? T
        : F extends readonly (infer Each)[]
          ? ResponseOf<Each>
          : SchemaOutput<F>;

/** A response format as a call of the model uses it. */
export type ReadFormat =
  | { readonly kind: "tool"; readonly tools: ReadonlyMap<string, ToolStrategy> }
  | { readonly kind: "provider"; readonly strategy: ProviderStrategy };

export type FormatReader = (
  input: ResponseFormatInput | undefined,
  /** A chat model, as far as one is known. */
  model: unknown,
) => ReadFormat | undefined;

/** Reads response formats, each once, so that a model's binding can be kept by the identity of what it returns. */
export function formatReader(): FormatReader {
  const byTool = new WeakMap<object, ReadFormat>();
  const byProvider = new WeakMap<object, ReadFormat>();
  return (input, model) => {
    if (input === undefined || input === null) return undefined;
    const known = hasOwnFormat(model) ? byProvider : byTool;
    let format = known.get(input);
    if (format === undefined) {
      format = readFormat(input, known === byProvider);
      known.set(input, format);
    }
    return format;
  };
}

function readFormat(input: ResponseFormatInput, preferProvider: boolean): ReadFormat {
  const list = (Array.isArray(input) ? input.flat() : [input]) as readonly unknown[];
  if (list.length === 0) throw wrong("it names no schema");
  const alone = list.length === 1;
  const strategies = list.map((one, at) => {
    const strategy = asStrategy(one);
    if (strategy !== undefined) return strategy;
    const schema = one as ResponseSchema;
    return alone && preferProvider && !Array.isArray(input)
      ? ProviderStrategy.fromSchema(schema)
      : ToolStrategy.fromSchema(schema, undefined, at + 1);
  });
  const [first] = strategies;
  if (alone && first instanceof ProviderStrategy) return { kind: "provider", strategy: first };
  const tools = new Map<string, ToolStrategy>();
  for (const strategy of strategies) {
    if (strategy instanceof ProviderStrategy) throw wrong("a providerStrategy must be the only one");
    if (tools.has(strategy.name)) {
      throw wrong(`two schemas are named "${strategy.name}"; give each a title of its own`);
    }
    tools.set(strategy.name, strategy);
  }
  return { kind: "tool", tools };
}

/** Ours, or one that `langchain` made: the same parts, under the same names. */
function asStrategy(one: unknown): Strategy | undefined {
  if (one instanceof ToolStrategy || one instanceof ProviderStrategy) return one;
  // of what is no schema either, `fromSchema` says what is wrong
  const { parse, schema, tool, strict, options } = (one ?? {}) as ForeignStrategy;
  if (typeof parse !== "function" || typeof schema !== "object") return undefined;
  if (tool?.function !== undefined)
    return ToolStrategy.fromSchema({ ...tool.function, type: "object" }, options);
  return typeof strict === "boolean"
    ? ProviderStrategy.fromSchema(schema as ResponseSchema, strict)
    : undefined;
}

interface ForeignStrategy {
  readonly parse?: unknown;
  readonly schema?: unknown;
  readonly strict?: unknown;
  readonly tool?: { readonly function?: { readonly name: string } };
  readonly options?: ToolStrategyOptions;
}

/**
 * Waits for the profile of a model that LangChain makes when it is first called (`initChatModel`): until then
 * it has none, and a first call would not be like those after it.
 */
export function profileOf(model: unknown): Promise<unknown> | undefined {
  const { _queuedMethodOperations: queued, _getModelInstance: make } = (model ?? {}) as {
    readonly _queuedMethodOperations?: unknown;
    readonly _getModelInstance?: () => Promise<unknown>;
  };
  return queued !== undefined && typeof make === "function" ? make.call(model) : undefined;
}

/** Whether a model's profile says that its provider follows schemas by itself. */
function hasOwnFormat(model: unknown): boolean {
  // of a model that is given by name nothing is known before the first call
  if (model === undefined || model === null) return false;
  if (RunnableBinding.isRunnableBinding(model)) return hasOwnFormat(model.bound);
  const { profile } = model as { profile?: { structuredOutput?: unknown } };
  return profile?.structuredOutput === true;
}

function wrong(why: string): GraphError {
  return new GraphError("INVALID_CONFIGURATION", `responseFormat can not be used: ${why}.`);
}
