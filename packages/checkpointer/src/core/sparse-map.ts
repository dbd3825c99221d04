/**
 * A map that nearly always has one entry or none, and takes next to no memory until there are more: each
 * thread has several.
 */
export class SparseMap<Key, Value> {
  #key: Key | undefined;
  /** Undefined where there is none. */
  #value: Value | undefined;
  /** All entries, once there were two at a time. */
  #map: Map<Key, Value> | undefined;

  get size(): number {
    return this.#map?.size ?? (this.#value === undefined ? 0 : 1);
  }
  get(key: Key): Value | undefined {
    if (this.#map !== undefined) return this.#map.get(key);
    return this.#key === key ? this.#value : undefined;
  }
  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }
  set(key: Key, value: Value & {}): void {
    if (this.#map !== undefined) this.#map.set(key, value);
    else if (this.#value === undefined || this.#key === key) {
      this.#key = key;
      this.#value = value;
    } else {
      this.#map = new Map([
        [this.#key as Key, this.#value],
        [key, value],
      ]);
      this.#forgetOne();
    }
  }
  delete(key: Key): void {
    const map = this.#map;
    if (map === undefined) {
      if (this.#key === key) this.#forgetOne();
    } else if (map.delete(key) && map.size < 2) {
      this.#map = undefined;
      for (const [last, value] of map) this.set(last, value as Value & {});
    }
  }
  clear(): void {
    this.#map = undefined;
    this.#forgetOne();
  }
  values(): Iterable<Value> {
    if (this.#map !== undefined) return this.#map.values();
    return this.#value === undefined ? [] : [this.#value];
  }
  entries(): Iterable<[Key, Value]> {
    if (this.#map !== undefined) return this.#map;
    return this.#value === undefined ? [] : [[this.#key as Key, this.#value]];
  }
  #forgetOne(): void {
    this.#key = undefined;
    this.#value = undefined;
  }
}

export type ReadonlySparseMap<Key, Value> = Pick<
  SparseMap<Key, Value>,
  "size" | "get" | "values" | "entries"
>;
