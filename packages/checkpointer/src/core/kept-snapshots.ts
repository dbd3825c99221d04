/** Checkpoints of a namespace whose channels are remembered, the head among them. */
const MOST = 4;

/**
 * A few checkpoints, the one that came first in front. No map: each commit takes one out and puts one in,
 * which makes a map's table anew every few commits.
 */
export class KeptSnapshots<Snapshot extends { readonly id: string }> {
  /** The only one, which the head is nearly always. */
  #only: Snapshot | undefined;
  /** All, once there were two at a time. */
  #all: Snapshot[] | undefined;

  get(id: string): Snapshot | undefined {
    if (this.#all === undefined) return this.#only?.id === id ? this.#only : undefined;
    for (const snapshot of this.#all) if (snapshot.id === id) return snapshot;
    return undefined;
  }

  /** Keeps one. Of more than a few, the first goes that is not the head. */
  keep(snapshot: Snapshot, headId: string | null): void {
    this.delete(snapshot.id);
    if (this.#all === undefined && this.#only === undefined) {
      this.#only = snapshot;
      return;
    }
    const all = (this.#all ??= [this.#only as Snapshot]);
    this.#only = undefined;
    all.push(snapshot);
    if (all.length <= MOST) return;
    const oldest = all.find(({ id }) => id !== headId && id !== snapshot.id);
    if (oldest !== undefined) this.delete(oldest.id);
  }

  delete(id: string): void {
    const all = this.#all;
    if (all === undefined) {
      if (this.#only?.id === id) this.#only = undefined;
      return;
    }
    const place = all.findIndex((snapshot) => snapshot.id === id);
    if (place < 0) return;
    all.copyWithin(place, place + 1);
    all.pop();
  }

  clear(): void {
    this.#only = undefined;
    this.#all = undefined;
  }
}
