import type { BaseCache, BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { BaseChannel } from "../channels/base.ts";
import { EphemeralValue } from "../channels/ephemeral.ts";
import { LastValue } from "../channels/last-value.ts";
import { Topic } from "../channels/topic.ts";
import { requireObject } from "../errors/given.ts";
import { END, PREVIOUS, START, TASKS } from "../ids/names.ts";
import type { NodeAction, Program, Write } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import { CompiledEntrypoint } from "./compiled-entrypoint.ts";
import { type EntrypointFinal, type FinalParts, isFinal, makeFinal } from "./final.ts";
import { assertFunction } from "./function.ts";
import { functionNode } from "./node.ts";
import type { EntrypointFunc, EntrypointReturn } from "./types.ts";

export interface EntrypointOptions {
  /** Shown in streams and traces, and part of the ids of its tasks. */
  name: string;
  /** Where threads are stored. */
  checkpointer?: BaseCheckpointSaver;
  store?: BaseStore;
  /** Where results of tasks with a `cachePolicy` are kept. */
  cache?: BaseCache;
  /** Limits of one attempt; a number of milliseconds limits it as a whole. */
  timeout?: number | TimeoutPolicy;
}

function makeEntrypoint<Input, Output>(
  optionsOrName: EntrypointOptions | string,
  func: EntrypointFunc<Input, Output>,
): CompiledEntrypoint<Input, EntrypointReturn<Output>> {
  const options: EntrypointOptions =
    typeof optionsOrName === "string" ? { name: optionsOrName } : optionsOrName;
  requireObject("entrypoint()", options, "Pass the name of the entrypoint, or {name}, and a function.");
  const { name } = options;
  assertFunction("entrypoint", name, func);
  return new CompiledEntrypoint({
    program: programOf(options, func as NodeAction),
    checkpointer: options.checkpointer,
    store: options.store,
    cache: options.cache,
    interruptBefore: [],
    interruptAfter: [],
    name,
    config: undefined,
    parseContext: undefined,
  });
}

/** One node that gets the input and writes what it returns twice: for the caller and for the next run. */
function programOf({ name, timeout }: EntrypointOptions, action: NodeAction): Program {
  const node = functionNode(
    { name, triggers: [START], retryPolicy: undefined, cachePolicy: undefined, timeout },
    action,
    results,
  );
  const channels: [string, BaseChannel][] = [
    [START, new EphemeralValue()],
    [END, new LastValue()],
    [PREVIOUS, new LastValue()],
    [TASKS, new Topic()],
  ];
  return {
    name,
    nodes: new Map([[name, node]]),
    channels: new Map(channels),
    triggers: new Map([[START, [node]]]),
    stateKeys: [END],
    visibleKeys: [END],
    outputKeys: [END],
    bareKey: END,
    bareOutput: END,
    deferred: [],
    parse: undefined,
    parseInput: undefined,
    inputDefaults: new Map(),
  };
}

function results(returned: unknown): Write[] {
  const { value, save } = isFinal(returned) ? returned : { value: returned, save: returned };
  return [
    [END, value],
    [PREVIOUS, save],
  ];
}

/** Returns one value to the caller of an entrypoint and keeps another for its next run. */
function final<Value, Save>(parts: FinalParts<Value, Save>): EntrypointFinal<Value, Save> {
  return makeFinal(parts);
}

/**
 * Makes a workflow of a function: it is called with an input and the config of the run, calls tasks,
 * and what it returns is the output and the state of the thread. When it is interrupted or crashes,
 * it runs from its beginning, and tasks that had finished are not run again.
 *
 * `entrypoint.final({value, save})` returns one value to the caller and keeps another for the next
 * run on the thread, which finds it by `getPreviousState()`.
 *
 * @throws GraphError RESERVED_NAME for a bad name, INVALID_CONFIGURATION for a generator
 * @example
 * const review = entrypoint({ name: "review", checkpointer: new MemorySaver() }, async (topic: string) => {
 *   const essay = await compose(topic);
 *   return { essay, verdict: interrupt({ question: "Is it good?", essay }) };
 * });
 * await review.invoke("cats", { configurable: { thread_id: "1" } });
 * await review.invoke(new Command({ resume: "yes" }), { configurable: { thread_id: "1" } });
 */
export const entrypoint: typeof makeEntrypoint & { readonly final: typeof final } = Object.assign(
  makeEntrypoint,
  { final },
);
