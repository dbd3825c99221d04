import { GraphError } from "@skein/errors";
import { ambientConfig } from "../task/ambient.ts";
import { taskOf } from "../task/config.ts";
import type { TaskRuntime } from "../task/runtime.ts";

/** The task that is running. @throws GraphError OUTSIDE_RUN when none is */
export function runningTask(what: string): TaskRuntime {
  const runtime = taskOf(ambientConfig());
  if (runtime !== undefined) return runtime;
  throw new GraphError(
    "OUTSIDE_RUN",
    `${what} was called outside of an entrypoint or a node of a graph. Call it within one. It finds its run by AsyncLocalStorage, which the entry point "./web" does not set up.`,
  );
}
