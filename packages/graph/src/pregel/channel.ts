import { _coerceToRunnable, Runnable } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { ChannelWrite, type ChannelWriteEntry } from "./channel-write.ts";
import { PregelNode } from "./pregel-node.ts";

export interface MultipleChannelSubscriptionOptions {
  /** Tags of the node's runs. */
  tags?: string[];
}

export interface SingleChannelSubscriptionOptions extends MultipleChannelSubscriptionOptions {
  /** Give the value under this key of an object. Default: bare. */
  key?: string;
}

function subscribeTo(channel: string, options?: SingleChannelSubscriptionOptions): PregelNode;
function subscribeTo(channels: string[], options?: MultipleChannelSubscriptionOptions): PregelNode;
/**
 * Begins a node that runs when a channel changed. Subscribed to several, it runs when one of them
 * changed and all of them have a value, and gets an object of them.
 *
 * @throws GraphError INVALID_CONFIGURATION for a key with several channels
 */
function subscribeTo(
  channels: string | string[],
  { key, tags }: SingleChannelSubscriptionOptions = {},
): PregelNode {
  if (!Array.isArray(channels)) {
    const read = key === undefined ? [channels] : { [key]: channels };
    return new PregelNode({ channels: read, triggers: [channels], tags });
  }
  if (key !== undefined) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      'A "key" is for a single channel: several are given under their own names.',
    );
  }
  const read = Object.fromEntries(channels.map((channel) => [channel, channel]));
  return new PregelNode({ channels: read, triggers: [...channels], tags });
}

/**
 * Writes a node's result to channels. Of `writes`, a function or Runnable gets the result, and what it
 * returns is written unless that is undefined; any other value is written as it is.
 *
 * @throws InvalidUpdateError for a channel of the engine's own
 */
function writeTo(channels: string[], writes: Record<string, unknown> = {}): ChannelWrite {
  const results = channels.map((channel): ChannelWriteEntry => ({ kind: "result", channel }));
  const others = Object.entries(writes).map(([channel, value]): ChannelWriteEntry => {
    if (typeof value !== "function" && !Runnable.isRunnable(value))
      return { kind: "constant", channel, value };
    return { kind: "mapped", channel, mapper: _coerceToRunnable(value as never) };
  });
  return new ChannelWrite([...results, ...others]);
}

/**
 * How a program built by hand is wired.
 *
 * @example
 * const shout = Channel.subscribeTo("said")
 *   .pipe((text: string) => text.toUpperCase())
 *   .pipe(Channel.writeTo(["shouted"]));
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- LangGraph's name for the two
export class Channel {
  static subscribeTo: typeof subscribeTo = subscribeTo;
  static writeTo: typeof writeTo = writeTo;
}
