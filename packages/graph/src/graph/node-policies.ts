import { GraphError, shown } from "@skein/errors";
import { NodeError } from "../errors/node-error.ts";
import type { NodeAction } from "../program/program.ts";
import { timeoutPolicy } from "../program/timeout-policy.ts";
import { taskOf } from "../task/config.ts";
import type { ErrorHandler, NodePolicyOptions } from "./builder-types.ts";
import type { NodeSpec } from "./compile.ts";

/** Name of the node that `setNodeDefaults({errorHandler})` adds. */
const DEFAULT_HANDLER = "__default_error_handler__";

/** Name of the node that handles a node's errors; it shows in streams and traces. */
export const handlerName = (node: string): string => `__error_handler__${node}`;

/** A node's policies as the compiled program has them. */
export function policiesOf(
  options: NodePolicyOptions,
): Pick<NodeSpec, "retryPolicy" | "cachePolicy" | "timeout"> {
  const { cachePolicy, retryPolicy, errorHandler } = options;
  checkPolicy("retryPolicy", retryPolicy, "{maxAttempts: 3}");
  checkPolicy("cachePolicy", cachePolicy, "{ttl: 60}");
  checkRetries(retryPolicy);
  if (errorHandler !== undefined && errorHandler !== null && typeof errorHandler !== "function") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `"errorHandler" is a function, not ${shown(errorHandler)}.`,
    );
  }
  return {
    retryPolicy: retryPolicy ?? undefined,
    cachePolicy: typeof cachePolicy === "boolean" ? (cachePolicy ? {} : false) : (cachePolicy ?? undefined),
    timeout: timeoutPolicy(options.timeout),
  };
}

/** Numbers and texts would be policies without members; `true` stands for such a one, as in LangGraph. */
function checkPolicy(option: string, policy: unknown, example: string): void {
  if (policy === undefined || policy === null || typeof policy === "boolean") return;
  if (Array.isArray(policy) ? policy.every(isOne) : isOne(policy)) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `"${option}" is an object, as in {${option}: ${example}}, not ${shown(policy)}.`,
  );
}

/** @throws GraphError for a number of attempts that is none: NaN would be without end */
function checkRetries(policy: NodePolicyOptions["retryPolicy"]): void {
  for (const { maxAttempts } of [policy ?? []].flat() as { maxAttempts?: unknown }[]) {
    if (maxAttempts === undefined || (typeof maxAttempts === "number" && maxAttempts >= 1)) continue;
    throw new GraphError(
      "INVALID_CONFIGURATION",
      '"maxAttempts" counts the first attempt: it is at least 1.',
    );
  }
}

/** The node that runs an error handler. */
export function handlerSpec(name: string, handler: ErrorHandler, input: NodeSpec["input"]): NodeSpec {
  const action: NodeAction = (state, config) => {
    const failure = taskOf(config as never)?.task.failure;
    if (failure === undefined) {
      throw new GraphError(
        "UNKNOWN_NODE",
        `"${name}" handles the failures of a node and was sent to without one. Send to the node instead.`,
        { details: { node: name } },
      );
    }
    return handler(state, new NodeError(failure.task.node.name, failure.error as Error), config as never);
  };
  return {
    name,
    action,
    runnable: undefined,
    subgraphs: [],
    input,
    ...policiesOf({}),
    errorHandler: undefined,
    isErrorHandler: true,
    metadata: undefined,
    ends: undefined,
    defer: false,
  };
}

/** All nodes with what they leave to the defaults, and the default error handler's own. */
export function withDefaults(
  nodes: ReadonlyMap<string, NodeSpec>,
  defaults: NodePolicyOptions,
): ReadonlyMap<string, NodeSpec> {
  if (Object.keys(defaults).length === 0) return nodes;
  const policies = policiesOf(defaults);
  const errorHandler = defaults.errorHandler ?? undefined;
  const specs = new Map<string, NodeSpec>();
  for (const [name, node] of nodes) {
    const own = node.isErrorHandler;
    const handler = own || errorHandler === undefined ? undefined : DEFAULT_HANDLER;
    specs.set(name, {
      ...node,
      retryPolicy: node.retryPolicy ?? policies.retryPolicy,
      cachePolicy: own ? undefined : (node.cachePolicy ?? policies.cachePolicy),
      timeout: node.timeout ?? policies.timeout,
      errorHandler: node.errorHandler ?? handler,
    });
  }
  if (errorHandler !== undefined) {
    if (nodes.has(DEFAULT_HANDLER)) throw nameTaken(DEFAULT_HANDLER);
    const spec = handlerSpec(DEFAULT_HANDLER, errorHandler, undefined);
    specs.set(DEFAULT_HANDLER, {
      ...spec,
      retryPolicy: policies.retryPolicy,
      timeout: policies.timeout,
    });
  }
  return specs;
}

/** A node has the name that an error handler needs. */
export function nameTaken(name: string): GraphError {
  return new GraphError(
    "RESERVED_NAME",
    `"${name}" is the name under which an error handler is added. Give the node another one.`,
    { details: { node: name } },
  );
}

const isOne = (one: unknown): boolean => typeof one === "object" && one !== null;
