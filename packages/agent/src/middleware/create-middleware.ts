import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { GraphError } from "@skein/errors";
import type { TransformerFactory } from "@skein/graph";
import type { AgentTool } from "../model/request.ts";
import { JUMP_TO_TARGETS } from "../runtime.ts";
import type { Admit } from "./admit.ts";
import type { Around } from "./around.ts";
import type { Derivations } from "./derivations.ts";
import type { FailurePolicy } from "./failure-policy.ts";
import type { ContextSchemaLike, SchemaContext, StateSchemaLike } from "./schema.ts";
import type { MiddlewareHooks, SharedMiddleware } from "./types.ts";

/** The brand of `langchain`'s middleware, so that each side's middleware passes for the other's. */
export const MIDDLEWARE_BRAND: symbol = Symbol.for("AgentMiddleware");

/** Hooks that become nodes, and hooks that wrap a call. */
const NODE_HOOKS = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;
const WRAP_HOOKS = ["wrapModelCall", "wrapToolCall"] as const;
export type NodeHookName = (typeof NODE_HOOKS)[number];

const KNOWN_KEYS: readonly string[] = [
  "name",
  "stateSchema",
  "contextSchema",
  "tools",
  "streamTransformers",
  "callbacks",
  "admit",
  "around",
  "contextConfiguration",
  "derivations",
  "failure",
  "onFailure",
  ...NODE_HOOKS,
  ...WRAP_HOOKS,
];

export interface MiddlewareInit<
  TSchema extends StateSchemaLike | undefined,
  TContextSchema extends ContextSchemaLike | undefined,
  TTools extends readonly AgentTool[],
  TTransformers extends readonly TransformerFactory[] = readonly TransformerFactory[],
>
  extends MiddlewareHooks<TSchema, SchemaContext<TContextSchema>>, FailurePolicy {
  name: string;
  stateSchema?: TSchema;
  contextSchema?: TContextSchema;
  tools?: TTools;
  /** Views of a run's events, for `streamEvents` with version "v3". */
  streamTransformers?: TTransformers;
  /** Of middleware that shapes the context: names its configuration, so that a change of it is seen. */
  contextConfiguration?: string;
  /** What it makes of messages in other words, to be followed when one is erased. */
  derivations?: Derivations;
  /** Handlers of LangChain's callbacks that hear of every run of the agent. */
  callbacks?: readonly BaseCallbackHandler[];
  /** Asked before a run begins on a stored thread, and before its input is stored: throws to refuse it. */
  admit?: Admit;
  /** Makes every call of the agent's model and tools within something, such as the context of a span. */
  around?: Around;
}

/**
 * Makes a middleware: state, tools and hooks that {@link createAgent} weaves into its loop.
 *
 * Order, for `middleware: [a, b]`: before hooks a, b; after hooks b, a; wraps a around b. A hook
 * returns the keys to change; they are merged once, with the reducers of their keys. A hook that
 * wants to jump is given as `{hook, canJumpTo}`.
 *
 * @throws GraphError INVALID_MIDDLEWARE for a missing name, an unknown key or a hook of a wrong type.
 *
 * @example
 * const timing = createMiddleware({
 *   name: "timing",
 *   stateSchema: z.object({ calls: z.number().default(0) }),
 *   beforeModel: (state) => ({ calls: state.calls + 1 }),
 * });
 */
export function createMiddleware<
  TSchema extends StateSchemaLike | undefined = undefined,
  TContextSchema extends ContextSchemaLike | undefined = undefined,
  const TTools extends readonly AgentTool[] = readonly AgentTool[],
  const TTransformers extends readonly TransformerFactory[] = readonly [],
>(
  init: MiddlewareInit<TSchema, TContextSchema, TTools, TTransformers>,
): SharedMiddleware<
  // where middleware of `langchain` is asked for, one without schemas is not one of any schema
  NoInfer<TSchema>,
  NoInfer<TContextSchema>,
  SchemaContext<TContextSchema>,
  TTools,
  TTransformers
> {
  validateMiddleware(init);
  const unknown = Object.keys(init).filter((key) => !KNOWN_KEYS.includes(key));
  if (unknown.length > 0) {
    throw new GraphError(
      "INVALID_MIDDLEWARE",
      `Middleware "${init.name}" has unknown keys: ${unknown.join(", ")}. Known are ${KNOWN_KEYS.join(", ")}.`,
      { details: { middleware: init.name, unknown } },
    );
  }
  return { [MIDDLEWARE_BRAND]: true, ...init } as never;
}

/** Checks what a middleware is made of, also one of another package. */
export function validateMiddleware(value: unknown): void {
  if (typeof value !== "object" || value === null) {
    throw new GraphError(
      "INVALID_MIDDLEWARE",
      "A middleware must be an object; make it with createMiddleware().",
    );
  }
  const parts = value as Record<string, unknown>;
  const name = parts["name"];
  if (typeof name !== "string" || name === "") {
    throw new GraphError(
      "INVALID_MIDDLEWARE",
      "A middleware needs a `name`, which is a string and not empty.",
    );
  }
  for (const key of WRAP_HOOKS) {
    if (parts[key] !== undefined && typeof parts[key] !== "function") {
      throw invalid(name, key, "must be a function (request, handler) => result");
    }
  }
  for (const [key, call] of [
    ["admit", "(threadId) => void"],
    ["around", "(kind, call) => call()"],
    ["onFailure", "(error, hook) => void"],
  ] as const) {
    if (parts[key] !== undefined && typeof parts[key] !== "function") {
      throw invalid(name, key, `must be a function ${call}`);
    }
  }
  for (const key of NODE_HOOKS) validateNodeHook(name, key, parts[key]);
  if (![undefined, "open", "closed"].includes(parts["failure"] as string | undefined)) {
    throw invalid(name, "failure", 'must be "open" or "closed"');
  }
  for (const key of ["tools", "callbacks", "streamTransformers"]) {
    if (parts[key] !== undefined && !Array.isArray(parts[key])) throw invalid(name, key, "must be an array");
  }
}

function validateNodeHook(name: string, key: NodeHookName, hook: unknown): void {
  if (hook === undefined || typeof hook === "function") return;
  const { hook: inner, canJumpTo } = (hook ?? {}) as { hook?: unknown; canJumpTo?: unknown };
  if (typeof inner !== "function") {
    throw invalid(name, key, "must be a function or {hook, canJumpTo}");
  }
  const unknown = Object.keys(hook as object).find((one) => one !== "hook" && one !== "canJumpTo");
  if (unknown !== undefined)
    throw invalid(name, `${key}.${unknown}`, "is not known: a hook is {hook, canJumpTo}");
  if (canJumpTo === undefined) return;
  const targets: readonly unknown[] = JUMP_TO_TARGETS;
  if (!Array.isArray(canJumpTo) || canJumpTo.some((target) => !targets.includes(target))) {
    throw invalid(name, `${key}.canJumpTo`, `must be an array of ${JUMP_TO_TARGETS.join(", ")}`);
  }
}

function invalid(name: string, key: string, must: string): GraphError {
  return new GraphError("INVALID_MIDDLEWARE", `Middleware "${name}": ${key} ${must}.`, {
    details: { middleware: name, key },
  });
}
