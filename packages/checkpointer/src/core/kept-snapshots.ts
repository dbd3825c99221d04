/** Checkpoints of a namespace whose channels are remembered, the head among them. */
const MOST = 4;

/**
 * A few checkpoints, the one that came first in front. No map: each commit takes one out and puts one in,
 * which makes a map's table anew every few commits.
 */
export class KeptSnapshots<Snapshot extends { readonly id: string }> {
  #all: Snapshot[] = [];

  get(id: string): Snapshot | undefined {
    for (const snapshot of this.#all) if (snapshot.id === id) return snapshot;
    return undefined;
  }

  /** Keeps one. Of more than a few, the first goes that is not the head. */
  keep(snapshot: Snapshot, headId: string | null): void {
    this.delete(snapshot.id);
    // a list that is made with an element has no room for more, which nearly none needs
    if (this.#all.length === 0) this.#all = [snapshot];
    else this.#all.push(snapshot);
    if (this.#all.length <= MOST) return;
    const oldest = this.#all.find(({ id }) => id !== headId && id !== snapshot.id);
    if (oldest !== undefined) this.delete(oldest.id);
  }

  delete(id: string): void {
    const all = this.#all;
    const place = all.findIndex((snapshot) => snapshot.id === id);
    if (place < 0) return;
    all.copyWithin(place, place + 1);
    all.pop();
  }

  clear(): void {
    this.#all = [];
  }
}
