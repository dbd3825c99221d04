import { GraphError } from "@skein/errors";
import type { AgentLanguageModelLike } from "./request.ts";

/**
 * The model of an agent: the one given, or for a name such as `"openai:gpt-5"` the one that
 * LangChain's `initChatModel` makes of it. `langchain` is loaded only then, at the first call.
 */
export function modelResolver(
  model: string | AgentLanguageModelLike,
): () => AgentLanguageModelLike | Promise<AgentLanguageModelLike> {
  if (typeof model !== "string") return () => model;
  let loading: Promise<AgentLanguageModelLike> | undefined;
  return () => {
    loading ??= loadModel(model).catch((error: unknown) => {
      // a missing package or key can be put right while the program runs
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

interface ModelFactory {
  initChatModel(name: string): Promise<AgentLanguageModelLike>;
}

async function loadModel(name: string): Promise<AgentLanguageModelLike> {
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
    return await factory.initChatModel(name);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GraphError("INVALID_CONFIGURATION", `The model "${name}" can not be made: ${reason}`, {
      cause,
      details: { model: name },
    });
  }
}
