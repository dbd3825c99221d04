import type { ChangeSet, ChannelChange } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import { noting } from "./noting.ts";

/** What objects said when a change set came. */
export type Texts = ReadonlyMap<object, string>;

/**
 * A change set that is planned later than it came: behind another one that is on its way to the server, or behind
 * a read. The program goes on meanwhile, and may edit in place what it wrote.
 */
export interface TakenChange extends ChangeSet {
  readonly texts?: Texts | undefined;
}

/** @throws GraphError UNSTORABLE_VALUE as storing does */
export function taken(codec: Codec, change: ChangeSet): TakenChange {
  const texts = new Map<object, string>();
  const take = (value: unknown): void => {
    if (isObject(value) && !texts.has(value)) texts.set(value, codec.encode(value));
  };
  for (const part of change.channels.values()) valuesIn(part).forEach(take);
  for (const { writes } of change.writes) {
    // a list of what was taken is written as references, in whatever state they are
    for (const [, value] of writes) if (!isListOf(value, texts)) take(value);
  }
  return { ...change, texts };
}

function valuesIn(change: ChannelChange): readonly unknown[] {
  switch (change.op) {
    case "clear":
      return [];
    case "set":
      return [change.value];
    case "list":
      return change.segments.flatMap((segment) => ("add" in segment ? segment.add : []));
    case "log":
      return change.entries.flatMap((entry) => ("add" in entry ? [entry.add] : []));
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const isListOf = (value: unknown, texts: Texts): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((element) => isObject(element) && texts.has(element));

/** A codec that writes objects as they were when they were taken, but for those of which parts became items. */
export function codecOf(codec: Codec, texts: Texts): Codec {
  return {
    encode(value, reference) {
      const text = isObject(value) ? texts.get(value) : undefined;
      if (text === undefined || reference === undefined) return text ?? codec.encode(value, reference);
      const noted = noting(reference);
      const referring = codec.encode(value, noted.reference);
      return noted.refers ? referring : text;
    },
    decode: (text) => codec.decode(text),
    revive: (tree, resolve) => codec.revive(tree, resolve),
    ...(codec.plainLater !== undefined && { plainLater: codec.plainLater }),
  };
}
