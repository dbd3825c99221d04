/** What was found out about some keys in some order; further keys lead on to others. */
export interface KeyPath<Found> {
  next: Map<string, KeyPath<Found>> | undefined;
  found: Found | undefined;
}

/** Most that are kept: messages of one program have a dozen orders, odd and damaged ones any number. */
const LIMIT = 2048;

/** Remembers what was found out about the keys of an object, for the next one with the same keys in the same order. */
export class KeyPaths<Root, Found> {
  readonly #roots = new Map<Root, KeyPath<Found>>();
  #count = 0;

  /** Undefined where nothing more is kept. */
  root(of: Root): KeyPath<Found> | undefined {
    const known = this.#roots.get(of);
    if (known !== undefined) return known;
    const made = this.#made();
    if (made !== undefined) this.#roots.set(of, made);
    return made;
  }

  /** One key on, where `next` has nothing yet. Undefined where nothing more is kept. */
  grow(path: KeyPath<Found>, key: string): KeyPath<Found> | undefined {
    const made = this.#made();
    if (made !== undefined) (path.next ??= new Map()).set(key, made);
    return made;
  }

  #made(): KeyPath<Found> | undefined {
    this.#count += 1;
    return this.#count > LIMIT ? undefined : { next: undefined, found: undefined };
  }
}
