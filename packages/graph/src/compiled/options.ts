import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import type { BaseCache, BaseStore } from "@langchain/langgraph-checkpoint";
import type { Durability } from "../run/journal.ts";
import type { OnConflict } from "../run/storage.ts";
import type { RunControl } from "../task/run-control.ts";
import type { TransformerFactory } from "../stream/events/transformer.ts";
import type { StreamMode } from "../stream/modes.ts";

/** What every call of a graph takes beside its input. */
export interface CallOptions<Context = Record<string, unknown>, Nodes extends string = string> extends Omit<
  RunnableConfig,
  "store" | "configurable"
> {
  /** `thread_id` names the thread; `checkpoint_id` an old state of it to start from. */
  // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own type of it
  configurable?: Record<string, any>;
  /** Constants of this call, for the nodes. */
  context?: Context;
  store?: BaseStore;
  /** Where results of nodes with a `cachePolicy` are kept. Default: the one given to `compile`. */
  cache?: BaseCache;
  /** Lets somebody stop the run between two steps. */
  control?: RunControl;
  /** When a step counts as stored. Default: "async". */
  durability?: Durability;
  /** The older name of durability "async" and, if false, "exit". */
  checkpointDuring?: boolean;
  /** What to do when another run holds the thread. Default: "fail". */
  onConflict?: OnConflict;
  /** Print every step to the console. Default: what `compile` was given. */
  debug?: boolean;
  /** Stop before these nodes. */
  interruptBefore?: Nodes[] | "*";
  /** Stop after these nodes. */
  interruptAfter?: Nodes[] | "*";
  /** For Pregel's interface: keys of the state. A graph's input is what its schema says. */
  inputKeys?: string | string[];
  /** Keys of the state to return; one by its bare name gives its value, not an object. */
  outputKeys?: string | string[];
}

/** What `invoke` takes. */
export interface InvokeOptions<
  Mode extends StreamMode | StreamMode[] | undefined = StreamMode | StreamMode[] | undefined,
  Subgraphs extends boolean = boolean,
  Context = Record<string, unknown>,
  Nodes extends string = string,
> extends CallOptions<Context, Nodes> {
  /** Default: "updates". */
  streamMode?: Mode;
  /** Also what happens in graphs called by nodes; chunks then begin with their namespace. */
  subgraphs?: Subgraphs;
}

export interface StreamOptions<
  Mode extends StreamMode | StreamMode[] | undefined = StreamMode | StreamMode[] | undefined,
  Subgraphs extends boolean = boolean,
  Context = Record<string, unknown>,
  Nodes extends string = string,
> extends InvokeOptions<Mode, Subgraphs, Context, Nodes> {
  /** Server-sent events as bytes, instead of chunks. */
  encoding?: "text/event-stream" | undefined;
}

/** What `streamEvents` takes for a run stream. */
export interface RunStreamOptions<
  Factories extends readonly TransformerFactory[] = readonly TransformerFactory[],
  Context = Record<string, unknown>,
  Nodes extends string = string,
> extends CallOptions<Context, Nodes> {
  version: "v3";
  /** Make views of the run's events, after those that the graph was compiled with. */
  transformers?: Factories | undefined;
  /** Server-sent events as bytes, instead of a run stream. */
  encoding?: "text/event-stream" | undefined;
}

/** The same for a graph of which nothing is known. */
// oxlint-disable-next-line typescript/no-explicit-any -- any transformers and context, nodes of any names
export type AnyRunStreamOptions = RunStreamOptions<any, any, any>;

/** What `streamEvents` takes for LangChain's events. */
export type LangChainEventOptions = Omit<StreamOptions, "encoding"> & { version: "v1" | "v2" };

export type EventFilter = Parameters<Runnable["streamEvents"]>[2];

/**
 * What `withConfig` takes. `streamMode` and `outputKeys` are for streams: `invoke` returns the whole
 * output whatever they are. `subgraphs`, `encoding` and `inputKeys` belong to one call.
 */
export type GraphDefaults = RunnableConfig &
  Omit<CallOptions, keyof RunnableConfig | "inputKeys"> &
  Pick<StreamOptions, "streamMode"> & { streamTransformers?: readonly TransformerFactory[] };
