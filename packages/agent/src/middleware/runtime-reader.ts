import {
  getInteropZodObjectShape,
  interopParse,
  interopSafeParse,
  isInteropZodObject,
  isInteropZodSchema,
  type InteropZodType,
} from "@langchain/core/utils/types";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError, thrownMessage } from "@skein/errors";
import type { HookRuntime } from "../runtime.ts";
import type { AnyAgentMiddleware } from "./types.ts";

type NodeConfig = RunnableConfig & Partial<HookRuntime<unknown>>;

/**
 * Reads a middleware's runtime out of a node's config. A `contextSchema` fills in defaults and is
 * applied once a run, not once a call: every run has a signal of its own.
 */
export function runtimeReader(
  middleware: AnyAgentMiddleware,
): (config: RunnableConfig) => HookRuntime<unknown> {
  const contextOf = contextReader(middleware);
  return (config) => {
    const { context, store, configurable, writer, interrupt, signal } = config as NodeConfig;
    return { context: contextOf(context, signal), store, configurable, writer, interrupt, signal };
  };
}

/** The runtime of something that has no context schema: a tool, the agent itself. */
export function runtimeOf(config: RunnableConfig): HookRuntime<unknown> {
  const { context, store, configurable, writer, interrupt, signal } = config as NodeConfig;
  return { context, store, configurable, writer, interrupt, signal };
}

/**
 * What a schema makes of a run's context, which is for the agent and all its middleware: a strict schema
 * that does not know another one's keys is given its own. Of a run without one it is the schema's default,
 * else what its keys have as defaults, else nothing where it need not be given.
 */
function contextFor(schema: InteropZodType, given: object | undefined): unknown {
  const none = given === undefined ? interopSafeParse(schema, undefined) : undefined;
  if (none?.success && none.data !== undefined) return none.data;
  const context = given ?? {};
  const whole = interopSafeParse(schema, context);
  if (whole.success) return whole.data;
  if (none?.success) return undefined;
  const keys = keysOf(schema);
  if (keys === undefined) throw whole.error;
  const own = keys.filter((key) => key in context);
  // nothing in it is for this schema: as where none was given
  if (given !== undefined && own.length === 0) return contextFor(schema, undefined);
  return interopParse(schema, Object.fromEntries(own.map((key) => [key, context[key as keyof object]])));
}

/** The keys of an object, also of one that need not be given or has a default. */
function keysOf(schema: unknown): string[] | undefined {
  if (isInteropZodObject(schema)) return Object.keys(getInteropZodObjectShape(schema));
  // zod 3, 4 and mini
  const { _def, _zod } = schema as { readonly _def?: Inner; readonly _zod?: { readonly def?: Inner } };
  const within = (_def ?? _zod?.def)?.innerType;
  return within === undefined ? undefined : keysOf(within);
}

interface Inner {
  readonly innerType?: unknown;
}

type ContextReader = (context: unknown, run: AbortSignal | undefined) => unknown;

function contextReader({ name, contextSchema }: AnyAgentMiddleware): ContextReader {
  if (contextSchema === undefined) return (context) => context;
  if (!isInteropZodSchema(contextSchema)) {
    throw new GraphError("INVALID_MIDDLEWARE", `Middleware "${name}": contextSchema must be a zod schema.`, {
      details: { middleware: name },
    });
  }
  const read = (context: unknown): unknown => {
    try {
      return contextFor(contextSchema, context ?? undefined);
    } catch (cause) {
      const reason = thrownMessage(cause);
      throw new GraphError(
        "INVALID_INPUT",
        `The \`context\` of this run is not what middleware "${name}" expects: ${reason}`,
        { cause, details: { middleware: name } },
      );
    }
  };
  const ofRuns = new WeakMap<AbortSignal, { readonly given: unknown; readonly value: unknown }>();
  return (context, run) => {
    if (run === undefined) return read(context);
    let known = ofRuns.get(run);
    if (known === undefined || known.given !== context) {
      known = { given: context, value: read(context) };
      ofRuns.set(run, known);
    }
    return known.value;
  };
}
