import { SparseMap } from "./sparse-map.ts";

/** Checkpoints of a namespace whose channels are remembered, the head among them. */
const MOST = 4;

/** A few checkpoints by id, the one that came first in front. Nearly always there is one, the head. */
export class KeptSnapshots<Snapshot extends { readonly id: string }> extends SparseMap<string, Snapshot> {
  /** Keeps one. Of more than a few, the first goes that is not the head. */
  keep(snapshot: Snapshot, headId: string | null): void {
    this.delete(snapshot.id);
    this.set(snapshot.id, snapshot);
    if (this.size <= MOST) return;
    for (const { id } of this.values()) {
      if (id !== headId && id !== snapshot.id) return this.delete(id);
    }
  }
}
