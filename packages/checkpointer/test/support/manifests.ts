import * as fc from "fast-check";
import { type Folded, seenPairs } from "../../src/manifest/fold.ts";
import {
  type ChannelVersion,
  type Entry,
  type Flat,
  type Manifest,
  pairsOf,
} from "../../src/manifest/manifest.ts";
import { triggerOf } from "../../src/manifest/trigger.ts";

type Pairs = ReadonlyMap<string, ChannelVersion | null>;

/** What a manifest says, written out: each channel's version, each node's pairs. */
export interface Told {
  readonly entries: ReadonlyMap<string, Entry | null>;
  readonly versions: Pairs;
  readonly seen: ReadonlyMap<string, Pairs | null>;
  readonly format: number | undefined;
}

export function told({ entries, versions, seen, format }: Manifest): Told {
  const channels = new Map(pairsOf(entries));
  return {
    entries: channels,
    versions:
      typeof versions === "number"
        ? new Map([...channels.keys()].map((channel) => [channel, versions]))
        : new Map(pairsOf(versions)),
    seen: new Map(
      [...pairsOf(seen)].map(([node, said]) => [
        node,
        typeof said === "number" ? new Map([[triggerOf(node), said]]) : said && new Map(pairsOf(said)),
      ]),
    ),
    format,
  };
}

/** Every channel that a chain leaves, by what its manifests say one after another. */
export function toldOfChain(chain: readonly Manifest[]): Told {
  const entries = new Map<string, Entry | null>();
  const versions = new Map<string, ChannelVersion | null>();
  const seen = new Map<string, Map<string, ChannelVersion | null>>();
  for (const one of chain.map(told)) {
    for (const [channel, entry] of one.entries) put(entries, channel, entry);
    for (const [channel, version] of one.versions) put(versions, channel, version);
    for (const [node, pairs] of one.seen) {
      if (pairs === null) seen.delete(node);
      else {
        const known = seen.get(node) ?? new Map<string, ChannelVersion | null>();
        for (const [channel, version] of pairs) put(known, channel, version);
        seen.set(node, known);
      }
    }
  }
  return { entries, versions, seen, format: chain.at(-1)?.format ?? 4 };
}

function put<Value>(map: Map<string, Value | null>, key: string, value: Value | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

export function toldOfFold({ entries, versions, seen, format }: Folded): Told {
  return {
    entries: new Map(entries),
    versions: new Map(versions),
    seen: new Map([...seen].map(([node, pairs]) => [node, new Map(pairsOf(seenPairs(node, pairs)))])),
    format,
  };
}

/** Manifests in every form: one version for all or one each, a trigger's version as a number or as a pair. */
export function manifests(parts: {
  readonly name: fc.Arbitrary<string>;
  readonly entry: fc.Arbitrary<Entry | null>;
  readonly version: fc.Arbitrary<ChannelVersion | null>;
}): fc.Arbitrary<Manifest> {
  const { name, entry, version } = parts;
  const said = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(null), flat(name, version));
  return fc.record({
    entries: flat(name, entry),
    versions: fc.oneof(fc.nat(9), flat(name, version)),
    seen: flat(name, said),
    format: fc.option(fc.nat(5), { nil: undefined }),
  });
}

function flat<Said>(name: fc.Arbitrary<string>, said: fc.Arbitrary<Said>): fc.Arbitrary<Flat<Said>> {
  const named = fc.uniqueArray(fc.tuple(name, said), { selector: ([of]) => of, maxLength: 6 });
  return named.map((pairs) => pairs.flatMap(([of, what]): (string | Said)[] => [of, what]));
}
