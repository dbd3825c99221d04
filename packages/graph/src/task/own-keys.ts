import { GraphError } from "@skein/errors";
import type { FreshState, Write } from "../program/program.ts";
import { requireConfig } from "./ambient.ts";
import { type LangGraphRunnableConfig, READ, SEND, taskOf } from "./config.ts";
import type { TaskRuntime } from "./runtime.ts";

/*
 * Functions that packages on LangGraph find in `configurable`. They are the same for all tasks, and
 * find theirs by the object that they are called on, or by the node that runs: closures of each task
 * cost a superstep 1 us of 6.
 */

/** Writes with the rest of what the node returns, before it. */
export function send(this: object | undefined, writes: readonly Write[]): void {
  const runtime = running(this, SEND);
  runtime.progress();
  (runtime.pushed ??= []).push(...writes);
}

/** A value of the state, or those that there are of a list. @param fresh - with what the task has pushed */
function read(this: object | undefined, keys: string | readonly string[], fresh = false): unknown {
  const runtime = running(this, READ);
  if (typeof keys === "string") {
    if (runtime.scope.program.channels.has(keys)) return valueIn(runtime, keys, fresh) ?? null;
    throw new GraphError("INVALID_CONFIGURATION", `${READ}: the state has no key "${keys}".`);
  }
  const values = keys.map((key) => [key, valueIn(runtime, key, fresh)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/**
 * Gives a task's config the function that reads. Only who asks for the config by `getConfig()` finds
 * it, and copies do not: a graph of LangGraph.js that is called with it would take itself for a part
 * of one that LangGraph.js runs, and throw its questions.
 */
export function readable(config: LangGraphRunnableConfig): LangGraphRunnableConfig {
  const { configurable } = config;
  if (taskOf(config) !== undefined && configurable?.[READ] !== read) {
    Object.defineProperty(configurable, READ, { value: read, enumerable: false });
  }
  return config;
}

/** The state as the branches of a node see it: with what it pushed, too. */
export function freshState({ pushed, scope: { snapshot } }: TaskRuntime): FreshState {
  if (pushed === undefined) return snapshot;
  return { readFresh: (keys, writes) => snapshot.readFresh(keys, [...pushed, ...writes]) };
}

function running(configurable: object | undefined, name: string): TaskRuntime {
  const runtime = taskOf({ configurable }) ?? taskOf(requireConfig(name));
  if (runtime !== undefined) return runtime;
  throw new GraphError("OUTSIDE_RUN", `${name} was called outside of its node.`);
}

function valueIn({ pushed = [], scope }: TaskRuntime, key: string, fresh: boolean): unknown {
  const own = fresh ? pushed.filter(([written]) => written === key) : [];
  const written = own.map(([, value]) => value);
  const held =
    written.length === 0 ? scope.snapshot.held(key) : scope.snapshot.slot(key)?.channel.preview(written);
  return held === undefined || held === "absent" ? undefined : held.value;
}
