import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type {
  Command,
  CompiledStateGraph,
  Interrupt,
  StateSnapshot,
  StreamMode,
  StreamOptions,
} from "@skein/graph";
import { type AgentParts, buildGraph } from "./build-graph.ts";

export type AgentGraph = CompiledStateGraph<unknown, unknown, string>;

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

type InvokeOptions<TContext> = Omit<StreamOptions<undefined>, "context" | "streamMode"> & {
  context?: Partial<TContext>;
};

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
  readonly #parts: AgentParts;
  readonly #config: RunnableConfig;
  readonly #graph: AgentGraph;

  constructor(parts: AgentParts, config: RunnableConfig = {}) {
    const { checkpointer, store, name, description } = parts.params;
    this.#parts = parts;
    this.#config = config;
    const graph = buildGraph(parts).compile({ checkpointer, store, name, description });
    this.#graph = graph.withConfig(config) as unknown as AgentGraph;
  }

  /** The graph behind the agent, to be a node of another graph. */
  get graph(): AgentGraph {
    return this.#graph;
  }
  /** The same agent with defaults for its calls. */
  withConfig(config: RunnableConfig): ReactAgent<TState, TInput, TContext> {
    return new ReactAgent(this.#parts, mergeConfigs(this.#config, config));
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
    options?: InvokeOptions<TContext>,
  ): Promise<TState & { __interrupt__?: Interrupt[] }> {
    return this.#graph.invoke(input as never, options as never) as never;
  }
  /** Runs the agent and streams what happens. Default mode: "updates". */
  async stream<Mode extends StreamMode | StreamMode[] | undefined = undefined>(
    input: TInput | Command | null,
    options?: Omit<StreamOptions<Mode>, "context"> & { context?: Partial<TContext> },
  ): ReturnType<AgentGraph["stream"]> {
    return this.#graph.stream(input as never, options as never) as never;
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
