import type { RunnableConfig } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type {
  Command,
  DrawableGraph,
  StateSnapshot,
  StreamMode,
  StreamOptions,
  StreamOutputMap,
  TransformerFactory,
} from "@skein/graph";
import { type AgentRunStream, type RunExtensions, streamTransformersOf } from "../stream/run.ts";
import { type AgentParts, buildGraph } from "./build-graph.ts";
import { admitOf } from "../middleware/admit.ts";
import { AgentCalls, type BusyOptions, type CallPolicies, type EventFilter } from "./calls.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { defaultConfig, ownConfig } from "./defaults.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import { idsOf, revisionWrite, type HistoryRevision } from "../messages/revise.ts";
import { erase, type ErasedReport, type EraseMessageOptions } from "./erase.ts";
import { updateAsLast } from "./update.ts";
import { heal, type Healed } from "./heal.ts";
import { pageOf, revisionsOf, type HistoryOptions, type HistoryPage } from "./history.ts";
import { requireInput } from "./input.ts";
import { requireConcurrency } from "./concurrency.ts";
import type { AnyCreateAgentParams } from "./params.ts";
import { importMessages, type ImportedMessages, type ImportMessagesOptions } from "./import.ts";
import { ThreadQueue } from "./turns.ts";
import { ownWith } from "./within.ts";
import type { AgentContextOf, AgentInputOf, AgentResult, AgentTypeConfig } from "./types.ts";

/** What callers pass beside the input; `context` where its schema asks for something. */
type AgentCallOptions<
  Types extends AgentTypeConfig,
  Mode extends StreamMode | StreamMode[] | undefined = undefined,
> = Omit<StreamOptions<Mode>, "context"> & BusyOptions & ContextOption<AgentContextOf<Types>>;

type ContextOption<TContext> =
  Partial<TContext> extends TContext ? { context?: TContext | undefined } : { context: TContext };

/** The default, which all agents fit. */
// oxlint-disable-next-line typescript/no-explicit-any -- nothing is known of it
type AnyTypes = AgentTypeConfig<any, any, any, any, any, any>;

/**
 * An agent. Made by {@link createAgent}; holds no state of a run, so one serves all threads at once.
 *
 * @example
 * for await (const [message] of await agent.stream({ messages: "Hello" }, { streamMode: "messages" })) {
 *   process.stdout.write(message.text);
 * }
 */
export class ReactAgent<Types extends AgentTypeConfig = AnyTypes> {
  /** Never there: what {@link InferAgentType} reads. */
  declare readonly "~agentTypes": Types;
  /** What {@link createAgent} was given. */
  readonly options: Readonly<AnyCreateAgentParams>;
  readonly #graph: AgentGraph;
  readonly #policies: CallPolicies;
  /** Of all agents that come from one by `withConfig`. */
  readonly #queue: ThreadQueue;
  readonly #middleware: readonly AnyAgentMiddleware[];

  private constructor(
    options: Readonly<AnyCreateAgentParams>,
    graph: AgentGraph,
    policies: CallPolicies,
    queue: ThreadQueue,
  ) {
    this.options = options;
    this.#graph = graph;
    this.#middleware = options.middleware ?? [];
    this.#policies = policies;
    this.#queue = queue;
  }
  /** Not public: {@link createAgent} checks what an agent is made of. */
  static of(parts: AgentParts): ReactAgent {
    const { checkpointer, store, name, description, onBusy = "error", onStop = "heal" } = parts.params;
    const { openTurnTimeoutMs, now = Date.now } = parts.params;
    const transformers = streamTransformersOf(parts);
    const graph = buildGraph(parts).compile({ checkpointer, store, name, description, transformers });
    const configured = graph.withConfig(defaultConfig(parts)) as unknown as AgentGraph;
    const admit = admitOf(parts.params.middleware ?? []);
    const policies = { onBusy, onStop, openTurnTimeoutMs, now, admit, agent: parts, own: ownConfig(parts) };
    return new ReactAgent(parts.params, configured, policies, new ThreadQueue());
  }

  /** The graph behind the agent, to be a node of another graph. */
  get graph(): AgentGraph<AgentResult<Types>> {
    return this.#graph as never;
  }
  /**
   * The same agent with defaults for its calls.
   *
   * @example
   * const anns = agent.withConfig({ configurable: { thread_id: "ann" } });
   * await anns.invoke({ messages: "Hello" });
   */
  withConfig(config: RunnableConfig): ReactAgent<Types> {
    const own = (config as RunnableConfig | null | undefined) ?? {};
    requireConcurrency(own.maxConcurrency);
    const graph = this.#graph.withConfig(own);
    const policies = { ...this.#policies, own: ownWith(this.#policies.own, own) };
    return new ReactAgent(this.options, graph, policies, this.#queue);
  }
  /** Where threads are kept; to be set before the first call. */
  get checkpointer(): AgentGraph["checkpointer"] {
    return this.#graph.checkpointer;
  }
  set checkpointer(checkpointer: AgentGraph["checkpointer"]) {
    this.#graph.checkpointer = checkpointer;
  }
  get store(): AgentGraph["store"] {
    return this.#graph.store;
  }
  set store(store: AgentGraph["store"]) {
    this.#graph.store = store;
  }
  get #calls(): AgentCalls {
    return new AgentCalls(this.#graph, this.#policies, this.#queue);
  }

  /**
   * Runs the agent until it has a final answer, or waits for somebody.
   *
   * @param input - keys of the state, mostly `messages`; null to go on where the thread stands; a
   *   `Command({resume})` to answer an interrupt
   * @returns the context and the public keys, with `__interrupt__` when it waits
   * @throws GraphError INVALID_INPUT for what is neither, and for keys of which the state has none
   *
   * @example
   * const { messages } = await agent.invoke({ messages: "Hello" }, { configurable: { thread_id: "1" } });
   */
  invoke(
    input: AgentInputOf<Types> | Command | null,
    options?: Omit<AgentCallOptions<Types>, "streamMode" | "encoding">,
  ): Promise<AgentResult<Types>> {
    return this.#calls.invoke(input, (options ?? undefined) as never) as Promise<never>;
  }
  /**
   * Runs the agent and streams what happens. Default mode: "updates".
   *
   * @throws GraphError INVALID_INPUT as `invoke` does
   *
   * @example
   * const stream = await agent.stream({ messages: "Hello" }, { streamMode: "messages" });
   * for await (const [token, metadata] of stream) if (isAgentToken(metadata)) process.stdout.write(token.text);
   */
  async stream<
    Mode extends StreamMode | StreamMode[] | undefined = undefined,
    Subgraphs extends boolean = false,
    Encoding extends "text/event-stream" | undefined = undefined,
  >(
    input: AgentInputOf<Types> | Command | null,
    options?: AgentCallOptions<Types, Mode> & { subgraphs?: Subgraphs; encoding?: Encoding },
  ): Promise<
    IterableReadableStream<
      // oxlint-disable-next-line typescript/no-explicit-any -- whatever hooks and tools write
      StreamOutputMap<Mode, Subgraphs, AgentResult<Types>, AgentResult<Types>, string, unknown, any, Encoding>
    >
  > {
    requireInput(input, this.#graph);
    return this.#calls.stream(input, (options ?? undefined) as never) as never;
  }
  /**
   * Runs the agent and tells what happens: with version "v3" as a run stream, with the agent's
   * `toolCalls` and `subagents`; else as LangChain's events, of everything that is called. Default: "v2".
   *
   * @example
   * const run = await agent.streamEvents({ messages: "Hello" }, { version: "v3" });
   * for await (const call of run.toolCalls) console.log(call.name, await call.status);
   */
  streamEvents<const Factories extends readonly TransformerFactory[] = []>(
    input: AgentInputOf<Types> | Command | null,
    options: Omit<AgentCallOptions<Types>, "streamMode" | "encoding"> & {
      version: "v3";
      transformers?: Factories;
    },
  ): Promise<
    AgentRunStream<
      AgentResult<Types>,
      Types["Tools"],
      RunExtensions<readonly [...Types["StreamTransformers"], ...Factories]>
    >
  >;
  streamEvents(
    input: AgentInputOf<Types> | Command | null,
    options?: Omit<AgentCallOptions<Types>, "streamMode"> & { version?: "v1" | "v2" },
    filter?: EventFilter,
  ): IterableReadableStream<StreamEvent>;
  streamEvents(
    input: AgentInputOf<Types> | Command | null,
    options?: { version?: string; encoding?: unknown },
    filter?: EventFilter,
  ) {
    requireInput(input, this.#graph);
    if (options?.version === "v3" && options.encoding === undefined)
      return this.#calls.streamEvents(input, options as never) as never;
    const versioned = { ...options, version: options?.version ?? "v2" };
    return this.#calls.events(input, versioned as never, filter) as never;
  }
  /** The graph to be drawn: `drawMermaid()`, `drawDot()`, `drawText()`. */
  getGraph(...options: Parameters<AgentGraph["getGraph"]>): ReturnType<AgentGraph["getGraph"]> {
    return this.#graph.getGraph(...options);
  }
  /** The graph as Mermaid. */
  async drawMermaid(...options: Parameters<DrawableGraph["drawMermaid"]>): Promise<string> {
    return this.#graph.getGraph().drawMermaid(...options);
  }
  /** The graph as a PNG, which the web service mermaid.ink draws. */
  async drawMermaidPng(...options: Parameters<DrawableGraph["drawMermaidPng"]>): Promise<Uint8Array> {
    const image = await this.#graph.getGraph().drawMermaidPng(...options);
    return new Uint8Array(await image.arrayBuffer());
  }
  /**
   * Closes a turn that was left open, by a crash for instance: calls without a result are answered
   * as cancelled. A thread that is whole stays as it is.
   *
   * @throws GraphError THREAD_CONFLICT while somebody runs the thread
   *
   * @example
   * const { cancelled } = await agent.heal({ configurable: { thread_id: "1" } });
   */
  heal(config: RunnableConfig): Promise<Healed> {
    return heal(this.#graph, config);
  }

  /**
   * The state of a thread, `full_messages` included unless `{archive: false}`.
   *
   * @example
   * const { values, next } = await agent.getState({ configurable: { thread_id: "1" } }, { archive: false });
   */
  async getState(
    config: RunnableConfig,
    options?: { subgraphs?: boolean; archive?: boolean },
  ): Promise<StateSnapshot<AgentResult<Types> & { full_messages: BaseMessage[] }>> {
    return (await this.#graph.getState(config, options)) as never;
  }
  /** All states of a thread, newest first, without `full_messages`. */
  getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<StateSnapshot<AgentResult<Types>>> {
    return this.#graph.getStateHistory(config, options) as never;
  }
  /**
   * Writes to a thread as if a node had; what is written to `messages` reaches both tracks.
   *
   * @param asNode - Default: the node that ran last, or what stands in its place if this agent has it no more
   *
   * @example
   * await agent.updateState(config, { messages: [new HumanMessage("Mind the budget.")] });
   */
  async updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig> {
    if (asNode !== undefined) return this.#graph.updateState(config, values, asNode);
    return updateAsLast(this.#graph, this.#middleware, config, values);
  }
  /**
   * A page of the complete history. Reads that page only, however long the thread is.
   *
   * @throws GraphError INVALID_CONFIGURATION for options that there are not, or of another kind
   *
   * @example
   * const last = await agent.history(config, { limit: 20 });
   * const earlier = await agent.history(config, { limit: 20, before: last.before });
   */
  async history(config: RunnableConfig, options?: HistoryOptions): Promise<HistoryPage> {
    return pageOf(this.#graph, config, options);
  }
  /**
   * Appends a conversation from elsewhere to a thread, in both tracks. The system prompt of an agent
   * stands in neither, so system messages are handled as `systemMessages` says; by default they leave
   * the conversation and come back as `systemPrompt` and `prompts`.
   *
   * @throws GraphError INVALID_MESSAGE, INVALID_CONFIGURATION, or THREAD_CONFLICT while somebody runs the
   *   thread
   *
   * @example
   * const { systemPrompt } = await agent.importMessages(config, fromOpenAI(body.messages));
   */
  async importMessages(
    config: RunnableConfig,
    messages: readonly BaseMessageLike[],
    options?: ImportMessagesOptions,
  ): Promise<ImportedMessages> {
    return importMessages(this.#graph, this.#middleware, config, messages, options);
  }
  /**
   * Changes messages of the complete history: others take their places, or "[removed]" does. The context
   * follows where it shows them; what a summary covers is changed without the model being told. What
   * stood there before stays to be audited (`revisions`) until it is erased (`eraseMessage`). As with
   * `updateState`, a thread that waits for an answer asks again.
   *
   * @throws GraphError INVALID_MESSAGE for messages that the history does not hold; INVALID_CONFIGURATION for
   *   a revision of other members; THREAD_CONFLICT while somebody runs the thread
   *
   * @example
   * await agent.reviseHistory(config, { replace: [{ role: "user", id: "m7", content: "..." }], remove: ["m9"] });
   */
  async reviseHistory(config: RunnableConfig, revision: HistoryRevision): Promise<RunnableConfig> {
    const known = await this.#graph.revisions(config, idsOf(revision), { key: "full_messages" });
    return this.updateState(config, { messages: revisionWrite(revision, known) });
  }
  /** All that a message ever said, oldest first; empty for one that the thread does not know. */
  async revisions(config: RunnableConfig, messageId: string): Promise<BaseMessage[]> {
    return revisionsOf(this.#graph, config, messageId);
  }
  /**
   * Takes what a message says out of its thread and of copies: every revision, writes, checkpoints,
   * summaries that cover it, texts that quote it, the search index, and the files. A tombstone with its
   * id keeps its place.
   *
   * @throws GraphError UNKNOWN_THREAD, THREAD_CONFLICT while a run holds one of the threads, or
   *   INVALID_CONFIGURATION for a saver that can't erase, and for options that there are not
   *
   * @example
   * await agent.eraseMessage(config, "m7", { texts: ["4711"] });
   */
  async eraseMessage(
    config: RunnableConfig,
    messageId: string,
    options?: EraseMessageOptions,
  ): Promise<ErasedReport> {
    return erase(this.#graph.checkpointer, this.#middleware, config, messageId, options);
  }
}
