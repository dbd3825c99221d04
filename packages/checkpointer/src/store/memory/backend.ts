import { countMatches, countTerms, isMatch, type QueryTerm } from "../../search/index.ts";
import type { Find, Hit, NewValue, Place, Row, StoreBackend, Write } from "../core/backend.ts";
import { byScore, cosine, rankWords } from "../core/rank.ts";
import { latin } from "../core/tuple.ts";

/** An item in memory: all there is to know of it. Never changed, only replaced. */
interface Entry extends Row, Pick<NewValue, "text" | "vectors"> {
  readonly expiresAt: number;
}

/** Rows in this process. Namespaces and keys are their bytes, one character a byte. */
export class MemoryStoreBackend implements StoreBackend {
  readonly #namespaces = new Map<string, Map<string, Entry>>();
  #nextId = 1;

  open(): void {}

  close(): void {}

  get(places: readonly Place[], now: number): (Row | undefined)[] {
    return places.map((place) => this.#alive(place, now));
  }

  find({ from, to, ranking, take }: Find, now: number): Hit[] {
    const entries = this.#between(from, to)
      .flatMap(([, items]) => [...items.values()])
      .filter(({ expiresAt }) => expiresAt > now)
      .sort((a, b) => a.id - b.id);
    if (ranking.by === "id") return entries.slice(0, take);
    if (ranking.by === "text") return byWords(entries, ranking.terms).slice(0, take);
    const hits = entries.map((entry): Hit => {
      if (entry.vectors.length === 0) return entry;
      return { ...entry, score: Math.max(...entry.vectors.map((vector) => cosine(vector, ranking.vector))) };
    });
    return hits.sort(byScore).slice(0, take);
  }

  namespaces(from: Uint8Array, to: Uint8Array, now: number): Uint8Array[] {
    return this.#between(from, to)
      .filter(([, items]) => [...items.values()].some(({ expiresAt }) => expiresAt > now))
      .map(([namespace]) => namespace)
      .sort((a, b) => (a < b ? -1 : 1))
      .map((namespace) => Uint8Array.from(namespace, (character) => character.charCodeAt(0)));
  }

  write(writes: readonly Write[], now: number): void {
    for (const { namespace, key, put } of writes) {
      const before = this.#alive({ namespace, key }, now);
      // what has ended is another item, and stands at another place in the order
      if (put === undefined || before === undefined) this.#remove({ namespace, key });
      if (put === undefined) continue;
      const items = this.#namespaces.get(latin(namespace)) ?? new Map<string, Entry>();
      this.#namespaces.set(latin(namespace), items);
      items.set(latin(key), {
        namespace,
        key,
        id: before?.id ?? this.#newId(),
        value: put.value,
        createdAt: before?.createdAt ?? now,
        updatedAt: now,
        ttl: put.ttl,
        text: put.text,
        vectors: put.vectors,
        expiresAt: put.ttl === null ? Infinity : now + put.ttl,
      });
    }
  }

  refresh(rows: readonly Row[], now: number): void {
    for (const row of rows) {
      const entry = this.#alive(row, now);
      if (entry?.id !== row.id || entry.ttl === null) continue;
      this.#namespaces
        .get(latin(row.namespace))
        ?.set(latin(row.key), { ...entry, expiresAt: now + entry.ttl });
    }
  }

  sweep(now: number): number {
    const ended = [...this.#namespaces.values()].flatMap((items) =>
      [...items.values()].filter(({ expiresAt }) => expiresAt <= now),
    );
    for (const entry of ended) this.#remove(entry);
    return ended.length;
  }

  #alive({ namespace, key }: Place, now: number): Entry | undefined {
    const entry = this.#namespaces.get(latin(namespace))?.get(latin(key));
    return entry !== undefined && entry.expiresAt > now ? entry : undefined;
  }

  #between(from: Uint8Array, to: Uint8Array): [string, Map<string, Entry>][] {
    const [first, end] = [latin(from), latin(to)];
    return [...this.#namespaces].filter(([namespace]) => namespace >= first && namespace < end);
  }

  #remove({ namespace, key }: Place): void {
    const items = this.#namespaces.get(latin(namespace));
    items?.delete(latin(key));
    if (items?.size === 0) this.#namespaces.delete(latin(namespace));
  }

  #newId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }
}

function byWords(entries: readonly Entry[], terms: readonly QueryTerm[]): Hit[] {
  const found = entries.flatMap(({ id, text }) => {
    const counts = countMatches(text, terms);
    // a blank stands before each term, and one behind the last
    return isMatch(counts, "any") ? [{ id, length: countTerms(text) - 1, counts }] : [];
  });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return rankWords(found, entries.length).map(({ id, score }) => ({ ...(byId.get(id) as Entry), score }));
}
