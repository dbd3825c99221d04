import type { NewItem } from "../core/backend.ts";
import type { Line } from "./lines.ts";
import type { ItemUses, Span } from "./uses.ts";

interface ImportedLane {
  readonly lane: number;
  /** Ordinals of its items, ascending. */
  readonly spans: { from: number; to: number }[];
}

/** Reads the lines of lanes and items, and remembers which were there. */
export class ImportedLanes {
  readonly #lanes = new Map<number, ImportedLane>();
  readonly #names = new Set<string>();
  #current: ImportedLane | undefined;

  lane(line: Line): { lane: number; name: string } {
    const [lane, name] = [line.count("lane"), line.text("name")];
    if (this.#lanes.has(lane) || this.#names.has(name)) throw line.wrong("is a lane that there is already");
    this.#current = { lane, spans: [] };
    this.#lanes.set(lane, this.#current);
    this.#names.add(name);
    return { lane, name };
  }

  item(line: Line): NewItem {
    if (this.#current === undefined) throw line.wrong("is an item and stands before the first lane");
    const { lane, spans } = this.#current;
    const [ord, key, body] = [line.count("ord"), line.countOrNull("key"), line.encoded("body")];
    const last = spans.at(-1);
    if (last !== undefined && ord < last.to)
      throw line.wrong("is an item that does not come behind the one before it");
    if (last?.to === ord) last.to += 1;
    else spans.push({ from: ord, to: ord + 1 });
    return { lane, ord, key, body };
  }

  /** What is used and was not there. */
  lost(uses: ItemUses): (Span & { readonly lane: number }) | undefined {
    for (const { lane, spans } of this.#lanes.values()) {
      let at = 0;
      for (const span of uses.needed(lane)) {
        while (at < spans.length && (spans[at] as Span).to < span.to) at += 1;
        const own = spans[at];
        if (own === undefined || own.from > span.from) return { lane, ...span };
      }
    }
    return uses.without([...this.#lanes.values()])[0];
  }
}
