import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCache, BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { BaseChannel } from "../channels/base.ts";
import type { StreamOptions } from "../compiled/options.ts";
import type { RetryPolicy } from "../program/program.ts";
import type { TransformerFactory } from "../stream/events/transformer.ts";
import type { StreamMode } from "../stream/modes.ts";
import type { PregelNode } from "./pregel-node.ts";

/** What a program built by hand consists of. */
export interface PregelParams<
  Nodes extends Record<string, PregelNode> = Record<string, PregelNode>,
  Channels extends Record<string, BaseChannel> = Record<string, BaseChannel>,
> {
  /** Default: "LangGraph". */
  readonly name?: string | undefined;
  readonly nodes: Nodes;
  readonly channels: Channels;
  /** Not read: it follows from the nodes. For programs that pass it all the same. */
  readonly triggerToNodes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What an input writes: one channel, or the keys of an object. At least one must wake a node. */
  readonly inputChannels: keyof Channels | (keyof Channels)[];
  /** What `invoke` returns: the value of one channel, or an object of those that have one. */
  readonly outputChannels: keyof Channels | (keyof Channels)[];
  /** What streams and states show. Default: all channels. */
  readonly streamChannels?: keyof Channels | (keyof Channels)[] | undefined;
  /** Modes of a stream whose call names none. Default: "values". */
  readonly streamMode?: StreamMode | StreamMode[] | undefined;
  /** Check the program at once. Default: true; if false, call `validate()` yourself. */
  readonly autoValidate?: boolean | undefined;
  readonly interruptBefore?: (keyof Nodes)[] | "*" | undefined;
  readonly interruptAfter?: (keyof Nodes)[] | "*" | undefined;
  /** In milliseconds. Default: no limit. */
  readonly stepTimeout?: number | undefined;
  readonly debug?: boolean | undefined;
  readonly checkpointer?: BaseCheckpointSaver | boolean | undefined;
  /** Of nodes that have none of their own. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Defaults of calls. */
  readonly config?: RunnableConfig | undefined;
  readonly store?: BaseStore | undefined;
  readonly cache?: BaseCache | undefined;
  /** What nodes find as `config.interrupt`. Default: `interrupt`. */
  readonly userInterrupt?: unknown;
  /** Make views of a run's events for every `streamEvents` with version "v3". Default: none. */
  readonly streamTransformers?: readonly TransformerFactory[] | undefined;
}

/** Options of a call. */
export type PregelOptions<
  Nodes extends Record<string, PregelNode> = Record<string, PregelNode>,
  Channels extends Record<string, BaseChannel> = Record<string, BaseChannel>,
  ContextType extends Record<string, unknown> = Record<string, unknown>,
  TStreamMode extends StreamMode | StreamMode[] | undefined = StreamMode | StreamMode[] | undefined,
  TSubgraphs extends boolean = boolean,
  TEncoding extends "text/event-stream" | undefined = "text/event-stream" | undefined,
> = Omit<
  StreamOptions<TStreamMode, TSubgraphs, ContextType, keyof Nodes & string>,
  "inputKeys" | "outputKeys" | "encoding"
> & {
  inputKeys?: (keyof Channels & string) | (keyof Channels & string)[];
  outputKeys?: (keyof Channels & string) | (keyof Channels & string)[];
  encoding?: TEncoding;
};

/** What a call of a program built by hand takes: depends on its input channels. */
// oxlint-disable-next-line typescript/no-explicit-any -- whatever the channels take
export type PregelInputType = any;
/** What it returns: depends on its output channels. */
// oxlint-disable-next-line typescript/no-explicit-any -- whatever the channels hold
export type PregelOutputType = any;
