import type { BaseCache, BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";

/** What `compile` takes. */
export interface CompileOptions<N extends string = string> {
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
  /** Shown in traces. */
  name?: string | undefined;
  description?: string | undefined;
}
