import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { unknownCheckpoint } from "../core/commits.ts";
import { givenId, givenThreadId } from "../core/given.ts";
import { requireSaver } from "../core/given-saver.ts";
import { defaultCodec } from "../codec/codec.ts";
import { idOf } from "../core/hash.ts";

/** What differs between two checkpoints, by channel. */
export interface CheckpointDiff {
  readonly added: Readonly<Record<string, unknown>>;
  readonly removed: Readonly<Record<string, unknown>>;
  readonly changed: Readonly<Record<string, ChannelDiff>>;
}

/** How the value of one channel changed; lists by their elements. */
export type ChannelDiff =
  | { readonly kind: "value"; readonly before: unknown; readonly after: unknown }
  /** Elements with ids are compared by id, others by what they hold. */
  | {
      readonly kind: "list";
      readonly added: readonly unknown[];
      readonly removed: readonly unknown[];
      readonly changed: readonly { readonly before: unknown; readonly after: unknown }[];
    };

/**
 * How the state at one checkpoint became the state at another. Works over any saver.
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
  const added: [string, unknown][] = [];
  const removed: [string, unknown][] = [];
  const changed: [string, ChannelDiff][] = [];
  for (const channel of Object.keys(after)) {
    if (!Object.hasOwn(before, channel)) added.push([channel, after[channel]]);
    else if (!same(before[channel], after[channel]))
      changed.push([channel, channelDiff(before[channel], after[channel])]);
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

const same = (a: unknown, b: unknown): boolean => defaultCodec.encode(a) === defaultCodec.encode(b);

function channelDiff(before: unknown, after: unknown): ChannelDiff {
  if (!Array.isArray(before) || !Array.isArray(after)) return { kind: "value", before, after };
  const old = byName(before);
  const now = byName(after);
  const added: unknown[] = [];
  const changed: { before: unknown; after: unknown }[] = [];
  for (const [name, element] of now) {
    if (!old.has(name)) added.push(element);
    else if (!same(old.get(name), element)) changed.push({ before: old.get(name), after: element });
  }
  const removed = [...old].flatMap(([name, element]) => (now.has(name) ? [] : [element]));
  // nothing but the order, or how often something occurs
  if (added.length + changed.length + removed.length === 0) return { kind: "value", before, after };
  return { kind: "list", added, removed, changed };
}

function byName(list: readonly unknown[]): Map<string, unknown> {
  return new Map(
    list.map((element) => {
      const id = idOf(element);
      return [id === undefined ? `=${defaultCodec.encode(element)}` : `#${id}`, element];
    }),
  );
}
