import { RETURN } from "../ids/names.ts";
import type { CachePolicy, RetryPolicy } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import { requireObject } from "../errors/given.ts";
import { runningTask } from "./caller.ts";
import { assertFunction } from "./function.ts";
import { functionNode } from "./node.ts";
import type { TaskFunc } from "./types.ts";

export interface TaskOptions {
  /** Shown in streams and traces, and part of the ids of its calls. */
  name: string;
  /** When and how often a failed attempt is repeated. Default: never. */
  retry?: RetryPolicy;
  /** Whether a result is used again for equal arguments. Needs a `cache` of the caller. `true`: for ever. */
  cachePolicy?: CachePolicy | boolean;
  /** Limits of one attempt; a number of milliseconds limits it as a whole. */
  timeout?: number | TimeoutPolicy;
}

/**
 * Makes a function that can be called within an entrypoint or a node of a graph, as a task of its
 * own: its result is recorded when it is known, and if the caller runs again, because it was
 * interrupted or crashed, it gets the result and the function is not run again.
 *
 * Calls are told apart by their order: a caller that runs again must make the same ones. What goes
 * in and out must be storable when there is a checkpointer.
 *
 * @returns a function with the same arguments, that returns a promise. It throws a GraphError
 *   OUTSIDE_RUN outside of entrypoints and graphs
 * @throws GraphError RESERVED_NAME for a bad name, INVALID_CONFIGURATION for a generator
 * @example
 * const fetchPage = task({ name: "fetchPage", retry: { maxAttempts: 3 } }, (url: string) => load(url));
 * const workflow = entrypoint("report", async (urls: string[]) => {
 *   const pages = await Promise.all(urls.map((url) => fetchPage(url)));
 *   return pages.join("\n");
 * });
 */
export function task<Args extends unknown[], Output>(
  optionsOrName: TaskOptions | string,
  func: TaskFunc<Args, Output>,
): (...args: Args) => Promise<Awaited<Output>> {
  const options: TaskOptions = typeof optionsOrName === "string" ? { name: optionsOrName } : optionsOrName;
  requireObject("task()", options, "Pass the name of the task, or {name}, and a function.");
  const { name } = options;
  assertFunction("task", name, func);
  const { retry: retryPolicy, timeout } = options;
  const cachePolicy = options.cachePolicy === true ? {} : options.cachePolicy || undefined;
  const node = functionNode(
    { name, triggers: [], retryPolicy, cachePolicy, timeout },
    (args) => (func as unknown as (...args: unknown[]) => unknown)(...(args as unknown[])),
    (returned) => [[RETURN, returned]],
  );
  return (...args) => {
    const runtime = runningTask(`The task "${name}"`);
    return runtime.scope.callTask(runtime, node, args) as Promise<Awaited<Output>>;
  };
}
