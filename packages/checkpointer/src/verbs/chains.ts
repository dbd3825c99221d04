import type { CheckpointRow } from "../core/backend.ts";

/** The checkpoints of one namespace, by sequence number: whether each can be read with those before it. */
export class Chains {
  /** Of each checkpoint, the one that says everything and that it is read from. */
  readonly #roots = new Map<number, number>();

  /** Whether what a checkpoint builds on came before it, back to its base. */
  add({ seq, parent, base }: Pick<CheckpointRow, "seq" | "parent" | "base">): boolean {
    // a base that was removed since, with a later one in its place, stays named
    const root = base === seq ? seq : this.#roots.get(parent ?? seq);
    if (root === undefined || root < base) return false;
    this.#roots.set(seq, root);
    return true;
  }

  has(seq: number): boolean {
    return this.#roots.has(seq);
  }
}
