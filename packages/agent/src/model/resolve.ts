import { GraphError, shown, thrownMessage } from "@skein/errors";
import type { AgentLanguageModelLike } from "./request.ts";

/**
 * The model of an agent: the one given, or for a name such as `"openai:gpt-5"` the one that
 * LangChain's `initChatModel` makes of it. `langchain` is loaded only then, at the first call.
 *
 * @param fields - options of `initChatModel`. Default: none
 * @throws GraphError INVALID_CONFIGURATION for what is neither; the function that it returns throws it for a
 *   name of which no model can be made
 *
 * @example
 * const resolve = modelResolver("openai:gpt-5-mini");
 * const model = await resolve();
 */
export function modelResolver(
  model: string | AgentLanguageModelLike,
  fields?: Readonly<Record<string, unknown>>,
): () => AgentLanguageModelLike | Promise<AgentLanguageModelLike> {
  if (!isModelLike(model)) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `modelResolver takes a chat model, or the name of one such as "openai:gpt-5", not ${shown(model)}.`,
    );
  }
  if (typeof model !== "string") return () => model;
  let loading: Promise<AgentLanguageModelLike> | undefined;
  return () => {
    loading ??= loadModel(model, fields).catch((error: unknown) => {
      // a missing package or key can be put right while the program runs
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Whether a value is a chat model, or may be the name of one. */
export function isModelLike(model: unknown): model is string | AgentLanguageModelLike {
  if (typeof model === "string") return model !== "";
  return typeof (model as { readonly invoke?: unknown } | null | undefined)?.invoke === "function";
}

interface ModelFactory {
  initChatModel(name: string, fields?: Readonly<Record<string, unknown>>): Promise<AgentLanguageModelLike>;
}

/** As LangChain's agent asks for its own model: OpenAI's by the API that knows reasoning and its own tools. */
export function agentModel(
  model: string | AgentLanguageModelLike,
): () => AgentLanguageModelLike | Promise<AgentLanguageModelLike> {
  const isOpenAI = typeof model === "string" && model.startsWith("openai:");
  return modelResolver(model, isOpenAI ? { useResponsesApi: true } : undefined);
}

async function loadModel(
  name: string,
  fields: Readonly<Record<string, unknown>> | undefined,
): Promise<AgentLanguageModelLike> {
  // through a variable, so that compilers and bundlers do not ask for an optional package
  const from = "langchain";
  let factory: ModelFactory;
  try {
    factory = (await import(/* @vite-ignore */ from)) as ModelFactory;
  } catch (cause) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `The model "${name}" is given by name, which needs the package "langchain". Install it (npm install langchain), or pass a chat model instance as \`model\`.`,
      { cause, details: { model: name, package: "langchain" } },
    );
  }
  try {
    return await factory.initChatModel(name, fields);
  } catch (cause) {
    const reason = thrownMessage(cause);
    throw new GraphError("INVALID_CONFIGURATION", `The model "${name}" can not be made: ${reason}`, {
      cause,
      details: { model: name },
    });
  }
}
