import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  BaseCheckpointSaver as Contract,
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  DeltaChannelHistory,
  PendingWrite,
  SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { extendsClass, hasMethods } from "./instance.ts";
import { JsonPlus } from "./json-plus.ts";

const METHODS = ["getTuple", "list", "put", "putWrites", "deleteThread", "getNextVersion"];

/**
 * What a checkpointer extends. The same contract as `BaseCheckpointSaver` of
 * @langchain/langgraph-checkpoint, and interchangeable with it: both engines take a saver of either
 * class, and savers of that one are `instanceof` this one.
 */
export abstract class BaseCheckpointSaver<V extends string | number = number> implements Contract<V> {
  /** How values become bytes. Default: as LangGraph's savers write them. */
  serde: SerializerProtocol;

  constructor(serde: SerializerProtocol = new JsonPlus()) {
    this.serde = serde;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return this === BaseCheckpointSaver ? hasMethods(value, METHODS) : extendsClass(value, this);
  }

  abstract getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined>;
  abstract list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;
  abstract put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig>;
  abstract putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void>;
  abstract deleteThread(threadId: string): Promise<void>;

  /** A name instead of what the saver is connected to, where a config is printed. */
  toJSON(): string {
    return `[${this.constructor.name}]`;
  }

  async get(config: RunnableConfig): Promise<Checkpoint | undefined> {
    return (await this.getTuple(config))?.checkpoint;
  }

  /**
   * What has to be replayed to get channels that are stored as their writes: for each, the nearest
   * ancestor's value that is stored as a whole, and the writes from there to the checkpoint, the oldest
   * first. A saver that can look them up at once overrides this walk from parent to parent.
   *
   * @throws GraphError INVALID_CONFIGURATION for what names no channels
   */
  async getDeltaChannelHistory(of: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const { config, channels } = (of as typeof of | null | undefined) ?? {};
    if (!Array.isArray(channels) || config === undefined) {
      throw new GraphError("INVALID_CONFIGURATION", "getDeltaChannelHistory() takes {config, channels}.");
    }
    if (channels.length === 0) return {};
    const walks = new Map(channels.map((name) => [name, new Walk()]));
    // LangGraph stores some of durability "exit" as their own parents
    const passed = new Set<string>();
    let tuple = await this.getTuple(config);
    while (tuple?.parentConfig !== undefined && [...walks.values()].some((walk) => !walk.ended)) {
      passed.add(tuple.checkpoint.id);
      tuple = await this.getTuple(tuple.parentConfig);
      if (tuple === undefined || passed.has(tuple.checkpoint.id)) break;
      for (const [name, walk] of walks) walk.pass(name, tuple);
    }
    return Object.fromEntries([...walks].map(([name, walk]) => [name, walk.history()]));
  }

  /** The version after another one. Override it for versions that are texts. */
  getNextVersion(current: V | undefined): V {
    if (typeof current !== "string") return (typeof current === "number" ? current + 1 : 1) as V;
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "The thread's versions are texts, and its saver counts in numbers. Override getNextVersion in the saver.",
    );
  }
}

/** Looks for what one channel is replayed from, from a checkpoint's parent upwards. */
class Walk {
  /** The writes under each ancestor that was passed, the youngest ancestor first. */
  readonly #passed: CheckpointPendingWrite[][] = [];
  #seed: { readonly seed: unknown } | undefined;

  get ended(): boolean {
    return this.#seed !== undefined;
  }
  pass(channel: string, { checkpoint, pendingWrites = [] }: CheckpointTuple): void {
    if (this.ended) return;
    const writes = pendingWrites.filter(([, name]) => name === channel);
    // the order of tasks' ids is that in which a step applies them
    this.#passed.push(writes.sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
    const { channel_values: values } = checkpoint;
    if (Object.hasOwn(values, channel)) this.#seed = { seed: values[channel] };
  }
  history(): DeltaChannelHistory {
    return { writes: this.#passed.toReversed().flat(), ...this.#seed };
  }
}
