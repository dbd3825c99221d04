import type { Awaitable } from "@skein/checkpointer";
import { forAll } from "../channels/and-then.ts";
import type { BaseChannel, WriteOrigin } from "../channels/base.ts";
import { SIGNALS } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Makes writes final, once, when they are recorded: ids are given and plain messages coerced, so
 * that the object in the write is the object in the list (C3). The array is the same if nothing
 * had to be done.
 *
 * @param caller - where the writes come from, if a graph is given them
 * @throws InvalidUpdateError when a channel refuses a write
 */
export function prepareWrites(
  snapshot: Snapshot,
  writes: readonly Write[],
  origin: WriteOrigin,
  caller?: Snapshot,
): readonly Write[] {
  let prepared: Write[] | undefined;
  for (let i = 0; i < writes.length; i += 1) {
    const [channel, value] = writes[i] as Write;
    if (SIGNALS.has(channel)) continue;
    const slot = snapshot.slot(channel);
    if (slot === undefined) continue;
    snapshot.assertDirect(slot);
    const ready = slot.channel.prepare(value, origin, caller?.slot(channel)?.channel);
    if (ready === value) continue;
    prepared ??= [...writes];
    prepared[i] = [channel, ready];
  }
  return prepared ?? writes;
}

/** Lets channels that keep a log look up in it what writes from outside name, before those are prepared. */
export function consultLogs(
  snapshot: Snapshot,
  writes: Iterable<readonly [string, unknown]>,
): Awaitable<void> {
  return forAll(writes, ([name, value]) => {
    const log = logOf(snapshot, name);
    return log && snapshot.slot(name)?.channel.consult(value, log);
  });
}

/** The log that gets the echo of a channel. */
export function logOf(snapshot: Snapshot, name: string): BaseChannel | undefined {
  const echo = snapshot.program.channels.get(name)?.echo;
  return echo ? snapshot.slot(echo)?.channel : undefined;
}

/** An input without what its channels, which have been consulted, don't let into the storage. */
export function postedInput(snapshot: Snapshot, input: object): object {
  let posted: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(input)) {
    const slot = snapshot.program.channels.has(name) ? snapshot.slot(name) : undefined;
    const kept = slot === undefined ? value : slot.channel.posted(value);
    if (kept !== value) posted = { ...(posted ?? input), [name]: kept };
  }
  return posted ?? input;
}
