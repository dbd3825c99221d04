import { run, type Steps } from "../awaitable.ts";
import type { StoredChannel } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { ListImage } from "../manifest/list-image.ts";
import type { Entry, MapEntry } from "../manifest/manifest.ts";
import { CachedList, type ListCache } from "./list-cache.ts";
import { learnMap } from "./read-map.ts";
import type { Reader } from "./read.ts";
import type { NamespaceState } from "./state.ts";
import { storedChannel } from "./stored.ts";

/** The channels of checkpoints that were opened; lists go through the cache. */
export class Images {
  readonly #codec: Codec;
  readonly #cache: ListCache;

  constructor(codec: Codec, cache: ListCache) {
    this.#codec = codec;
    this.#cache = cache;
  }

  /** A channel of a checkpoint that was opened. */
  image(space: NamespaceState, channel: string, entry: Entry, reader: Reader): StoredChannel {
    if (entry.kind === "map")
      return { kind: "value", load: () => run(this.#map(space, channel, entry, reader)) };
    if (entry.kind !== "list") return storedChannel(entry, this.#codec, reader);
    return {
      kind: "list",
      length: entry.length,
      load: () => run(this.#list(space, channel, entry, reader)),
    };
  }

  /** A record; what the next change of that of the head needs is kept. */
  *#map(space: NamespaceState, channel: string, entry: MapEntry, reader: Reader): Steps<unknown> {
    const { value, known } = yield* learnMap(entry, this.#codec, reader);
    const kept = space.maps.get(channel);
    const isKept = kept?.entry === entry && !kept.evicted;
    if (!isKept && headEntry(space, channel) === entry) {
      space.maps.set(channel, known);
      this.#cache.touch(known);
    }
    return value;
  }

  /** The elements of a list; those of the head are kept for the next reader. */
  *#list(space: NamespaceState, channel: string, image: ListImage, reader: Reader): Steps<unknown[]> {
    const cached = space.lists.get(channel);
    if (cached !== undefined && !cached.evicted && cached.image === image) {
      const values = cached.read(this.#codec, reader.identity);
      if (values !== undefined) {
        this.#cache.touch(cached);
        return values;
      }
      this.#cache.drop(cached);
    }
    const list = new CachedList(image);
    const values = yield* reader.into(list, yield* reader.ranges(image));
    const head = headEntry(space, channel);
    if (head === image) {
      space.lists.set(channel, list);
      this.#cache.touch(list);
      reader.keeps(list);
    } else list.makeKnown();
    return values;
  }
}

function headEntry(space: NamespaceState, channel: string): Entry | undefined {
  return space.headId === null ? undefined : space.snapshots.get(space.headId)?.folded.entries.get(channel);
}
