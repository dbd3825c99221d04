import type { ListImage } from "./list-image.ts";
import type { Ranges } from "./ranges.ts";

/** A list, as manifests hold it, or an archive (a log): entries, to be resolved by id. */
export interface ListEntry<Kind extends "list" | "log" = "list" | "log"> extends ListImage {
  readonly kind: Kind;
}

export function listEntry<Kind extends "list" | "log">(kind: Kind, image: ListImage): ListEntry<Kind> {
  const { length, tail, chunks } = image;
  const [lane = 0, from = 0, to = from] = tail;
  const isOneRange = chunks === undefined && tail.length <= 3 && length === to - from;
  return isOneRange ? new OneRange(kind, lane, from, to) : { kind, length, tail, chunks };
}

/** One object, where a thread's memory would hold four: most lists are one range, and each checkpoint has some. */
class OneRange<Kind extends "list" | "log"> implements ListEntry<Kind> {
  readonly kind: Kind;
  readonly lane: number;
  readonly from: number;
  readonly to: number;

  constructor(kind: Kind, lane: number, from: number, to: number) {
    this.kind = kind;
    this.lane = lane;
    this.from = from;
    this.to = to;
  }
  get length(): number {
    return this.to - this.from;
  }
  get tail(): Ranges {
    return this.to === this.from ? [] : [this.lane, this.from, this.to];
  }
  get chunks(): undefined {
    return undefined;
  }
}
