import type { BaseCache, CacheFullKey } from "@langchain/langgraph-checkpoint";
import { GraphError, shown } from "@skein/errors";
import type { Task } from "../engine/task.ts";
import { RESUME } from "../ids/names.ts";
import { xxh3 } from "../ids/xxh3.ts";
import type { CachePolicy, Write } from "../program/program.ts";
import { unlessAborted } from "./abort.ts";
import { ControlCodec, decodePending } from "./codec.ts";
import type { Run } from "./run.ts";

/** First part of the namespaces of cached writes; LangGraph's. */
const WRITES = "__pregel_ns_writes";

/** Gives tasks what they wrote before for the same input. Undefined when there is nothing to ask. */
export function fromCache(run: Run, cache: BaseCache, tasks: readonly Task[]): Promise<void> | undefined {
  const asked = new Map<string, { readonly key: CacheFullKey; readonly tasks: Task[] }>();
  for (const task of tasks) {
    const policy = task.node.cachePolicy;
    if (policy === undefined) continue;
    const key = keyOf(task, policy);
    const known = asked.get(JSON.stringify(key));
    if (known === undefined) asked.set(JSON.stringify(key), { key, tasks: [task] });
    else known.tasks.push(task);
  }
  if (asked.size === 0) return undefined;
  return ask();

  async function ask(): Promise<void> {
    const taken: Task[] = [];
    const known = cache.get([...asked.values()].map((one) => one.key));
    for (const { key, value } of await unlessAborted(known, run.options.signal)) {
      for (const task of asked.get(JSON.stringify(key))?.tasks ?? []) {
        take(run, task, value as Write[]);
        taken.push(task);
      }
    }
    // a delta channel is read from the writes that are stored; others stand in their checkpoints
    if (run.snapshot.program.replayed === undefined) return;
    await run.journal?.record(taken.map(({ lateId, writes }) => ({ taskId: lateId, writes })));
  }
}

/** Keeps what a task wrote, if its node's policy says so. The run waits for it when it ends. */
export function toCache(run: Run, task: Task): void {
  const { cache } = run.options;
  const policy = task.node.cachePolicy;
  if (cache === undefined || policy === undefined) return;
  // what could not be kept is made again: that costs time and nothing else
  run.caching.push(keep(run, cache, task, policy).catch(() => undefined));
}

async function keep(run: Run, cache: BaseCache, task: Task, policy: CachePolicy): Promise<void> {
  const key = keyOf(task, policy);
  const writes = task.writes.filter(([channel]) => channel !== RESUME);
  const value = new ControlCodec().encode(writes, run.snapshot);
  const { ttl } = policy;
  await cache.set([ttl === undefined ? { key, value } : { key, value, ttl }]);
}

function keyOf({ node, input, caller }: Task, policy: CachePolicy): CacheFullKey {
  const told: unknown = (policy.keyFunc ?? JSON.stringify)([input]);
  // a promise, say, would be one key for all inputs, each of which got what the first one came to
  if (typeof told !== "string") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `keyFunc of "${node.name}" returned ${shown(told)}. It must return a text that tells inputs apart, at once.`,
      { details: { node: node.name } },
    );
  }
  const key = xxh3(told);
  return [caller === undefined ? [WRITES, "__dynamic__", node.name] : [WRITES, node.name], key];
}

function take(run: Run, task: Task, stored: readonly Write[]): void {
  const writes = stored.map(([channel, value]): Write => [
    channel,
    decodePending(channel, value, run.snapshot),
  ]);
  task.writes = writes;
  task.raw = writes;
  task.recorded = true;
  run.observer?.on({ type: "task-end", task, writes, cached: true }, run);
}
