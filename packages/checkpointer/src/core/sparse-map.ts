/** A map that is nearly always empty, and takes next to no memory until something is put into it: each thread has several. */
export class SparseMap<Key, Value> {
  #map: Map<Key, Value> | undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }
  get(key: Key): Value | undefined {
    return this.#map?.get(key);
  }
  set(key: Key, value: Value): void {
    (this.#map ??= new Map()).set(key, value);
  }
  delete(key: Key): void {
    this.#map?.delete(key);
  }
  clear(): void {
    this.#map = undefined;
  }
  values(): Iterable<Value> {
    return this.#map?.values() ?? [];
  }
  entries(): Iterable<[Key, Value]> {
    return this.#map ?? [];
  }
}

export type ReadonlySparseMap<Key, Value> = Pick<
  SparseMap<Key, Value>,
  "size" | "get" | "values" | "entries"
>;
