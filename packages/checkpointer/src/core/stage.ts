import type { Codec } from "../codec/types.ts";
import type { Ranges } from "../manifest/ranges.ts";
import type { NewItem } from "./backend.ts";
import { keyOf } from "./hash.ts";
import { contentOf, isUnchanged, knownItem, type Known } from "./known.ts";
import { keptElement, type CachedElement } from "./list-cache.ts";
import { SparseMap, type ReadonlySparseMap } from "./sparse-map.ts";
import type { Lane, ThreadState } from "./state.ts";
import type { Told } from "./taken.ts";

/** Lane of values that are not list elements, and lane of chunks of ragged lists. */
export const VALUES = "";
export const CHUNKS = "#ranges";

/** Where an element of a list is stored. */
export interface Placed {
  readonly lane: number;
  readonly ord: number;
  /** Undefined for what has no identity. */
  readonly known: Known | undefined;
  readonly cached: CachedElement;
}

/**
 * The items of one commit before it is sent. Ordinals are handed out in the order of the calls
 * (C4); nothing of the thread's state changes before `settle`, so a commit that fails leaves no
 * trace, and one that is planned again starts from the same place.
 */
export class Stage {
  readonly items: NewItem[] = [];
  readonly newLanes: { lane: number; name: string }[] = [];
  readonly #codec: Codec;
  readonly #state: ThreadState;
  readonly #told: Told | undefined;
  readonly #lanes = new SparseMap<string, Lane>();
  readonly #placed = new SparseMap<object, Placed>();
  /** Items that were compared already: a write and a list often hold the same ones. */
  #same: Map<object, Known> | undefined;
  #laneCount: number;

  /** @param told - what the elements said, where the codec tells it */
  constructor(codec: Codec, state: ThreadState, told: Told | undefined) {
    this.#codec = codec;
    this.#state = state;
    this.#told = told;
    if (told?.same !== undefined) this.#same = new Map(told.same);
    this.#laneCount = state.lanes?.size ?? 0;
  }

  /** Where an object is stored, if it is; also when it is part of this very commit. */
  find(value: object): readonly [number, number] | undefined {
    const placed = this.#placed.get(value);
    if (placed !== undefined) return [placed.lane, placed.ord];
    const known = this.#unchanged(value);
    return known === undefined ? undefined : [known.lane, known.ord];
  }

  /** Where an object is stored that an earlier commit stored. */
  findStored(value: object): readonly [number, number] | undefined {
    const known = this.#unchanged(value);
    return known === undefined ? undefined : [known.lane, known.ord];
  }

  /** The item that an object is and still equals. */
  #unchanged(value: object): Known | undefined {
    const same = this.#same?.get(value);
    if (same !== undefined) return same;
    const known = this.#state.itemOf(value);
    if (known === undefined || !isUnchanged(this.#codec, value, known)) return undefined;
    (this.#same ??= new Map()).set(value, known);
    return known;
  }

  /** Objects that this commit stores. */
  get placed(): ReadonlySparseMap<object, Placed> {
    return this.#placed;
  }

  /** Objects that were compared, and are items. */
  get same(): ReadonlyMap<object, Known> | undefined {
    return this.#same;
  }

  /** What an object says that this commit stores: it was encoded already. */
  textOf(value: object): string | undefined {
    return this.#placed.get(value)?.known?.text;
  }

  /** Stores an element of a list, unless it is an item already. */
  place(element: unknown, laneName: string): Placed {
    if (typeof element !== "object" || element === null) {
      const text = this.#codec.encode(element);
      const [lane, ord] = this.#add(laneName, null, text);
      return { lane, ord, known: undefined, cached: keptElement(element, undefined) };
    }
    const placed = this.#placed.get(element);
    if (placed !== undefined) return placed;
    const known = this.#unchanged(element);
    if (known !== undefined) {
      return { lane: known.lane, ord: known.ord, known, cached: keptElement(element, known) };
    }
    const text = this.#codec.encode(element);
    const [lane, ord] = this.#add(laneName, keyOf(element), text);
    const said = this.#told?.said.get(element);
    const added = knownItem(lane, ord, text, said === undefined ? contentOf(element) : said.content);
    const fresh: Placed = { lane, ord, known: added, cached: keptElement(element, added) };
    this.#placed.set(element, fresh);
    return fresh;
  }

  /** Stores text that was encoded already. */
  placeText(text: string, laneName: string): readonly [lane: number, ord: number] {
    return this.#add(laneName, null, text);
  }

  /** The text of an item that this commit stores. */
  textAt(lane: number, ord: number): string | undefined {
    return this.items.find((item) => item.lane === lane && item.ord === ord)?.body;
  }

  /** Where the next item of a lane will be; undefined for one that is not there yet. */
  next(laneName: string): readonly [lane: number, ord: number] | undefined {
    const lane = this.#lanes.get(laneName) ?? this.#state.lanes?.get(laneName);
    return lane === undefined ? undefined : [lane.lane, lane.next];
  }

  placeChunk(ranges: Ranges): readonly [lane: number, ord: number] {
    return this.#add(CHUNKS, null, `[${ranges.join(",")}]`);
  }

  #add(laneName: string, key: number | null, body: string): readonly [number, number] {
    const lane = this.#lane(laneName);
    const ord = lane.next;
    lane.next += 1;
    this.items.push({ lane: lane.lane, ord, key, body });
    return [lane.lane, ord];
  }

  #lane(name: string): Lane {
    const mine = this.#lanes.get(name);
    if (mine !== undefined) return mine;
    const known = this.#state.lanes?.get(name);
    const lane = known === undefined ? { lane: this.#laneCount, next: 0 } : { ...known };
    if (known === undefined) {
      this.newLanes.push({ lane: this.#laneCount, name });
      this.#laneCount += 1;
    }
    this.#lanes.set(name, lane);
    return lane;
  }

  /** The backend has stored the items: the thread's state follows (S2). */
  settle(): void {
    const lanes = (this.#state.lanes ??= new SparseMap());
    for (const [name, lane] of this.#lanes.entries()) lanes.set(name, lane);
    for (const [object, { known }] of this.#placed.entries())
      this.#state.identity.set(object, known as Known);
  }
}
