import { ensureConfig, mergeConfigs, Runnable, type RunnableConfig } from "@langchain/core/runnables";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type { Checkpoint } from "@langchain/langgraph-sdk";
import { Client } from "@langchain/langgraph-sdk/client";
import { GraphError } from "@skein/errors";
import type { GetStateOptions } from "../compiled/read-state.ts";
import type { CallOptions, StreamOptions } from "../compiled/options.ts";
import type { StateSnapshot } from "../compiled/state-snapshot.ts";
import { DrawableGraph } from "../drawing/drawable-graph.ts";
import type { DrawOptions } from "../drawing/draw.ts";
import { asking } from "./failures.ts";
import { fetchUntilAborted } from "./fetch.ts";
import { followRun, type RemoteEventOptions } from "./follow.ts";
import { inputToJson } from "./json.ts";
import { RemoteRun } from "./remote-run.ts";
import { threadOf } from "./request.ts";
import type { RemoteGraphRunStream } from "./run-stream.ts";
import { checkpointOf, configOf, snapshotOf } from "./snapshot.ts";

export interface RemoteGraphParams {
  /** Name of the graph, or id of an assistant, on the server. */
  graphId: string;
  /** A client of the SDK, for everything that `url`, `apiKey` and `headers` cannot say. */
  client?: Client;
  /** Address of the server. Default: `http://localhost:8123`. */
  url?: string;
  /** Default: the environment's LANGGRAPH_API_KEY, LANGSMITH_API_KEY or LANGCHAIN_API_KEY. */
  apiKey?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** What every call is merged over; also set by `withConfig`. */
  config?: RunnableConfig;
  /** Stop before these nodes. */
  interruptBefore?: string[] | "*";
  /** Stop after these nodes. */
  interruptAfter?: string[] | "*";
  /**
   * The server keeps the events of a run: a connection that breaks is taken up again where it broke,
   * and a run whose reader leaves goes on. Default: false.
   */
  streamResumable?: boolean;
  /** Default: "RemoteGraph". */
  name?: string;
}

interface LangChainEventOptions extends CallOptions {
  version: "v1" | "v2";
}

/**
 * A graph on a server that speaks LangGraph's protocol, called like one of this process: by itself
 * or as a node. Threads and their states are kept by the server.
 *
 * When the remote graph waits for an answer, calls throw {@link GraphInterrupt}, as a local graph
 * does towards the graph that calls it. Failures are {@link RemoteException}s.
 *
 * @example
 * const writer = new RemoteGraph({ graphId: "writer", url: "https://graphs.example.com" });
 * await writer.invoke({ topic: "looms" }, { configurable: { thread_id: "1" } });
 * builder.addNode("write", writer);
 */
export class RemoteGraph extends Runnable {
  lc_namespace = ["langgraph", "pregel"];
  readonly lg_is_pregel = true;
  readonly graphId: string;
  readonly config: RunnableConfig | undefined;
  protected readonly client: Client;
  protected readonly params: RemoteGraphParams;

  constructor(params: RemoteGraphParams) {
    super(params as never);
    if (typeof params?.graphId !== "string" || params.graphId === "") {
      throw new GraphError("INVALID_CONFIGURATION", 'A remote graph needs its "graphId" on the server.');
    }
    this.graphId = params.graphId;
    this.config = params.config;
    this.client = params.client ?? clientFor(params);
    this.params = { ...params, client: this.client };
    this.name = params.name ?? "RemoteGraph";
  }
  static override lc_name(): string {
    return "RemoteGraph";
  }
  /** The same graph with defaults for its calls. */
  override withConfig(config: RunnableConfig): this {
    return this.#like({ config: mergeConfigs(this.config, config) });
  }
  #like(changed: Partial<RemoteGraphParams>): this {
    const Self = this.constructor as new (params: RemoteGraphParams) => this;
    return new Self({ ...this.params, ...changed });
  }

  /**
   * Runs the graph and returns its last state.
   *
   * @param input - keys of the state; null to go on where the thread stands; a Command to resume
   * @throws GraphInterrupt when the graph waits
   * @throws RemoteException REMOTE_FAILED, REMOTE_UNREACHABLE
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- only the server knows the graph's state
  override async invoke(input: unknown, options?: StreamOptions): Promise<any> {
    let last: unknown;
    const { subgraphs: _root, ...rest } = options ?? {};
    for await (const chunk of await this.stream(input, { ...rest, streamMode: "values" })) last = chunk;
    return last;
  }

  /** Runs the graph and streams what happens. A reader that leaves cancels the run on the server. */
  // oxlint-disable-next-line typescript/no-explicit-any -- only the server knows the graph's state
  override async stream(input: unknown, options?: StreamOptions): Promise<IterableReadableStream<any>> {
    const config = ensureConfig(mergeConfigs(this.config, options as RunnableConfig));
    const { interruptBefore, interruptAfter, streamResumable } = this.params;
    const { client, graphId } = this;
    const settings = { client, graphId, interruptBefore, interruptAfter, streamResumable };
    return new RemoteRun(settings, config as never).stream(input);
  }
  override async *_streamIterator(input: unknown, options?: StreamOptions): AsyncGenerator<unknown> {
    yield* await this.stream(input, options);
  }

  /**
   * Runs the graph and follows it as a {@link RemoteGraphRunStream}: states, messages, subgraphs and the
   * end of the run, each for itself. The server has to speak the event protocol.
   *
   * @throws GraphError INVALID_CONFIGURATION for versions "v1" and "v2", which servers do not have, and
   * for options that concern the run from within
   */
  override streamEvents(
    input: unknown,
    options: RemoteEventOptions & { encoding: "text/event-stream" },
  ): Promise<IterableReadableStream<Uint8Array>>;
  override streamEvents(
    input: unknown,
    options: RemoteEventOptions & { encoding?: undefined },
  ): Promise<RemoteGraphRunStream>;
  override streamEvents(input: unknown, options: LangChainEventOptions): never;
  override streamEvents(input: unknown, options: RemoteEventOptions | LangChainEventOptions): never {
    if (options?.version !== "v3") throw noEvents(options?.version);
    const { client, graphId, config, params } = this;
    return followRun({ client, graphId, config, params }, input, options) as never;
  }
  /** The state of a thread: the newest one, or that of `checkpoint_id`. */
  async getState(config: RunnableConfig, options?: GetStateOptions): Promise<StateSnapshot<unknown>> {
    const { merged, thread, signal } = this.#threadIn("getState", config);
    const state = await asking(
      `The state of thread "${thread}"`,
      () => this.client.threads.getState(thread, checkpointOf(merged), { ...options, ...signal }),
      signal.signal,
    );
    return snapshotOf(state, merged);
  }

  /** States of a thread, newest first. Default limit: 10. */
  async *getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions | null,
  ): AsyncGenerator<StateSnapshot<unknown>> {
    const { merged, thread, signal } = this.#threadIn("getStateHistory", config);
    const asked = {
      limit: options?.limit ?? 10,
      before: checkpointOf(options?.before) as never,
      metadata: options?.filter as never,
      checkpoint: checkpointOf(merged) as never,
      ...signal,
    };
    const states = await asking(
      `The history of thread "${thread}"`,
      () => this.client.threads.getHistory(thread, asked),
      signal.signal,
    );
    for (const state of states) yield snapshotOf(state, merged);
  }

  /**
   * Writes to a thread's state as if a node had written it.
   *
   * @param asNode - default: the node that ran last
   * @returns names the new state
   */
  async updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig> {
    const { merged, thread, signal } = this.#threadIn("updateState", config);
    const update = {
      values: inputToJson(values, "values") as Record<string, unknown>,
      ...(asNode === undefined ? {} : { asNode }),
      checkpoint: checkpointOf(merged) as never,
      ...signal,
    };
    const updated = await asking(
      `The update of thread "${thread}"`,
      () => this.client.threads.updateState(thread, update),
      signal.signal,
    );
    // the SDK's type speaks of a config; servers give the new checkpoint
    return configOf((updated as { checkpoint?: Checkpoint }).checkpoint);
  }

  /** @throws GraphError: a server cannot be asked at once. Use {@link getGraphAsync}. */
  override getGraph(_config?: RunnableConfig): never {
    throw notAtOnce("getGraph");
  }
  /** The graph to be drawn. @param options - `xray`: with what is in its nodes, so many levels deep */
  async getGraphAsync(options?: RunnableConfig & DrawOptions): Promise<DrawableGraph> {
    const heeded = signalIn(mergeConfigs(this.config, options) as RunnableConfig);
    const { nodes, edges } = await asking(
      `The drawing of graph "${this.graphId}"`,
      () => this.client.assistants.getGraph(this.graphId, { xray: options?.xray as never, ...heeded }),
      heeded.signal,
    );
    return new DrawableGraph({ nodes: drawableNodes(nodes), edges });
  }
  /** @throws GraphError: a server cannot be asked at once. Use {@link getSubgraphsAsync}. */
  getSubgraphs(): never {
    throw notAtOnce("getSubgraphs");
  }
  /**
   * The graphs that nodes call, by the names of the nodes on the way, joined with "|".
   *
   * @param namespace - only the one at this place
   * @param recurse - also the graphs that those call. Default: false
   */
  async *getSubgraphsAsync(namespace?: string, recurse = false): AsyncGenerator<[string, RemoteGraph]> {
    const found = await asking(`The subgraphs of graph "${this.graphId}"`, () =>
      this.client.assistants.getSubgraphs(this.graphId, {
        ...(namespace === undefined ? {} : { namespace }),
        recurse,
      }),
    );
    for (const [place, { graph_id: graphId }] of Object.entries(found))
      yield [place, this.#like({ graphId })];
  }

  #threadIn(what: string, config: RunnableConfig): Asked {
    const merged = mergeConfigs(this.config, config) as RunnableConfig;
    const thread = threadOf(merged);
    if (thread !== undefined) return { merged, thread, signal: signalIn(merged) };
    throw new GraphError(
      "MISSING_THREAD_ID",
      `${what}() of a remote graph needs to know the thread. Pass {configurable: {thread_id: ...}}.`,
    );
  }
}

/** What a question about a thread says. */
interface Asked {
  readonly merged: RunnableConfig;
  readonly thread: string;
  readonly signal: { readonly signal?: AbortSignal };
}

/** The signal of a question, its `timeout` included. */
function signalIn({ signal, timeout }: RunnableConfig): Asked["signal"] {
  const given = {
    ...(signal === undefined ? {} : { signal }),
    ...(timeout === undefined ? {} : { timeout }),
  };
  const { signal: heeded } = ensureConfig(given);
  return heeded === undefined ? {} : { signal: heeded };
}

function clientFor({ url, apiKey, headers }: RemoteGraphParams): Client {
  return new Client({
    callerOptions: { fetch: fetchUntilAborted },
    ...(url === undefined ? {} : { apiUrl: url }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
  });
}

function noEvents(version: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A remote graph has no events of version "${String(version)}". Use version "v3", or stream().`,
  );
}

function notAtOnce(method: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A remote graph has no ${method}(): its server must be asked. Use ${method}Async().`,
  );
}

type Drawn = Awaited<ReturnType<Client["assistants"]["getGraph"]>>["nodes"];

function drawableNodes(nodes: Drawn): DrawableGraph["nodes"] {
  return Object.fromEntries(
    nodes.map(({ id, data }) => {
      const name = typeof data === "string" ? data : ((data?.["name"] as string | undefined) ?? "");
      const metadata = typeof data === "string" ? {} : ((data?.["metadata"] as object | undefined) ?? {});
      return [id, { id: String(id), name, data: (data ?? {}) as never, metadata }];
    }),
  );
}
