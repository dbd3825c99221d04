import type { BaseCache, BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
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
