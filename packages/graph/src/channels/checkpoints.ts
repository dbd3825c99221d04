import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  BaseCheckpointSaver as Saver,
  Checkpoint,
  DeltaChannelHistory,
} from "@langchain/langgraph-checkpoint";
import { BaseCheckpointSaver, DeltaSnapshot, newCheckpointId } from "@skein/checkpointer/base";
import { GraphError } from "@skein/errors";
import { timestamp } from "../ids/timestamp.ts";
import { type BaseChannel, isChannel } from "./base.ts";
import { isDeltaChannel } from "./delta.ts";

/** Definitions of channels by name; entries that are no channels are left out. */
export type ChannelDefinitions = Readonly<Record<string, unknown>>;

/** Live channels with what a checkpoint holds of them. */
export function emptyChannels(
  definitions: ChannelDefinitions,
  checkpoint: Pick<Checkpoint, "channel_values">,
): Record<string, BaseChannel> {
  const channels: [string, BaseChannel][] = [];
  for (const [name, definition] of Object.entries(definitions)) {
    if (!isChannel(definition)) continue;
    const values = checkpoint.channel_values;
    channels.push([name, definition.fromCheckpoint(Object.hasOwn(values, name) ? values[name] : undefined)]);
  }
  return Object.fromEntries(channels);
}

/**
 * The same, with the saver at hand: what a checkpoint does not hold of a delta channel is replayed
 * from the writes of its ancestors.
 */
export async function channelsFromCheckpoint(
  definitions: ChannelDefinitions,
  checkpoint: Pick<Checkpoint, "channel_values">,
  options: { saver?: Saver; config?: RunnableConfig } = {},
): Promise<Record<string, BaseChannel>> {
  const channels = emptyChannels(definitions, checkpoint);
  const { saver, config } = options;
  const absent = Object.entries(channels).filter(
    ([name, channel]) => isDeltaChannel(channel) && !Object.hasOwn(checkpoint.channel_values, name),
  );
  if (absent.length === 0 || saver === undefined || config === undefined) return channels;
  const histories = await deltaHistories(saver, { config, channels: absent.map(([name]) => name) });
  for (const [name, channel] of absent) {
    const history = histories[name];
    if (history === undefined) continue;
    channels[name] = channel.replay(
      history.seed,
      history.writes.map(([, , write]) => write),
    );
  }
  return channels;
}

/**
 * What delta channels are replayed from. Only a saver that extends our class is asked by its own method: that
 * of LangGraph's class, which others extend, never ends at a checkpoint that is its own parent.
 */
export function deltaHistories(
  saver: Saver,
  of: { config: RunnableConfig; channels: string[] },
): Promise<Record<string, DeltaChannelHistory>> {
  const base = BaseCheckpointSaver.prototype;
  const extendsOurs = Object.prototype.isPrototypeOf.call(base, saver);
  return (extendsOurs ? saver : base).getDeltaChannelHistory.call(saver, of);
}

/** Names of the delta channels that are to be stored as a whole, by updates and supersteps so far. */
export function deltaChannelsToSnapshot(
  channels: ChannelDefinitions,
  counters: Readonly<Record<string, readonly [updates: number, steps: number]>>,
): Set<string> {
  const due = Object.entries(channels).filter(([name, channel]) => {
    const [updates, steps] = counters[name] ?? [0, 0];
    return isDeltaChannel(channel) && isSnapshotDue(channel, updates, steps);
  });
  return new Set(due.map(([name]) => name));
}

/**
 * Supersteps after which a channel is stored as a whole even if nobody writes it. Both engines read
 * the limit from LangGraph's variable, so that a thread that they share is replayed from as near.
 */
function mostSteps(): number {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const given = Number.parseInt(process?.env?.["LANGGRAPH_DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT"] ?? "", 10);
  return given > 0 ? given : 5000;
}

/** Whether a channel that is stored as its writes is to be stored as a whole now. */
export function isSnapshotDue(channel: BaseChannel, updates: number, steps: number): boolean {
  if (!channel.isAvailable()) return false;
  return updates >= (channel.snapshotEvery ?? Infinity) || steps >= mostSteps();
}

export interface CreateCheckpointOptions {
  /** Default: a new one. */
  readonly id?: string | undefined;
  /** Delta channels to store as a whole. */
  readonly channelsToSnapshot?: ReadonlySet<string>;
  /** Channels that have a new version already. */
  readonly updatedChannels?: ReadonlySet<string> | undefined;
  readonly getNextVersion?: ((current: number | string | undefined) => number | string) | undefined;
}

/** A checkpoint after another one, with what the channels hold now; without channels, as it was. */
export function createCheckpoint(
  checkpoint: Checkpoint,
  channels: Readonly<Record<string, BaseChannel>> | undefined,
  step: number,
  options: CreateCheckpointOptions = {},
): Checkpoint {
  const { channelsToSnapshot = new Set(), updatedChannels, getNextVersion } = options;
  let values = checkpoint.channel_values;
  const versions = { ...checkpoint.channel_versions };
  if (channels !== undefined) {
    const stored: [string, unknown][] = [];
    for (const [name, channel] of Object.entries(channels)) {
      const whole = channelsToSnapshot.has(name);
      if (whole && getNextVersion !== undefined && !updatedChannels?.has(name)) {
        versions[name] = getNextVersion(versions[name]) as number;
      }
      const value = whole ? new DeltaSnapshot(channel.get()) : channel.stored();
      if (value !== undefined) stored.push([name, value]);
    }
    values = Object.fromEntries(stored);
  }
  return {
    v: 4,
    id: options.id ?? newCheckpointId(step),
    ts: timestamp(),
    channel_values: values,
    channel_versions: versions,
    versions_seen: checkpoint.versions_seen,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Task id of a delta channel's write in a step that was not stored: ids sort by step.
 *
 * @throws GraphError when the task id is no UUID
 */
export function exitDeltaTaskId(step: number, taskId: string): string {
  if (!UUID.test(taskId)) {
    throw new GraphError("INVALID_CONFIGURATION", `"${taskId}" is no UUID.`, { details: { taskId } });
  }
  const [, ...rest] = taskId.toLowerCase().split("-");
  return [String(step).padStart(8, "0"), ...rest].join("-");
}
