import type { CachePolicy, NodeAction, ProgramNode, RetryPolicy, Write } from "../program/program.ts";
import { type TimeoutPolicy, timeoutPolicy } from "../program/timeout-policy.ts";

export interface FunctionOptions {
  readonly name: string;
  /** Channels that wake it; none for a task that is called. */
  readonly triggers: readonly string[];
  readonly retryPolicy: RetryPolicy | undefined;
  readonly cachePolicy: CachePolicy | undefined;
  readonly timeout: number | TimeoutPolicy | undefined;
}

/** A node made of a function whose return value is a value of its own, and no part of a state. */
export function functionNode(
  { name, triggers, retryPolicy, cachePolicy, timeout }: FunctionOptions,
  action: NodeAction,
  conveys: (returned: unknown) => Write[],
): ProgramNode {
  return {
    name,
    triggers,
    input: "start",
    lazyInput: [],
    action,
    runnable: undefined,
    subgraphs: [],
    edges: [],
    branches: [],
    writable: new Set(),
    retryPolicy,
    cachePolicy,
    timeout: timeoutPolicy(timeout),
    metadata: undefined,
    hidden: false,
    ends: undefined,
    conveys,
  };
}
