import { mergeConfigs, type RunnableBatchOptions, type RunnableConfig } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type { Page } from "@skein/checkpointer";
import { requireObject } from "../errors/given.ts";
import { ResultCollector } from "../stream/collector.ts";
import type { GraphRunStream } from "../stream/events/run-stream.ts";
import { eventsAsText } from "../stream/events/text.ts";
import { checkFactories } from "../stream/events/transformer.ts";
import { EventReader } from "../stream/held-back.ts";
import { readerMayLeave } from "../stream/leaving.ts";
import { turnToBegin } from "../run/breathe.ts";
import type { Run } from "../run/run.ts";
import type { StateUpdate } from "../run/update.ts";
import { handBack } from "./as-node.ts";
import { runCall } from "./call.ts";
import {
  checkBatch,
  checkOptions,
  checkSpelling,
  checkStream,
  checkVersion,
  warnOfSpelling,
} from "./check-call.ts";
import { ConfiguredGraph } from "./configured.ts";
import { type HistoryPageOptions, readPage, readRevisions } from "./history.ts";
import type {
  EventFilter,
  GraphDefaults,
  LangChainEventOptions,
  AnyRunStreamOptions,
  RunStreamOptions,
  StreamOptions,
} from "./options.ts";
import { callsOf, type OwnCalls } from "./own-calls.ts";
import { type Place, placeAt } from "./place.ts";
import { type CompiledSettings, kept, mergeCall, RECURSION_LIMIT } from "./prepare.ts";
import { type GetStateOptions, readHistory, readState } from "./read-state.ts";
import { returnedKeys, streamedKeys } from "./shown-keys.ts";
import type { StateSnapshot } from "./state-snapshot.ts";
import { withDefaults } from "./stream.ts";
import { subgraphsOf } from "./subgraphs.ts";
import { writeState } from "./write-state.ts";
import { chunksOf, resultOf } from "./streamed.ts";
import { streamChunks, streamRun } from "./streaming.ts";

/**
 * A graph that can be called: a LangChain Runnable. Made by `compile()`; holds no state of a run
 * (I9), so one graph serves all threads at once.
 */
export class CompiledGraph extends ConfiguredGraph {
  lc_namespace = ["langgraph", "pregel"];
  readonly lg_is_pregel = true;
  static override lc_name(): string {
    return "LangGraph";
  }
  /** A graph of the same program with other settings. Subclasses make their own kind. */
  protected derive(settings: CompiledSettings): this {
    return new CompiledGraph(settings) as this;
  }
  /** The same graph with defaults for its calls; `streamTransformers` come after those that it has. */
  override withConfig(config: GraphDefaults): this {
    requireObject("withConfig()", config, "Pass an object, such as {tags: [...]}.");
    const { streamTransformers = [], ...rest } = config;
    checkFactories(streamTransformers);
    checkOptions(rest);
    warnOfSpelling(rest);
    checkStream(rest);
    return this.derive({
      ...this.settings,
      config: mergeConfigs(this.settings.config, rest),
      streamTransformers: [...this.streamTransformers, ...streamTransformers],
    });
  }

  /**
   * Runs the graph and returns its output: the state, with `__interrupt__` when it waits. With
   * `streamMode`, returns the chunks of that mode instead.
   *
   * @param input - keys of the state; null to go on where the thread stands; a Command to resume
   */
  override async invoke(input: unknown, options?: StreamOptions): Promise<unknown> {
    const streamMode = options?.streamMode ?? "values";
    if (streamMode !== "values" || this.#hasAnotherStream) {
      const outputKeys = options?.outputKeys ?? this.program.bareOutput ?? [...this.program.outputKeys];
      if (streamMode !== "values") return chunksOf(await this.stream(input, { ...options, outputKeys }));
      return resultOf(await this.stream(input, { ...options, outputKeys, streamMode, subgraphs: false }));
    }
    // what a call keeps while it waits outlives a young collection or two: nothing of its run may hang on that
    const own = kept(options);
    await turnToBegin();
    return (await this.#result(input, own, false)).output;
  }

  /**
   * Runs the graph for each of several inputs, at most `maxConcurrency` at a time.
   *
   * @param options - of all calls, or as many as there are inputs
   * @throws GraphError INVALID_INPUT, INVALID_CONFIGURATION
   */
  override async batch(
    inputs: unknown[],
    options?: StreamOptions | StreamOptions[],
    batchOptions?: RunnableBatchOptions,
    // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own type; subclasses know their state
  ): Promise<(this extends { RunOutput: infer Output } ? Output : any)[]> {
    checkBatch(inputs, options);
    const own = Array.isArray(options) ? options.map(kept) : kept(options);
    return super.batch(inputs, own as RunnableConfig, batchOptions);
  }

  /** The class's calls. Whoever has put others in their place, as tests and tracers do, wants those called. */
  protected get ownCalls(): OwnCalls {
    return OWN;
  }
  /** Somebody watches what is streamed: what a run gives goes that way, too. */
  get #hasAnotherStream(): boolean {
    return this.stream !== this.ownCalls.stream;
  }
  /** Runs the graph as a node of another one: returns what it is to hand back to its caller. */
  async invokeAsNode(input: unknown, options?: StreamOptions): Promise<unknown> {
    if (this.invoke !== this.ownCalls.invoke || this.#hasAnotherStream) return this.invoke(input, options);
    await turnToBegin();
    const result = await this.#result(input, options, true);
    if (result.output === undefined || this.program.bareOutput !== undefined) return result.output;
    await handBack(this.program, result.run, input, result.output as Record<string, unknown>);
    return result.output;
  }
  async #result(
    input: unknown,
    options: StreamOptions | undefined,
    isNode: boolean,
  ): Promise<{ output: unknown; run: Run }> {
    const misspelt = checkSpelling(options);
    if (misspelt !== undefined) await misspelt;
    const call = mergeCall(this.settings, options);
    const collector = new ResultCollector();
    const run = await runCall(this.settings, call, input, {
      isNode,
      listener: collector,
      sink: undefined,
      nested: undefined,
      handlers: undefined,
      turn: undefined,
      ...returnedKeys(this.program, isNode ? undefined : options),
    });
    return { output: collector.result(run), run };
  }

  /** Runs the graph and streams what happens. */
  override async stream(input: unknown, given?: StreamOptions): Promise<IterableReadableStream<unknown>> {
    const options = kept(withDefaults(given ?? undefined, this.settings.config));
    if (options !== undefined) checkStream(options);
    const misspelt = checkSpelling(options);
    if (misspelt !== undefined) await misspelt;
    const call = mergeCall(this.settings, options);
    return streamChunks(this.settings, call, input, options, streamedKeys(this.program, options));
  }
  override async *_streamIterator(input: unknown, options?: StreamOptions): AsyncGenerator<unknown> {
    yield* await this.stream(input, options);
  }

  /**
   * Runs the graph and tells what happens: with version "v3" as a {@link GraphRunStream}, which shows
   * states, messages, subgraphs and the end of the run each for itself; with "v1" and "v2" as
   * LangChain's events, of everything that is called.
   *
   * @throws GraphError INVALID_TRANSFORMER, INVALID_CONFIGURATION
   */
  override streamEvents(
    input: unknown,
    options: AnyRunStreamOptions & { encoding: "text/event-stream" },
  ): Promise<IterableReadableStream<Uint8Array>>;
  override streamEvents(
    input: unknown,
    options: AnyRunStreamOptions & { encoding?: undefined },
    // oxlint-disable-next-line typescript/no-explicit-any -- subclasses know their state
  ): Promise<GraphRunStream<any, any>>;
  override streamEvents(
    input: unknown,
    options: LangChainEventOptions,
    filter?: EventFilter,
  ): IterableReadableStream<StreamEvent>;
  override streamEvents(
    input: unknown,
    options: LangChainEventOptions & { encoding: "text/event-stream" },
    filter?: EventFilter,
  ): IterableReadableStream<Uint8Array>;
  override streamEvents(input: unknown, options: RunStreamOptions | LangChainEventOptions, filter?: unknown) {
    checkVersion(options);
    if (options.version === "v3") return this.#runStream(input, options) as never;
    // LangChain fills in its own limit where none is given
    const { recursionLimit = RECURSION_LIMIT } = this.settings.config ?? {};
    const own = kept(options);
    const reader = new EventReader<StreamEvent>();
    const stream = (asked: unknown, config: StreamOptions) => reader.hold(this.stream(asked, config));
    const watched = Object.create(this, { stream: { value: stream } }) as this;
    const tell = super.streamEvents as (...given: unknown[]) => IterableReadableStream<StreamEvent>;
    return readerMayLeave(options.signal, (signal) =>
      reader.read(tell.call(watched, input, { recursionLimit, ...own, signal }, filter)),
    ) as never;
  }
  async #runStream(input: unknown, options: RunStreamOptions): Promise<unknown> {
    const { version: _version, transformers, encoding, ...own } = kept(options);
    checkStream({ encoding, streamMode: (own as StreamOptions).streamMode });
    await checkSpelling(own);
    const call = mergeCall(this.settings, own);
    const keys = streamedKeys(this.program, withDefaults(own, this.settings.config));
    const run = streamRun(this.settings, call, input, transformers, keys);
    return encoding === undefined ? run : eventsAsText(run);
  }

  /** The state of a thread: the newest one, or that of `checkpoint_id`. */
  async getState(config: RunnableConfig, options?: GetStateOptions): Promise<StateSnapshot> {
    return readState(this.#place(config), config, options, settingsOf);
  }
  /** All states of a thread, newest first. */
  async *getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<StateSnapshot> {
    yield* readHistory(this.#place(config), config, options);
  }
  /**
   * Writes to a thread's state as if a node had written it; from an old checkpoint it starts a
   * branch.
   *
   * @param asNode - default: the node that ran last
   * @returns names the new state
   */
  async updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig> {
    return this.bulkUpdateState(config, [{ updates: [{ values, asNode }] }]);
  }
  /** Several updates, one step after the other. */
  async bulkUpdateState(
    config: RunnableConfig,
    steps: readonly { readonly updates: readonly StateUpdate[] }[],
  ): Promise<RunnableConfig> {
    return writeState(this.#place(config), config, steps);
  }
  /** One page of the complete history, in order. Reads that page only. */
  async history(config: RunnableConfig, options?: HistoryPageOptions): Promise<Page> {
    return readPage(this.#place(config), config, options);
  }
  /**
   * All that an archive ever held under some ids, oldest first: a message as it was before each of its
   * edits. Reads those entries only. Savers of whole states give the last of each.
   *
   * @param options - `key`: which archive. Default: the state's only one
   */
  async revisions(
    config: RunnableConfig,
    ids: readonly string[],
    options?: { readonly key?: string },
  ): Promise<ReadonlyMap<string, readonly unknown[]>> {
    return readRevisions(this.#place(config), config, ids, options?.key);
  }
  /**
   * The graphs that nodes call, by the names of the nodes on the way, joined with "|".
   *
   * @param namespace - only the one at this place
   * @param recurse - also the graphs that those call. Default: false
   */
  *getSubgraphs(namespace?: string, recurse = false): Generator<[string, CompiledGraph]> {
    const isGraph = (one: unknown): one is CompiledGraph => one instanceof CompiledGraph;
    yield* subgraphsOf<CompiledGraph>(this, namespace, recurse, isGraph);
  }
  async *getSubgraphsAsync(namespace?: string, recurse = false): AsyncGenerator<[string, CompiledGraph]> {
    yield* this.getSubgraphs(namespace, recurse);
  }
  /** Forgets all results in the cache that the graph was compiled with. */
  async clearCache(): Promise<void> {
    await this.settings.cache?.clear([]);
  }
  #place(config: RunnableConfig): Place {
    return placeAt(this.settings, mergeConfigs(this.settings.config, config), settingsOf);
  }
}

const OWN = callsOf(CompiledGraph);

function settingsOf(graph: unknown): CompiledSettings | undefined {
  return graph instanceof CompiledGraph ? graph.settings : undefined;
}
