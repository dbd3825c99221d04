import type { WriteOrigin } from "../channels/base.ts";
import { SIGNALS } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Makes writes final, once, when they are recorded: ids are given and plain messages coerced, so
 * that the object in the write is the object in the list (C3). The array is the same if nothing
 * had to be done.
 *
 * @throws InvalidUpdateError when a channel refuses a write
 */
export function prepareWrites(
  snapshot: Snapshot,
  writes: readonly Write[],
  origin: WriteOrigin,
): readonly Write[] {
  let prepared: Write[] | undefined;
  for (let i = 0; i < writes.length; i += 1) {
    const [channel, value] = writes[i] as Write;
    if (SIGNALS.has(channel)) continue;
    const slot = snapshot.slot(channel);
    if (slot === undefined) continue;
    snapshot.assertDirect(slot);
    const ready = slot.channel.prepare(value, origin);
    if (ready === value) continue;
    prepared ??= [...writes];
    prepared[i] = [channel, ready];
  }
  return prepared ?? writes;
}
