import type { RunnableConfig } from "@langchain/core/runnables";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { BaseCache } from "@langchain/langgraph-checkpoint";
import type { BaseChannel } from "../channels/base.ts";
import { Topic } from "../channels/topic.ts";
import { CompiledGraph } from "../compiled/compiled.ts";
import { callsOf, type OwnCalls } from "../compiled/own-calls.ts";
import { checkStream } from "../compiled/check-call.ts";
import type { GraphDefaults, StreamOptions } from "../compiled/options.ts";
import type { CompiledSettings } from "../compiled/prepare.ts";
import { requireObject } from "../errors/given.ts";
import { TASKS } from "../ids/names.ts";
import type { CommandInstance } from "../program/command.ts";
import type { RetryPolicy } from "../program/program.ts";
import type { StreamMode } from "../stream/modes.ts";
import type { PregelInputType, PregelOptions, PregelOutputType, PregelParams } from "./params.ts";
import type { PregelNode } from "./pregel-node.ts";
import { pregelProgram } from "./program.ts";
import { GraphValidationError, listOf, validatePregel } from "./validate.ts";

/**
 * A program of channels and nodes wired by hand, below what `StateGraph` and `entrypoint` build. In
 * each superstep all nodes run that a changed channel wakes; what they write is applied at its end.
 *
 * @throws GraphValidationError at once when the program cannot work, unless `autoValidate` is false
 * @example
 * const shout = Channel.subscribeTo("said")
 *   .pipe((text: string) => text.toUpperCase())
 *   .pipe(Channel.writeTo(["shouted"]));
 * const program = new Pregel({
 *   nodes: { shout },
 *   channels: { said: new EphemeralValue<string>(), shouted: new LastValue<string>() },
 *   inputChannels: "said",
 *   outputChannels: "shouted",
 * });
 * await program.invoke("hello"); // "HELLO"
 */
export class Pregel<
  Nodes extends Record<string, PregelNode> = Record<string, PregelNode>,
  Channels extends Record<string, BaseChannel> = Record<string, BaseChannel>,
  ContextType extends Record<string, unknown> = Record<string, unknown>,
  InputType = PregelInputType,
  OutputType = PregelOutputType,
> extends CompiledGraph {
  readonly nodes: Nodes;
  /** With the channel of pending Sends, which the engine adds. */
  readonly channels: Channels;
  readonly inputChannels: keyof Channels | (keyof Channels)[];
  readonly outputChannels: keyof Channels | (keyof Channels)[];
  readonly streamChannels: keyof Channels | (keyof Channels)[] | undefined;
  readonly streamMode: StreamMode[];
  readonly autoValidate: boolean;
  readonly interruptBefore: (keyof Nodes)[] | "*" | undefined;
  readonly interruptAfter: (keyof Nodes)[] | "*" | undefined;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly #params: PregelParams;

  constructor(params: PregelParams<Nodes, Channels>) {
    const complete = withTasks(params);
    const autoValidate = params.autoValidate ?? true;
    // from here on nodes and channels go by any name
    const plain = complete as unknown as PregelParams;
    if (autoValidate) validatePregel(plain);
    super(settingsOf(plain));
    this.#params = plain;
    this.nodes = complete.nodes;
    this.channels = complete.channels;
    this.inputChannels = complete.inputChannels;
    this.outputChannels = complete.outputChannels;
    this.streamChannels = complete.streamChannels;
    this.streamMode = this.settings.streamMode as StreamMode[];
    this.autoValidate = autoValidate;
    this.interruptBefore = complete.interruptBefore;
    this.interruptAfter = complete.interruptAfter;
    this.retryPolicy = complete.retryPolicy;
  }
  /** Defaults of calls, as `withConfig` sets them. */
  get config(): RunnableConfig | undefined {
    return this.settings.config;
  }
  get cache(): BaseCache | undefined {
    return this.settings.cache;
  }
  /** Which nodes a channel wakes, by its name. */
  get triggerToNodes(): Record<string, string[]> {
    const woken: Record<string, string[]> = {};
    for (const [name, { triggers }] of Object.entries(this.nodes)) {
      for (const channel of triggers) (woken[channel] ??= []).push(name);
    }
    return woken;
  }
  /** Names of the channels that streams and states show. */
  get streamChannelsList(): (keyof Channels)[] {
    return listOf(this.streamChannels ?? Object.keys(this.channels));
  }
  /** The same; a single one by its bare name. */
  get streamChannelsAsIs(): keyof Channels | (keyof Channels)[] {
    return this.streamChannels ?? Object.keys(this.channels);
  }
  /**
   * Checks that the program can work.
   *
   * @throws GraphValidationError when it cannot
   */
  validate(): this {
    validatePregel(this.#params);
    return this;
  }
  /** The same as `getGraph`. */
  async getGraphAsync(config?: RunnableConfig): Promise<ReturnType<CompiledGraph["getGraph"]>> {
    return this.getGraph(config);
  }
  /** As on LangGraph, all compiled graphs are such programs, however they were built. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isInstance = Function.prototype[Symbol.hasInstance];
    return isInstance.call(this === Pregel ? CompiledGraph : this, value);
  }
  protected override derive(settings: CompiledSettings): this {
    const copy = new Pregel({ ...this.#params, autoValidate: false });
    copy.settings = settings;
    return copy as unknown as this;
  }
  protected override get ownCalls(): OwnCalls {
    return OWN;
  }
  override withConfig(config: GraphDefaults): this {
    return super.withConfig(config);
  }
  override async invoke(
    input: InputType | CommandInstance | null,
    options?: Partial<PregelOptions<Nodes, Channels, ContextType>>,
  ): Promise<OutputType> {
    return super.invoke(input, options as StreamOptions) as Promise<OutputType>;
  }
  override async stream(
    input: InputType | CommandInstance | null,
    options?: Partial<PregelOptions<Nodes, Channels, ContextType>>,
    // oxlint-disable-next-line typescript/no-explicit-any -- what is streamed depends on mode and channels
  ): Promise<IterableReadableStream<any>> {
    return super.stream(input, options as StreamOptions);
  }
}

const OWN = callsOf(Pregel);

/** @throws GraphValidationError when a channel of another kind has that name */
function withTasks<Nodes extends Record<string, PregelNode>, Channels extends Record<string, BaseChannel>>(
  params: PregelParams<Nodes, Channels>,
): PregelParams<Nodes, Channels> {
  requireObject("new Pregel()", params, "Pass {nodes, channels, inputChannels, outputChannels}.");
  const given = params.channels?.[TASKS];
  if (given !== undefined && given.lc_graph_name !== "Topic") {
    throw new GraphValidationError(
      "RESERVED_NAME",
      `A channel cannot be named "${TASKS}": the engine uses it.`,
      {
        channel: TASKS,
      },
    );
  }
  if (params.channels === undefined) return params;
  return { ...params, channels: { ...params.channels, [TASKS]: new Topic() } };
}

function settingsOf(params: PregelParams): CompiledSettings {
  const { name, streamMode = ["values"], interruptBefore, interruptAfter, userInterrupt } = params;
  checkStream({ streamMode });
  return {
    program: pregelProgram(params, name ?? "LangGraph"),
    checkpointer: params.checkpointer,
    store: params.store,
    cache: params.cache,
    interruptBefore: interruptBefore ?? [],
    interruptAfter: interruptAfter ?? [],
    name,
    debug: params.debug,
    streamMode: Array.isArray(streamMode) ? streamMode : [streamMode],
    stepTimeout: params.stepTimeout,
    config: params.config,
    parseContext: undefined,
    interrupt: userInterrupt,
    streamTransformers: params.streamTransformers,
  };
}
