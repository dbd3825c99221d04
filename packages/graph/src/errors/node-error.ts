const NODE_ERROR = Symbol.for("skein.nodeError");

/**
 * What a node's `errorHandler` is told: which node failed, after all its retries, and with what. No
 * error itself: it is never thrown.
 */
export class NodeError {
  readonly [NODE_ERROR] = true;
  readonly node: string;
  /** What the node threw. After a resume, an Error with the stored name and message. */
  readonly error: Error;

  constructor(node: string, error: Error) {
    this.node = node;
    this.error = error;
  }
  static get unminifiable_name(): "NodeError" {
    return "NodeError";
  }
}

/** Whether a value is a {@link NodeError}, of any copy of this package. */
export function isNodeError(value?: unknown): value is NodeError {
  return typeof value === "object" && value !== null && NODE_ERROR in value;
}
