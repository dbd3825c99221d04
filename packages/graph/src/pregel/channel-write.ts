import { Runnable, type RunnableConfig, type RunnableLike } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { InvalidUpdateError } from "../errors/errors.ts";
import { TASKS } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import { requireConfig } from "../task/ambient.ts";
import { taskOf } from "../task/config.ts";

/** A channel to write, and what: the node's result, what a mapper makes of it, or always the same. */
export type ChannelWriteEntry =
  | { readonly kind: "result"; readonly channel: string }
  /** Writes nothing when the mapper answers undefined. */
  | { readonly kind: "mapped"; readonly channel: string; readonly mapper: Runnable }
  | { readonly kind: "constant"; readonly channel: string; readonly value: unknown };

/**
 * Writes what it is given to channels, and hands it on. Made by `Channel.writeTo`; stands at the end
 * of a {@link PregelNode}, or anywhere in the runnables of one.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- writers stand behind whatever a node returns
export class ChannelWrite<RunInput = any> extends Runnable<RunInput, RunInput> {
  lc_namespace = ["langgraph", "pregel"];
  readonly writes: readonly ChannelWriteEntry[];

  /** @throws GraphError for what is no list; InvalidUpdateError for the channel of pending Sends, which is the engine's own */
  constructor(writes: readonly ChannelWriteEntry[]) {
    super();
    if (!Array.isArray(writes) || writes.some((write) => typeof write !== "object" || write === null)) {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        "ChannelWrite takes a list of writes, as Channel.writeTo() makes.",
      );
    }
    if (writes.some(({ channel }) => channel === TASKS)) {
      throw new InvalidUpdateError(
        `"${TASKS}" is written by the engine only. Write to a channel of your own.`,
        {
          code: "RESERVED_NAME",
          details: { channel: TASKS },
        },
      );
    }
    this.writes = writes;
    this.name = `ChannelWrite<${writes.map(({ channel }) => channel).join(",")}>`;
  }
  static isWriter(runnable: RunnableLike): runnable is ChannelWrite {
    return runnable instanceof ChannelWrite;
  }
  /** What it writes of a result. Answers at once unless a mapper is asked. */
  entries(result: unknown, config: RunnableConfig): Awaitable<Write[]> {
    if (this.writes.some(({ kind }) => kind === "mapped")) return this.#mapped(result, config);
    return this.writes.map((entry): Write => [
      entry.channel,
      entry.kind === "constant" ? entry.value : result,
    ]);
  }
  async #mapped(result: unknown, config: RunnableConfig): Promise<Write[]> {
    const writes: Write[] = [];
    for (const entry of this.writes) {
      if (entry.kind === "constant") writes.push([entry.channel, entry.value]);
      else if (entry.kind === "result") writes.push([entry.channel, result]);
      else {
        const value: unknown = await entry.mapper.invoke(result, config);
        if (value !== undefined) writes.push([entry.channel, value]);
      }
    }
    return writes;
  }
  /**
   * Writes in the node that is running.
   *
   * @throws GraphError OUTSIDE_RUN outside of nodes
   */
  override async invoke(input: RunInput, options?: Partial<RunnableConfig>): Promise<RunInput> {
    const config = requireConfig("Channel.writeTo()", options as never);
    const task = taskOf(config);
    if (task === undefined) {
      throw new GraphError("OUTSIDE_RUN", "Channel.writeTo() writes within a node of a running graph only.");
    }
    const entries = await this.entries(input, config as RunnableConfig);
    (task.pushed ??= []).push(...entries);
    return input;
  }
}
