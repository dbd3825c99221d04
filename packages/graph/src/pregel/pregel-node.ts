import {
  _coerceToRunnable,
  type Runnable,
  RunnableBinding,
  type RunnableConfig,
  type RunnableLike,
  RunnablePassthrough,
} from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { requireObject } from "../errors/given.ts";
import type { CachePolicy, RetryPolicy } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import { ChannelWrite } from "./channel-write.ts";

export interface PregelNodeArgs<RunInput, RunOutput> {
  /** What it gets: an object of channels' values, or the value of the first of these that has one. */
  readonly channels: Record<string, string> | string[];
  /** Channels whose change wakes it. */
  readonly triggers: string[];
  /** Makes its input of what the channels hold. */
  readonly mapper?: ((input: unknown) => unknown) | undefined;
  readonly writers?: readonly ChannelWrite[] | undefined;
  /** What it does. Default: it hands its input to its writers. */
  readonly bound?: Runnable<RunInput, RunOutput> | undefined;
  /** Tags of its runs; "langsmith:hidden" keeps it out of streams. */
  readonly tags?: string[] | undefined;
  readonly config?: RunnableConfig | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  readonly cachePolicy?: CachePolicy | undefined;
  readonly timeout?: TimeoutPolicy | undefined;
  /** Graphs that it calls, where they cannot be found in `bound`. */
  readonly subgraphs?: readonly Runnable[] | undefined;
  readonly ends?: string[] | undefined;
  readonly isErrorHandler?: boolean | undefined;
  /** The node that runs in the same step when this one has failed for good. */
  readonly errorHandlerNode?: string | undefined;
}

/**
 * A node of a program built by hand: channels that wake it, what it does, channels that it writes.
 * Made by `Channel.subscribeTo`, and made more by `pipe` and `join`, which return new ones.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a node takes and gives what its channels hold
export class PregelNode<RunInput = any, RunOutput = any> extends RunnableBinding<
  RunInput,
  RunOutput,
  RunnableConfig
> {
  readonly lc_graph_name = "PregelNode";
  channels: Record<string, string> | string[];
  triggers: string[];
  mapper: ((input: unknown) => unknown) | undefined;
  writers: readonly ChannelWrite[];
  tags: string[];
  metadata: Record<string, unknown>;
  retryPolicy: RetryPolicy | undefined;
  cachePolicy: CachePolicy | undefined;
  timeout: TimeoutPolicy | undefined;
  subgraphs: readonly Runnable[] | undefined;
  ends: string[] | undefined;
  isErrorHandler: boolean | undefined;
  errorHandlerNode: string | undefined;
  /** Whether it does nothing but hand its input to its writers. */
  readonly passes: boolean;

  constructor(fields: PregelNodeArgs<RunInput, RunOutput>) {
    requireObject("new PregelNode()", fields, "Pass {channels, triggers}, or use Channel.subscribeTo().");
    const tags = [...new Set([...(fields.config?.tags ?? []), ...(fields.tags ?? [])])];
    super({
      bound: fields.bound ?? (new RunnablePassthrough() as unknown as Runnable<RunInput, RunOutput>),
      config: { ...fields.config, tags },
    });
    this.passes = fields.bound === undefined;
    this.channels = fields.channels;
    this.triggers = fields.triggers;
    this.mapper = fields.mapper;
    this.writers = fields.writers ?? [];
    this.tags = tags;
    this.metadata = fields.metadata ?? {};
    this.retryPolicy = fields.retryPolicy;
    this.cachePolicy = fields.cachePolicy;
    this.timeout = fields.timeout;
    this.subgraphs = fields.subgraphs;
    this.ends = fields.ends;
    this.isErrorHandler = fields.isErrorHandler;
    this.errorHandlerNode = fields.errorHandlerNode;
  }
  /**
   * The same node, which also gets the values of other channels, under their names. They do not wake it.
   *
   * @throws GraphError INVALID_CONFIGURATION if the node gets a bare value
   */
  join(channels: string[]): PregelNode<RunInput, RunOutput> {
    if (!Array.isArray(channels) || Array.isArray(this.channels)) {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        "join() adds a list of channels to a node that subscribes to a list, or to {key}.",
      );
    }
    const more = Object.fromEntries(channels.map((channel) => [channel, channel]));
    return this.#with<RunOutput>({ channels: { ...this.channels, ...more } });
  }
  /** The same node, which then does this, too; or, given a `Channel.writeTo`, also writes there. */
  override pipe<NewRunOutput>(
    // oxlint-disable-next-line typescript/no-explicit-any -- as Runnable declares it
    coerceable: RunnableLike<any, NewRunOutput>,
  ): PregelNode<RunInput, Exclude<NewRunOutput, Error>> {
    if (ChannelWrite.isWriter(coerceable)) return this.#with({ writers: [...this.writers, coerceable] });
    if ((coerceable as unknown) === null || coerceable === undefined) {
      throw new GraphError("INVALID_CONFIGURATION", "pipe() takes a function or a Runnable.");
    }
    const next = _coerceToRunnable(coerceable);
    return this.#with({ bound: (this.passes ? next : this.bound.pipe(next)) as never });
  }
  #with<Output>(changed: Partial<PregelNodeArgs<RunInput, Output>>): PregelNode<RunInput, Output> {
    const bound = this.passes ? undefined : (this.bound as unknown as Runnable<RunInput, Output>);
    return new PregelNode<RunInput, Output>({ ...this, bound, ...changed });
  }
}
