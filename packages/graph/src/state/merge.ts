import { shown } from "@skein/errors";
import { type ChannelSpec, isChannel } from "../channels/base.ts";
import { CHANNEL_FIELD, type ChannelField, isChannelField } from "../channels/field.ts";
import type { BaseChannel } from "../channels/base.ts";
import { adopted } from "./adopted.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { noChannel } from "./no-channel.ts";

/** The channel that an entry of a state definition stands for. */
export function toChannel(key: string, spec: ChannelSpec | ChannelField): BaseChannel {
  if (isChannelField(spec)) return spec[CHANNEL_FIELD].channel();
  const channel = typeof spec === "function" ? spec() : spec;
  if (isChannel(channel)) return adopted(key, channel);
  throw noChannel(key);
}

/**
 * Merges an update into a state with the reducers of its keys (A4). Keys that the definition does
 * not know are left out.
 */
export function mergeState(
  definition: Readonly<Record<string, ChannelSpec | ChannelField>>,
  state: Readonly<Record<string, unknown>>,
  update: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  for (const [what, given] of Object.entries({ state, update })) {
    if (typeof given === "object" && (given as unknown) !== null) continue;
    throw new InvalidUpdateError(
      `merge() takes a state and an update of it; the ${what} is ${shown(given)}.`,
    );
  }
  const merged: [string, unknown][] = [];
  for (const [key, spec] of Object.entries(definition)) {
    const channel = toChannel(key, spec).fromCheckpoint(Object.hasOwn(state, key) ? state[key] : undefined);
    if (Object.hasOwn(update, key)) channel.update([channel.prepare(update[key], "update")]);
    if (channel.isAvailable()) merged.push([key, channel.get()]);
  }
  return Object.fromEntries(merged);
}
