import { createMiddleware, modelResolver, type AgentLanguageModelLike } from "@skein/agent";
import { mustPropagate } from "../shared/backoff.ts";
import { invalidOption, requireModel } from "../shared/checks.ts";

/**
 * Calls another model when a call fails, one after the other; the last one's error is thrown. Every
 * call begins with the agent's own model again.
 *
 * @param models - chat models, or names such as `"openai:gpt-5"`, which need the package `langchain`
 * @throws GraphError INVALID_CONFIGURATION without a model, or with what is none
 *
 * @example
 * createAgent({ model: large, tools, middleware: [modelFallbackMiddleware(medium, small)] });
 */
export function modelFallbackMiddleware(...models: readonly (string | AgentLanguageModelLike)[]) {
  if (models.length === 0) throw invalidOption("modelFallbackMiddleware needs at least one model.");
  for (const model of models) requireModel("A model of modelFallbackMiddleware", model ?? null);
  const resolvers = models.map((model) => modelResolver(model));
  return createMiddleware({
    name: "modelFallbackMiddleware",
    wrapModelCall: async (request, handler) => {
      let last: unknown;
      for (const resolve of [() => request.model, ...resolvers]) {
        try {
          return await handler({ ...request, model: await resolve() });
        } catch (error) {
          if (mustPropagate(error, request.runtime.signal)) throw error;
          last = error;
        }
      }
      throw last;
    },
  });
}
