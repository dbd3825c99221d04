import { interopParse, isInteropZodSchema } from "@langchain/core/utils/types";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import type { Runtime } from "../runtime.ts";
import type { AnyAgentMiddleware } from "./types.ts";

type NodeConfig = RunnableConfig & Partial<Runtime>;

/**
 * Reads a middleware's runtime out of a node's config. A `contextSchema` fills in defaults and is
 * applied once for every context object, not once a call.
 */
export function runtimeReader(middleware: AnyAgentMiddleware): (config: RunnableConfig) => Runtime {
  const contextOf = contextReader(middleware);
  return (config) => {
    const { context, store, configurable, writer, interrupt, signal } = config as NodeConfig;
    return { context: contextOf(context), store, configurable, writer, interrupt, signal };
  };
}

/** The runtime of something that has no context schema: a tool, the agent itself. */
export function runtimeOf(config: RunnableConfig): Runtime {
  const { context, store, configurable, writer, interrupt, signal } = config as NodeConfig;
  return { context, store, configurable, writer, interrupt, signal };
}

function contextReader({ name, contextSchema }: AnyAgentMiddleware): (context: unknown) => unknown {
  if (contextSchema === undefined) return (context) => context;
  if (!isInteropZodSchema(contextSchema)) {
    throw new GraphError("INVALID_MIDDLEWARE", `Middleware "${name}": contextSchema must be a zod schema.`, {
      details: { middleware: name },
    });
  }
  const parsed = new WeakMap<object, unknown>();
  return (context) => {
    const given = (context ?? {}) as object;
    const known = parsed.get(given);
    if (known !== undefined) return known;
    try {
      const value = interopParse(contextSchema, given);
      parsed.set(given, value);
      return value;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new GraphError(
        "INVALID_INPUT",
        `The \`context\` of this run is not what middleware "${name}" expects: ${reason}`,
        { cause, details: { middleware: name } },
      );
    }
  };
}
