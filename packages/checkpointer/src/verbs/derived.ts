import { wait, type Steps } from "../awaitable.ts";
import type { Awaitable } from "../changeset/types.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { StoredNamespace } from "./stored-thread.ts";

/** An object as it is stored: plain data. A message has its `id`, `content` and `additional_kwargs`. */
export type StoredObject = Readonly<Record<string, unknown>>;

/** A message that is being erased in one thread, and what may have been made of it. */
export interface ErasedMessage {
  readonly messageId: string;
  /** All objects that matched. */
  readonly found: readonly StoredObject[];
  /** Values of the channels at the end of each branch, subgraphs among them; the message is still in them. */
  readonly states: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Knows what is made of messages in other words, such as summaries. A saver by itself follows only
 * quotes.
 */
export interface Derivations {
  /** Whether an object is such a value. Asked of every object that is stored in a thread, nested ones too. */
  matches(value: StoredObject): boolean;
  /**
   * Called once for a thread in which something matched.
   *
   * @returns gives what stands in the place of a match; the match itself if it was not made of the message
   */
  rewrite(erased: ErasedMessage): Awaitable<(value: StoredObject) => StoredObject>;
}

/** The values of all channels at the end of each branch of a thread. */
export function* statesAtTips(
  log: ItemLog,
  threadId: string,
  namespaces: readonly StoredNamespace[],
): Steps<Record<string, unknown>[]> {
  const states: Record<string, unknown>[] = [];
  for (const { row, checkpoints } of namespaces) {
    const parents = new Set(checkpoints.map(({ parent }) => parent));
    for (const { seq, id } of checkpoints) {
      if (parents.has(seq)) continue;
      const address = { threadId, namespace: row.namespace, checkpointId: id };
      const { checkpoint } = yield* wait(log.open(address));
      const values: [string, unknown][] = [];
      for (const [name, channel] of checkpoint?.channels ?? [])
        values.push([name, yield* wait(channel.load())]);
      // entries, because a channel may have any name
      states.push(Object.fromEntries(values));
    }
  }
  return states;
}
