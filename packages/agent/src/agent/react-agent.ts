import type { RunnableConfig } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type {
  Command,
  DrawableGraph,
  Interrupt,
  StateSnapshot,
  StreamMode,
  StreamOptions,
} from "@skein/graph";
import { type AgentParts, buildGraph } from "./build-graph.ts";
import { AgentCalls, type BusyOptions, type CallPolicies } from "./calls.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { defaultConfig } from "./defaults.ts";
import { heal, type Healed } from "./heal.ts";
import { ThreadQueue } from "./turns.ts";

/** One page of the complete history, oldest first. */
export interface HistoryPage {
  readonly messages: BaseMessage[];
  /** Pass as `before` for the page before this one; undefined when this is the first. */
  readonly before: number | undefined;
}

export interface HistoryOptions {
  /** Where the page ends, from the page after it. Default: at the newest message. */
  readonly before?: number | undefined;
  /** Most messages. Default: 100. */
  readonly limit?: number;
}

type AgentCallOptions<TContext, Mode extends StreamMode | StreamMode[] | undefined = undefined> = Omit<
  StreamOptions<Mode>,
  "context"
> &
  BusyOptions & { context?: Partial<TContext> };

/**
 * An agent. Made by {@link createAgent}; holds no state of a run, so one serves all threads at once.
 *
 * @example
 * for await (const [message] of await agent.stream({ messages: "Hello" }, { streamMode: "messages" })) {
 *   process.stdout.write(message.text);
 * }
 */
export class ReactAgent<
  TState = Record<string, unknown>,
  TInput = Record<string, unknown>,
  TContext = Record<string, unknown>,
> {
  readonly #graph: AgentGraph;
  readonly #policies: CallPolicies;
  /** Of all agents that come from one by `withConfig`. */
  readonly #queue: ThreadQueue;

  private constructor(graph: AgentGraph, policies: CallPolicies, queue: ThreadQueue) {
    this.#graph = graph;
    this.#policies = policies;
    this.#queue = queue;
  }
  /** Not public: {@link createAgent} checks what an agent is made of. */
  static of(parts: AgentParts): ReactAgent {
    const { checkpointer, store, name, description, onBusy = "error", onStop = "heal" } = parts.params;
    const { openTurnTimeoutMs, now = Date.now } = parts.params;
    const graph = buildGraph(parts).compile({ checkpointer, store, name, description });
    const configured = graph.withConfig(defaultConfig(parts)) as unknown as AgentGraph;
    return new ReactAgent(configured, { onBusy, onStop, openTurnTimeoutMs, now }, new ThreadQueue());
  }

  /** The graph behind the agent, to be a node of another graph. */
  get graph(): AgentGraph {
    return this.#graph;
  }
  /** The same agent with defaults for its calls. */
  withConfig(config: RunnableConfig): ReactAgent<TState, TInput, TContext> {
    return new ReactAgent(this.#graph.withConfig(config), this.#policies, this.#queue);
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
   */
  async invoke(
    input: TInput | Command | null,
    options?: Omit<AgentCallOptions<TContext>, "streamMode">,
  ): Promise<TState & { __interrupt__?: Interrupt[] }> {
    return this.#calls.invoke(input, options as never) as never;
  }
  /** Runs the agent and streams what happens. Default mode: "updates". */
  async stream<Mode extends StreamMode | StreamMode[] | undefined = undefined>(
    input: TInput | Command | null,
    options?: AgentCallOptions<TContext, Mode>,
  ): ReturnType<AgentGraph["stream"]> {
    return this.#calls.stream(input, options as never) as never;
  }
  /** What happens in the run and in everything that it calls, as LangChain's events. */
  streamEvents(
    input: TInput | Command | null,
    options: Omit<AgentCallOptions<TContext>, "streamMode" | "onBusy"> & { version: "v1" | "v2" },
    filter?: Parameters<AgentGraph["streamEvents"]>[2],
  ): IterableReadableStream<StreamEvent> {
    return this.#graph.streamEvents(input as never, options as never, filter);
  }
  /** The graph to be drawn: `drawMermaid()`, `drawDot()`, `drawText()`. */
  getGraph(...options: Parameters<AgentGraph["getGraph"]>): ReturnType<AgentGraph["getGraph"]> {
    return this.#graph.getGraph(...options);
  }
  /** The graph as Mermaid. */
  async drawMermaid(...options: Parameters<DrawableGraph["drawMermaid"]>): Promise<string> {
    return this.#graph.getGraph().drawMermaid(...options);
  }
  /**
   * Closes a turn that was left open, by a crash for instance: calls without a result are answered
   * as cancelled. A thread that is whole stays as it is.
   *
   * @throws GraphError THREAD_CONFLICT while somebody runs the thread
   */
  heal(config: RunnableConfig): Promise<Healed> {
    return heal(this.#graph, config);
  }

  /** The state of a thread, `full_messages` included unless `{archive: false}`. */
  async getState(
    config: RunnableConfig,
    options?: { subgraphs?: boolean; archive?: boolean },
  ): Promise<StateSnapshot<TState & { full_messages: BaseMessage[] }>> {
    return (await this.#graph.getState(config, options)) as never;
  }
  /** All states of a thread, newest first, without `full_messages`. */
  getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<StateSnapshot<TState>> {
    return this.#graph.getStateHistory(config, options) as never;
  }
  /** Writes to a thread as if a node had; what is written to `messages` reaches both tracks. */
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig> {
    return this.#graph.updateState(config, values, asNode);
  }
  /**
   * A page of the complete history. Reads that page only, however long the thread is.
   *
   * @example
   * const last = await agent.history(config, { limit: 20 });
   * const earlier = await agent.history(config, { limit: 20, before: last.before });
   */
  async history(config: RunnableConfig, options: HistoryOptions = {}): Promise<HistoryPage> {
    const page = await this.#graph.history(config, { ...options, key: "full_messages" });
    return { messages: page.elements as BaseMessage[], before: page.before };
  }
}
