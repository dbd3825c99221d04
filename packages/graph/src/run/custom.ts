import { isNodeTimeoutError } from "../errors/errors.ts";
import { ambientConfig } from "../task/ambient.ts";
import { taskOf } from "../task/config.ts";
import { inheritedBy, type Run } from "./run.ts";

/**
 * Sends a custom chunk to who takes those of a run.
 *
 * @param at - where it stands. Default: in the graph whose task is running, which may be one further in
 *   that was given a function around this graph's writer
 */
export function writeChunk(run: Run, chunk: unknown, at?: string): void {
  const { parent, signal, taker } = run.options;
  // what an attempt that took too long has called is not heard either
  if (parent !== undefined && isNodeTimeoutError(signal?.reason)) return;
  for (let task = parent; task !== undefined; task = inheritedBy(task)?.options.parent) task.progress();
  if (taker !== undefined) return taker(chunk);
  run.listener?.on({ type: "custom", chunk, at: at ?? taskOf(ambientConfig())?.task.graph }, run);
}
