import type { Task } from "../engine/task.ts";
import { pushTo } from "../channels/push-to.ts";
import type { Program, Write } from "../program/program.ts";
import { merged } from "../run/handback.ts";

/**
 * What a task wrote, read from storage, as it was shown when it ended: of a graph that is a node each
 * write to a key that its caller merges is stored, and one value stands for them.
 */
export function asShown(
  { node }: Task,
  writes: readonly Write[],
  { channels }: Pick<Program, "channels">,
): readonly Write[] {
  if (!node.subgraphs.includes(node.runnable)) return writes;
  const byKey = new Map<string, unknown[]>();
  for (const [key, value] of writes) pushTo(byKey, key, value);
  if (byKey.size === writes.length) return writes;
  return [...byKey].map(([key, values]): Write => {
    if (values.length === 1) return [key, values[0]];
    const channel = channels.get(key);
    const several = { $writes: values };
    return [key, channel === undefined ? several : merged(channel, values, several)];
  });
}
