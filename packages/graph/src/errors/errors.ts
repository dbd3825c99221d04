import { GraphError } from "@skein/errors";
import { BaseLangGraphError, type LangGraphErrorFields } from "./base.ts";

/** The run took more supersteps than `recursionLimit` allows. */
export class GraphRecursionError extends BaseLangGraphError {
  constructor(message = "The run took more supersteps than it may.", fields: LangGraphErrorFields = {}) {
    super("GRAPH_RECURSION_LIMIT", message, { lc_error_code: "GRAPH_RECURSION_LIMIT", ...fields });
    this.name = "GraphRecursionError";
  }
  static get unminifiable_name(): "GraphRecursionError" {
    return "GraphRecursionError";
  }
}

/** A call that cannot work: no checkpointer, no thread, a bad option. */
export class GraphValueError extends BaseLangGraphError {
  constructor(message = "A call that cannot work.", fields: LangGraphErrorFields = {}) {
    super("INVALID_CONFIGURATION", message, fields);
    this.name = "GraphValueError";
  }
  static get unminifiable_name(): "GraphValueError" {
    return "GraphValueError";
  }
}

/** What was written to the state cannot be applied to it. */
export class InvalidUpdateError extends BaseLangGraphError {
  constructor(message = "The update cannot be applied to the state.", fields: LangGraphErrorFields = {}) {
    super("INVALID_UPDATE", message, fields);
    this.name = "InvalidUpdateError";
  }
  static get unminifiable_name(): "InvalidUpdateError" {
    return "InvalidUpdateError";
  }
}

/** The input holds no key of the state, and there is nothing to go on with. */
export class EmptyInputError extends BaseLangGraphError {
  constructor(message = "The input holds no key of the state.", fields: LangGraphErrorFields = {}) {
    super("EMPTY_INPUT", message, fields);
    this.name = "EmptyInputError";
  }
  static get unminifiable_name(): "EmptyInputError" {
    return "EmptyInputError";
  }
}

/** A channel without a value was read. Made without a stack: reads catch it often. */
export class EmptyChannelError extends BaseLangGraphError {
  constructor(message = "The channel has no value.", fields: LangGraphErrorFields = {}) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super("INVALID_UPDATE", message, fields);
    Error.stackTraceLimit = limit;
    this.name = "EmptyChannelError";
  }
  static get unminifiable_name(): "EmptyChannelError" {
    return "EmptyChannelError";
  }
}

/** No edge leads to a node. */
export class UnreachableNodeError extends BaseLangGraphError {
  constructor(message = "No edge leads to a node.", fields: LangGraphErrorFields = {}) {
    super("UNREACHABLE_NODE", message, { lc_error_code: "UNREACHABLE_NODE", ...fields });
    this.name = "UnreachableNodeError";
  }
  static get unminifiable_name(): "UnreachableNodeError" {
    return "UnreachableNodeError";
  }
}

/** What was given to `new StateGraph()` is no state definition. */
export class StateGraphInputError extends BaseLangGraphError {
  constructor(
    message = "Invalid StateGraph input. Pass Annotation.Root, a StateSchema or a zod object.",
    fields: LangGraphErrorFields = {},
  ) {
    super("INVALID_STATE_SCHEMA", message, fields);
    this.name = "StateGraphInputError";
  }
  static get unminifiable_name(): "StateGraphInputError" {
    return "StateGraphInputError";
  }
}

export interface NodeTimeout {
  /** Name of the node. */
  readonly node: string;
  /** Time since the attempt began, in milliseconds. */
  readonly elapsed: number;
  /** `run`: the whole attempt took too long; `idle`: it made no progress for too long. */
  readonly kind: "run" | "idle";
  readonly runTimeout?: number | undefined;
  readonly idleTimeout?: number | undefined;
}

/** An attempt of a node took longer than its `timeout` allows. */
export class NodeTimeoutError extends BaseLangGraphError {
  readonly node: string;
  readonly kind: "run" | "idle";
  /** The limit that was passed, in milliseconds. */
  readonly timeout: number;
  readonly elapsed: number;
  readonly runTimeout: number | undefined;
  readonly idleTimeout: number | undefined;

  constructor(facts: NodeTimeout, fields: LangGraphErrorFields = {}) {
    const timeout = facts.kind === "run" ? facts.runTimeout : facts.idleTimeout;
    if (timeout === undefined) throw new GraphError("INVALID_CONFIGURATION", `Pass ${facts.kind}Timeout.`);
    const what =
      facts.kind === "run"
        ? `exceeded its run timeout of ${timeout}ms`
        : `exceeded its idle timeout of ${timeout}ms without making progress`;
    super("TIMEOUT", `Node "${facts.node}" ${what} (elapsed: ${facts.elapsed}ms).`, fields);
    this.name = "NodeTimeoutError";
    this.node = facts.node;
    this.kind = facts.kind;
    this.timeout = timeout;
    this.elapsed = facts.elapsed;
    this.runTimeout = facts.runTimeout;
    this.idleTimeout = facts.idleTimeout;
  }
  static get unminifiable_name(): "NodeTimeoutError" {
    return "NodeTimeoutError";
  }
}

/** Whether an error says that a node took longer than its `timeout`. */
export function isNodeTimeoutError(error?: unknown): error is NodeTimeoutError {
  return error instanceof Error && error.name === NodeTimeoutError.unminifiable_name;
}

/** Kept for programs that name it; nothing throws it. */
export class MultipleSubgraphsError extends BaseLangGraphError {
  constructor(
    message = "A node calls several graphs that keep their state.",
    fields: LangGraphErrorFields = {},
  ) {
    super("INVALID_CONFIGURATION", message, fields);
    this.name = "MultipleSubgraphError";
  }
  static get unminifiable_name(): "MultipleSubgraphError" {
    return "MultipleSubgraphError";
  }
}

/** A graph on a server failed, or the server could not be asked. */
export class RemoteException extends BaseLangGraphError {
  /** Status of the server's answer; undefined unless it refused a request. */
  readonly status: number | undefined;

  constructor(
    message = "A graph on a server failed.",
    fields: LangGraphErrorFields & { readonly status?: number } = {},
  ) {
    super("REMOTE_FAILED", message, fields);
    this.name = "RemoteException";
    this.status = fields.status;
  }
  static get unminifiable_name(): "RemoteException" {
    return "RemoteException";
  }
}
