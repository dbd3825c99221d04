import type { BaseCache, BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { CompiledSettings } from "../compiled/prepare.ts";
import type { Program } from "../program/program.ts";
import type { TransformerFactory } from "../stream/events/transformer.ts";

/** What `compile` takes. */
export interface CompileOptions<
  N extends string = string,
  Factories extends readonly TransformerFactory[] = readonly TransformerFactory[],
> {
  /** Where threads are stored. `true` for a subgraph that keeps its own state; `false`: never store. */
  checkpointer?: BaseCheckpointSaver | boolean | undefined;
  store?: BaseStore | undefined;
  /** Where results of nodes with a `cachePolicy` are kept. Default: none, and they run every time. */
  cache?: BaseCache | undefined;
  /** Stop before these nodes run; "*" for every node. */
  interruptBefore?: N[] | "*" | undefined;
  /** Stop after these nodes ran; "*" for every node. */
  interruptAfter?: N[] | "*" | undefined;
  /** Print every step to the console. Default: false. */
  debug?: boolean | undefined;
  /** Milliseconds that one superstep may take. Default: no limit. */
  stepTimeout?: number | undefined;
  /** Make views of a run's events for every `streamEvents` with version "v3". Default: none. */
  transformers?: Factories | undefined;
  /** Shown in traces. */
  name?: string | undefined;
  description?: string | undefined;
}

/** The settings of a graph that is compiled with these options. */
export function settingsOf(
  program: Program,
  options: CompileOptions,
  { parseContext, interrupt }: Pick<CompiledSettings, "parseContext" | "interrupt">,
): CompiledSettings {
  return {
    program,
    checkpointer: options.checkpointer,
    store: options.store,
    cache: options.cache,
    interruptBefore: options.interruptBefore ?? [],
    interruptAfter: options.interruptAfter ?? [],
    name: options.name,
    debug: options.debug,
    stepTimeout: options.stepTimeout,
    streamTransformers: options.transformers,
    config: undefined,
    parseContext,
    interrupt,
  };
}
