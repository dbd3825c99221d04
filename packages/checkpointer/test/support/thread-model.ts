export const ERASED = "[erased]";

export interface Said {
  readonly id: string;
  readonly content: string;
}

export interface Node {
  readonly n: number;
  parent: number | undefined;
  readonly source: "input" | "loop";
  list: readonly Said[];
  /** Each id at its first place, with its last content. */
  log: readonly Said[];
  asks: boolean;
}

/** A thread as a naive program would keep it: every checkpoint whole, nothing shared. */
export class Model {
  nodes = new Map<number, Node>();
  head = 0;

  children(n: number): Node[] {
    return [...this.nodes.values()].filter(({ parent }) => parent === n);
  }

  ancestors(n: number): Node[] {
    const found: Node[] = [];
    for (let node = this.nodes.get(n); node !== undefined; node = this.nodes.get(node.parent ?? 0))
      found.push(node);
    return found;
  }

  tips(): Node[] {
    return [...this.nodes.values()].filter(({ n }) => this.children(n).length === 0);
  }

  /** From the head to the newest tip behind it. */
  way(): Node[] {
    const below = this.tips().map(({ n }) => this.ancestors(n).map((node) => node.n));
    const newest = below.filter((path) => path.includes(this.head)).sort((a, b) => b[0]! - a[0]!)[0]!;
    const path = newest.slice(0, newest.indexOf(this.head)).toReversed();
    return path.map((n) => this.nodes.get(n) as Node);
  }

  /** Where a verb leads to; undefined where there is no such place. */
  target(verb: "undo" | "redo" | "back" | "forward", count: number): Node | undefined {
    const path = this.ancestors(this.head);
    const way = this.way();
    if (verb === "back") return path[count];
    if (verb === "forward") return way[count - 1];
    if (verb === "redo") return way.filter((_, i) => (way[i + 1]?.source ?? "input") === "input")[count - 1];
    const ends = path.filter(({ source, parent }) => source === "input" && parent !== undefined);
    return this.nodes.get(ends[count - 1]?.parent ?? 0);
  }

  prune(keepLast: number, keepTurns: boolean): void {
    const kept = new Set<number>([this.head]);
    for (const { n } of this.tips())
      for (const node of this.ancestors(n).slice(0, Math.max(1, keepLast))) kept.add(node.n);
    for (const node of this.nodes.values()) {
      const { n, asks } = node;
      const next = this.children(n);
      const answered = next.some(({ source }) => source === "loop");
      if (next.length !== 1 || (asks && !answered)) kept.add(n);
      if (keepTurns && [node, ...next].some(({ source }) => source === "input")) kept.add(n);
    }
    this.keep(kept);
  }

  /** @returns whether it may be done */
  deleteBranch(tip: number): boolean {
    if (this.children(tip).length > 0) return false;
    const path = this.ancestors(tip);
    const shared = path.findIndex(({ n }) => this.children(n).length > 1);
    const own = new Set((shared < 0 ? path : path.slice(0, shared)).map(({ n }) => n));
    if (own.has(this.head)) return false;
    this.keep(new Set([...this.nodes.keys()].filter((n) => !own.has(n))));
    return true;
  }

  keep(kept: ReadonlySet<number>): void {
    for (const n of kept) {
      const node = this.nodes.get(n) as Node;
      node.parent = this.ancestors(n)
        .slice(1)
        .find((above) => kept.has(above.n))?.n;
    }
    for (const n of this.nodes.keys()) if (!kept.has(n)) this.nodes.delete(n);
  }

  erase(id: string): void {
    const without = (list: readonly Said[]) =>
      list.map((said) => (said.id === id ? { id, content: ERASED } : said));
    for (const node of this.nodes.values()) {
      node.list = without(node.list);
      node.log = without(node.log);
    }
  }

  copy(): Model {
    const copy = new Model();
    copy.head = this.head;
    for (const [n, node] of this.nodes) copy.nodes.set(n, { ...node });
    return copy;
  }
}
