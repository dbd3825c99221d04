import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CHANGE_SETS } from "../changeset/types.ts";
import { defaultCodec } from "../codec/codec.ts";
import type { Codec } from "../codec/types.ts";
import { canonicalText } from "../codec/same-text.ts";
import { unknownCheckpoint } from "../core/commits.ts";
import { givenId, givenThreadId } from "../core/given.ts";
import { requireSaver } from "../core/given-saver.ts";
import { idOf } from "../core/hash.ts";
import { ItemLog } from "../core/item-log.ts";

/** What differs between two checkpoints, by channel. */
export interface CheckpointDiff {
  readonly added: Readonly<Record<string, unknown>>;
  readonly removed: Readonly<Record<string, unknown>>;
  readonly changed: Readonly<Record<string, ChannelDiff>>;
}

/** How the value of one channel changed; lists by their elements. */
export type ChannelDiff =
  | { readonly kind: "value"; readonly before: unknown; readonly after: unknown }
  /** Elements with ids are compared by id, others by what they hold; each as often as it occurs. */
  | {
      readonly kind: "list";
      readonly added: readonly unknown[];
      readonly removed: readonly unknown[];
      readonly changed: readonly { readonly before: unknown; readonly after: unknown }[];
    };

/**
 * How the state at one checkpoint became the state at another. Works over any saver; values are compared as
 * one of this package stores them, by its codec, and those of another saver as `defaultCodec` stores them.
 * The order of an object's keys makes no difference.
 *
 * @throws GraphError UNKNOWN_CHECKPOINT, or INVALID_CONFIGURATION for ids that are none
 * @example
 * const { changed } = await diffCheckpoints(saver, "thread", before, after);
 */
export async function diffCheckpoints(
  saver: BaseCheckpointSaver,
  threadId: string,
  from: string,
  to: string,
): Promise<CheckpointDiff> {
  requireSaver(saver);
  const thread = givenThreadId(threadId);
  const before = await valuesAt(saver, thread, givenId(from, "The id of a checkpoint"));
  const after = await valuesAt(saver, thread, givenId(to, "The id of a checkpoint"));
  const codec = codecOf(saver);
  const added: [string, unknown][] = [];
  const removed: [string, unknown][] = [];
  const changed: [string, ChannelDiff][] = [];
  for (const channel of Object.keys(after)) {
    if (!Object.hasOwn(before, channel)) added.push([channel, after[channel]]);
    else if (!same(codec, before[channel], after[channel]))
      changed.push([channel, channelDiff(before[channel], after[channel], codec)]);
  }
  for (const channel of Object.keys(before)) {
    if (!Object.hasOwn(after, channel)) removed.push([channel, before[channel]]);
  }
  // entries, because a channel may have any name
  return {
    added: Object.fromEntries(added),
    removed: Object.fromEntries(removed),
    changed: Object.fromEntries(changed),
  };
}

async function valuesAt(
  saver: BaseCheckpointSaver,
  threadId: string,
  checkpointId: string,
): Promise<Record<string, unknown>> {
  const configurable = { thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId };
  const tuple = await saver.getTuple({ configurable });
  if (tuple === undefined) throw unknownCheckpoint(threadId, checkpointId);
  return tuple.checkpoint.channel_values;
}

function codecOf(saver: BaseCheckpointSaver): Codec {
  const log = (saver as { [CHANGE_SETS]?: unknown })[CHANGE_SETS];
  return log instanceof ItemLog ? log.codec : defaultCodec;
}

function same(codec: Codec, a: unknown, b: unknown): boolean {
  const [one, other] = [codec.encode(a), codec.encode(b)];
  return one === other || canonicalText(one) === canonicalText(other);
}

function channelDiff(before: unknown, after: unknown, codec: Codec): ChannelDiff {
  if (!Array.isArray(before) || !Array.isArray(after)) return { kind: "value", before, after };
  const old = byName(before, codec);
  const now = byName(after, codec);
  const added: unknown[] = [];
  const changed: { before: unknown; after: unknown }[] = [];
  for (const [name, elements] of now) {
    for (const [at, element] of elements.entries()) {
      const was = old.get(name) ?? [];
      if (at >= was.length) added.push(element);
      else if (!same(codec, was[at], element)) changed.push({ before: was[at], after: element });
    }
  }
  const removed = [...old].flatMap(([name, elements]) => elements.slice(now.get(name)?.length ?? 0));
  // nothing but the order
  if (added.length + changed.length + removed.length === 0) return { kind: "value", before, after };
  return { kind: "list", added, removed, changed };
}

/** The elements of each name, in their order. */
function byName(list: readonly unknown[], codec: Codec): Map<string, unknown[]> {
  const named = new Map<string, unknown[]>();
  for (const element of list) {
    const id = idOf(element);
    const name = id === undefined ? `=${canonicalText(codec.encode(element))}` : `#${id}`;
    const others = named.get(name);
    if (others === undefined) named.set(name, [element]);
    else others.push(element);
  }
  return named;
}
