import type { ChangeSet, ChannelChange } from "../changeset/types.ts";
import { encodeIn } from "../codec/refused.ts";
import type { Codec } from "../codec/types.ts";
import type { WriteRow } from "./backend.ts";
import { contentOf, type Known } from "./known.ts";
import { textWithItems } from "./noting.ts";

/** What an object said, and its content, where it is a message. */
export interface Said {
  readonly text: string;
  readonly content: unknown;
}

/** What the objects of a change set said when it came, or when it was planned first. */
export interface Told {
  readonly said: ReadonlyMap<object, Said>;
  /** The elements that written lists had, where all of them become items: they have no text of their own. */
  readonly lists: ReadonlyMap<object, readonly object[]>;
  /** Items that were unchanged then. */
  readonly same?: ReadonlyMap<object, Known> | undefined;
  /** The rows of the writes, where they were planned before. */
  readonly rows?: readonly WriteRow[];
}

/**
 * A change set that is planned later than it came: behind another one that is on its way to the server, or behind
 * a read. The program goes on meanwhile, and may edit in place what it wrote.
 */
export interface TakenChange extends ChangeSet {
  readonly told?: Told | undefined;
}

/** @throws GraphError UNSTORABLE_VALUE as storing does */
export function taken(
  codec: Codec,
  { channels, writes: tasks }: Pick<ChangeSet, "channels" | "writes">,
): Told {
  const said = new Map<object, Said>();
  const lists = new Map<object, readonly object[]>();
  const take = (channel: string, value: unknown): void => {
    if (isObject(value) && !said.has(value))
      said.set(value, { text: encodeIn(channel, codec, value), content: contentOf(value) });
  };
  for (const [channel, part] of channels) for (const element of elementsIn(part)) take(channel, element);
  // so far these are objects that become items
  for (const { writes } of tasks) {
    for (const [, value] of writes) if (isListOf(value, said)) lists.set(value, [...value]);
  }
  for (const { writes } of tasks) {
    for (const [channel, value] of writes) if (!isObject(value) || !lists.has(value)) take(channel, value);
  }
  for (const [channel, part] of channels) if (part.op === "set") take(channel, part.value);
  return { said, lists };
}

function elementsIn(change: ChannelChange): readonly unknown[] {
  switch (change.op) {
    case "clear":
    case "set":
      return NOTHING;
    case "list":
      return change.segments.flatMap((segment) => ("add" in segment ? segment.add : NOTHING));
    case "log":
      return change.entries.flatMap((entry) => ("add" in entry ? [entry.add] : NOTHING));
  }
}
const NOTHING: readonly unknown[] = [];

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function isListOf(value: unknown, said: Told["said"]): value is readonly object[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  // not `every`, which passes over holes, however many there are
  for (const element of value) if (!isObject(element) || !said.has(element)) return false;
  return true;
}

/** A codec that writes objects as they were when they were taken. */
export function codecOf(codec: Codec, { said, lists }: Told): Codec {
  return {
    encode(value, reference) {
      if (!isObject(value)) return codec.encode(value, reference);
      const text = said.get(value)?.text;
      if (text === undefined) return codec.encode(lists.get(value) ?? value, reference);
      if (reference === undefined) return text;
      if (reference(value) !== undefined) return codec.encode(value, reference);
      return textWithItems(codec, value, text, reference) ?? text;
    },
    decode: (text) => codec.decode(text),
    revive: (tree, resolve) => codec.revive(tree, resolve),
    ...(codec.plainLater !== undefined && { plainLater: codec.plainLater }),
  };
}
