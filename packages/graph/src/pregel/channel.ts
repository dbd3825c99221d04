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

function subscribeTo(channel: string, options?: SingleChannelSubscriptionOptions | null): PregelNode;
function subscribeTo(channels: string[], options?: MultipleChannelSubscriptionOptions | null): PregelNode;
/**
 * Begins a node that runs when a channel changed. Subscribed to several, it runs when one of them
 * changed and all of them have a value, and gets an object of them.
 *
 * @throws GraphError INVALID_CONFIGURATION for a key with several channels, and for what names none
 */
function subscribeTo(
  channels: string | string[],
  options?: SingleChannelSubscriptionOptions | null,
): PregelNode {
  const { key, tags } = options ?? {};
  if (typeof channels === "string") {
    const read = key === undefined ? [channels] : { [key]: channels };
    return new PregelNode({ channels: read, triggers: [channels], tags });
  }
  if (!isNames(channels)) throw noNames("subscribeTo", "the name of a channel, or a list of them");
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
 * @throws GraphError INVALID_CONFIGURATION for what is no list of names
 */
function writeTo(channels: string[], writes?: Record<string, unknown> | null): ChannelWrite {
  if (!isNames(channels)) throw noNames("writeTo", "a list of channels' names");
  const results = channels.map((channel): ChannelWriteEntry => ({ kind: "result", channel }));
  const others = Object.entries(writes ?? {}).map(([channel, value]): ChannelWriteEntry => {
    if (typeof value !== "function" && !Runnable.isRunnable(value))
      return { kind: "constant", channel, value };
    return { kind: "mapped", channel, mapper: _coerceToRunnable(value as never) };
  });
  return new ChannelWrite([...results, ...others]);
}

function isNames(given: unknown): given is string[] {
  return Array.isArray(given) && given.every((name) => typeof name === "string");
}

function noNames(method: string, wanted: string): GraphError {
  return new GraphError("INVALID_CONFIGURATION", `Channel.${method}() takes ${wanted}.`);
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
