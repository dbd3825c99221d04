import type { CheckpointRow } from "../core/backend.ts";
import { TextRow } from "../core/text-row.ts";
import { parseStored, printCompact } from "../manifest/compact.ts";
import { Dictionary } from "../manifest/dictionary.ts";
import type { Manifest } from "../manifest/manifest.ts";

/** Checkpoints as they are kept: short, because moving what is alive is what collecting garbage costs. */
export class KeptRows {
  readonly #names = new Dictionary();
  readonly #parse = (text: string): Manifest => parseStored(text, this.#names);

  of(row: CheckpointRow): TextRow {
    const { seq, parent, parentId, base, ts, weight } = row;
    for (const name of this.#names.missing(row.manifest) ?? [])
      this.#names.add([[this.#names.last + 1, name]]);
    const kept = { seq, id: flat(row.id), parent, parentId, base, ts, metadata: flat(row.metadata), weight };
    return new TextRow(kept, flat(printCompact(row.manifest, this.#names)), this.#parse);
  }
}

/** The same text in one piece: put together of many pieces, it takes up to ten times its length. */
export function flat(text: string): string {
  // reading a character joins the pieces
  text.charCodeAt(0);
  return text;
}
