import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { mergeConfigs, Runnable, type RunnableConfig } from "@langchain/core/runnables";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type { Page } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import type { Program } from "../program/program.ts";
import { ResultCollector } from "../stream/collector.ts";
import { MessagesHandler } from "../stream/messages.ts";
import type { StreamChunk, StreamMode, StreamSink } from "../stream/modes.ts";
import { ToolsHandler } from "../stream/tools.ts";
import { turnToBegin } from "../run/breathe.ts";
import { materialise } from "../run/read.ts";
import type { Run } from "../run/run.ts";
import type { StateUpdate } from "../run/update.ts";
import { type Following, runCall } from "./call.ts";
import { checkStream } from "./check-call.ts";
import { eventStream } from "./event-stream.ts";
import {
  type GetStateOptions,
  type HistoryPageOptions,
  type Place,
  placeAt,
  readHistory,
  readPage,
  readState,
  writeState,
} from "./history.ts";
import type { CallOptions, StreamOptions } from "./options.ts";
import { type CompiledSettings, type ExtraHandlers, mergeCall } from "./prepare.ts";
import type { StateSnapshot } from "./state-snapshot.ts";
import { only, RunStream, shapeOf } from "./stream.ts";

/** Of the graphs that nodes call, these modes are shown whether asked for or not. */
const ALWAYS_NESTED: readonly StreamMode[] = ["custom"];

/**
 * A graph that can be called: a LangChain Runnable. Made by `compile()`; holds no state of a run
 * (I9), so one graph serves all threads at once.
 */
export class CompiledGraph extends Runnable {
  lc_namespace = ["langgraph", "pregel"];
  readonly lg_is_pregel = true;
  settings: CompiledSettings;

  constructor(settings: CompiledSettings) {
    super();
    this.settings = settings;
    this.name = settings.name ?? "LangGraph";
  }
  static override lc_name(): string {
    return "LangGraph";
  }
  get program(): Program {
    return this.settings.program;
  }
  /** Where threads are kept; to be set before the first call, as `langchain`'s agents do. */
  get checkpointer(): CompiledSettings["checkpointer"] {
    return this.settings.checkpointer;
  }
  set checkpointer(checkpointer: CompiledSettings["checkpointer"]) {
    this.settings = { ...this.settings, checkpointer };
  }
  get store(): CompiledSettings["store"] {
    return this.settings.store;
  }
  set store(store: CompiledSettings["store"]) {
    this.settings = { ...this.settings, store };
  }
  /** Whether every step is printed to the console. */
  get debug(): boolean {
    return this.settings.debug === true;
  }
  set debug(debug: boolean) {
    this.settings = { ...this.settings, debug };
  }
  /** Milliseconds that one superstep may take; undefined: no limit. */
  get stepTimeout(): number | undefined {
    return this.settings.stepTimeout;
  }
  set stepTimeout(stepTimeout: number | undefined) {
    this.settings = { ...this.settings, stepTimeout };
  }
  /** A graph of the same program with other settings. Subclasses make their own kind. */
  protected derive(settings: CompiledSettings): this {
    return new CompiledGraph(settings) as this;
  }
  /** The same graph with defaults for its calls. */
  override withConfig(config: RunnableConfig): this {
    return this.derive({ ...this.settings, config: mergeConfigs(this.settings.config, config) });
  }

  /**
   * Runs the graph and returns its output: the state, with `__interrupt__` when it waits. With
   * `streamMode`, returns the chunks of that mode instead.
   *
   * @param input - keys of the state; null to go on where the thread stands; a Command to resume
   */
  override async invoke(input: unknown, options?: StreamOptions): Promise<unknown> {
    if (options?.streamMode !== undefined && options.streamMode !== "values") {
      const chunks: unknown[] = [];
      const outputKeys = options.outputKeys ?? this.program.bareOutput ?? [...this.program.outputKeys];
      for await (const chunk of await this.stream(input, { ...options, outputKeys })) chunks.push(chunk);
      return chunks;
    }
    // what a call keeps while it waits outlives a young collection or two: nothing of its run may hang on that
    await turnToBegin();
    return await this.#output(input, options);
  }
  async #output(input: unknown, options: StreamOptions | undefined): Promise<unknown> {
    return (await this.#result(input, options, false)).output;
  }

  /**
   * Runs the graph as a node of another one. Of a key that the caller merges it returns what it
   * wrote, and of one that echoes into an archive what it added, not what is left: the caller has
   * the rest, and a compaction in here is none there.
   */
  async invokeAsNode(input: unknown, options?: StreamOptions): Promise<unknown> {
    await turnToBegin();
    const result = await this.#result(input, options, true);
    if (result.output === undefined || this.program.bareOutput !== undefined) return result.output;
    const { run } = result;
    const output = result.output as Record<string, unknown>;
    const given = (input ?? {}) as Record<string, unknown>;
    for (const key of Object.keys(output)) {
      const channel = this.program.channels.get(key);
      if (channel !== undefined && run.handback?.has(key) === true) {
        const handed = run.handback.result(key, given[key], output[key], channel);
        if (handed === undefined) delete output[key];
        else output[key] = handed[0];
        continue;
      }
      if (channel?.direct === false) delete output[key];
      const archive = channel?.echo;
      if (archive === undefined || !this.program.channels.has(archive)) continue;
      await materialise(run.snapshot, [archive]);
      const before = new Set(Array.isArray(given[key]) ? (given[key] as unknown[]) : []);
      const all = run.snapshot.read([archive])[archive] as unknown[];
      output[key] = all.filter((element) => !before.has(element));
    }
    return output;
  }
  async #result(
    input: unknown,
    options: StreamOptions | undefined,
    isNode: boolean,
  ): Promise<{ output: unknown; run: Run }> {
    const call = mergeCall(this.settings, options);
    const collector = new ResultCollector();
    const run = await runCall(this.settings, call, input, {
      isNode,
      listener: collector,
      sink: undefined,
      nested: undefined,
      handlers: undefined,
      turn: undefined,
      ...this.#keys(isNode ? undefined : options, this.program.outputKeys, this.program.bareOutput),
    });
    return { output: collector.result(run), run };
  }

  /** Runs the graph and streams what happens. */
  override async stream(input: unknown, options?: StreamOptions): Promise<IterableReadableStream<unknown>> {
    if (options !== undefined) checkStream(options);
    const call = mergeCall(this.settings, options);
    // streamEvents encodes by itself
    const encoded = options?.encoding === "text/event-stream" && !("version" in options);
    const plain = shapeOf(options, call.parent === undefined ? this.settings.streamMode : ["values"]);
    const shape = encoded ? { ...plain, single: false, subgraphs: true } : plain;
    const stop = new AbortController();
    const outer = call.config.signal;
    const forward = (): void => stop.abort(outer?.reason);
    if (outer?.aborted === true) forward();
    outer?.addEventListener("abort", forward, { once: true });
    const sink = new RunStream(shape, (reason) => stop.abort(reason));
    const config = { ...call.config, signal: stop.signal };
    const following: Following = {
      ...this.#keys(options, this.program.visibleKeys, this.program.bareKey),
      isNode: false,
      listener: undefined,
      sink,
      nested: plain.subgraphs ? sink : only(sink, ALWAYS_NESTED),
      handlers: handlersFor(shape.modes, sink),
      turn: () => Promise.resolve(),
    };
    turnToBegin()
      .then(() => runCall(this.settings, { ...call, config }, input, following))
      .then(
        () => sink.end(),
        (error: unknown) => sink.fail(error),
      )
      .finally(() => outer?.removeEventListener("abort", forward));
    return encoded ? eventStream(sink.readable, options.subgraphs === true) : sink.readable;
  }
  override async *_streamIterator(input: unknown, options?: StreamOptions): AsyncGenerator<unknown> {
    yield* await this.stream(input, options);
  }

  /** The state of a thread: the newest one, or that of `checkpoint_id`. */
  async getState(config: RunnableConfig, options: GetStateOptions = {}): Promise<StateSnapshot<unknown>> {
    return readState(this.#place(config), config, options, settingsOf);
  }
  /** All states of a thread, newest first. */
  async *getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<StateSnapshot<unknown>> {
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
  async history(config: RunnableConfig, options: HistoryPageOptions = {}): Promise<Page> {
    return readPage(this.#place(config), config, options);
  }
  /**
   * The graphs that nodes call, by the names of the nodes on the way, joined with "|".
   *
   * @param namespace - only the one at this place
   * @param recurse - also the graphs that those call. Default: false
   */
  *getSubgraphs(namespace?: string, recurse = false): Generator<[string, CompiledGraph]> {
    yield* subgraphsOf(this, namespace, recurse);
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

  #keys(
    options: CallOptions | undefined,
    fallback: readonly string[],
    bareFallback: string | undefined,
  ): Pick<Following, "outputKeys" | "bareKey"> {
    const { inputKeys, outputKeys } = options ?? {};
    if (inputKeys !== undefined) this.#knownKeys("inputKeys", inputKeys);
    if (outputKeys === undefined) return { outputKeys: fallback, bareKey: bareFallback };
    return {
      outputKeys: this.#knownKeys("outputKeys", outputKeys),
      bareKey: Array.isArray(outputKeys) ? undefined : outputKeys,
    };
  }
  #knownKeys(option: string, keys: string | string[]): string[] {
    const list = Array.isArray(keys) ? keys : [keys];
    for (const key of list) {
      if (this.program.channels.has(key)) continue;
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `${option} names "${key}", which is no key of the state.`,
      );
    }
    return list;
  }
}

function* subgraphsOf(
  graph: CompiledGraph,
  namespace: string | undefined,
  recurse: boolean,
): Generator<[string, CompiledGraph]> {
  for (const [name, { subgraphs }] of graph.program.nodes) {
    const subgraph = subgraphs.find((one) => one instanceof CompiledGraph);
    if (subgraph === undefined) continue;
    if (namespace === undefined || namespace === name) yield [name, subgraph];
    if (!recurse || namespace === name) continue;
    if (namespace !== undefined && !namespace.startsWith(`${name}|`)) continue;
    const rest = namespace?.slice(name.length + 1);
    for (const [inner, found] of subgraphsOf(subgraph, rest, true)) yield [`${name}|${inner}`, found];
  }
}

function settingsOf(graph: unknown): CompiledSettings | undefined {
  return graph instanceof CompiledGraph ? graph.settings : undefined;
}

/** What follows models and tools, for the modes that are about them. */
function handlersFor(modes: readonly StreamMode[], sink: StreamSink): ExtraHandlers {
  const push = (chunk: StreamChunk): void => sink.push(chunk);
  const handlers: BaseCallbackHandler[] = [];
  if (modes.includes("messages")) handlers.push(new MessagesHandler(push));
  if (modes.includes("tools")) handlers.push(new ToolsHandler(push));
  return handlers.length === 0 ? undefined : handlers;
}
