import type { CheckpointRow } from "../core/backend.ts";
import type { AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { weigh } from "../manifest/base.ts";
import { Chains } from "./chains.ts";
import { importedManifest } from "./imported-manifest.ts";
import type { ImportedValues } from "./imported-values.ts";
import type { Line } from "./lines.ts";

/** What a number of 32 bits counts, as PostgreSQL stores it. */
const MOST_CHECKPOINTS = 2 ** 31 - 1;

/** Reads the lines of one namespace, each of which has to fit those before it. */
export class ImportedNamespace {
  readonly name: string;
  readonly head: number | null;
  readonly next: number;
  readonly #values: ImportedValues;
  readonly #chains = new Chains();
  readonly #ids = new Set<string>();
  readonly #writes = new Set<string>();
  #isBelow = false;
  #last = 0;
  #isStored = false;

  constructor(line: Line, values: ImportedValues) {
    this.#values = values;
    this.name = line.text("namespace");
    this.head = line.countOrNull("head");
    this.next = line.count("next");
    if (this.next < 2) throw line.wrong('has no "next" behind a checkpoint');
    if (this.next > MOST_CHECKPOINTS) throw line.wrong('has a "next" that no namespace comes to');
  }

  checkpoint(line: Line): CheckpointRow {
    const manifest = importedManifest(line, this.#values);
    const [seq, parent, base] = [line.count("seq"), line.countOrNull("parent"), line.count("base")];
    if (seq <= this.#last || seq >= this.next)
      throw line.wrong(`is a checkpoint that does not stand between ${this.#last} and ${this.next}`);
    if (parent !== null && parent >= seq)
      throw line.wrong("is a checkpoint whose parent does not come before it");
    if (!this.#chains.add({ seq, parent, base }))
      throw line.wrong("is a checkpoint that builds on one that is not before it");
    const id = line.text("id");
    if (this.#ids.has(id)) throw line.wrong("is a checkpoint whose id another one has");
    this.#ids.add(id);
    this.#last = seq;
    const metadata = this.#metadata(line);
    return {
      seq,
      id,
      parent,
      parentId: line.textOrNull("parentId"),
      base,
      ts: line.text("ts"),
      metadata,
      manifest,
      weight: weigh(manifest),
    };
  }

  write(line: Line): WriteAt {
    const [seq, task, slot] = [line.count("under"), line.text("task"), line.whole("slot")];
    if (seq >= this.next) throw line.wrong("is a write under a checkpoint that there is not");
    const place = `${seq} ${slot} ${task}`;
    if (this.#writes.has(place)) throw line.wrong("is a write that there is already");
    this.#writes.add(place);
    const body = line.encoded("body");
    for (const [, value] of line.writes("body")) this.#values.readReferring(line, body, value);
    return { seq, task, slot, body };
  }

  #metadata(line: Line): string {
    const text = line.encoded("metadata");
    const metadata = line.object("metadata");
    this.#isBelow ||= Object.hasOwn(Object(metadata["parents"]) as object, "");
    this.#values.read(line, metadata);
    return text;
  }

  /** Whether a run of the root namespace made it. */
  get isBelow(): boolean {
    return this.#isBelow;
  }

  requireHead(end: Line): void {
    if (this.head === null || this.#chains.has(this.head)) return;
    throw end.wrong(`comes without checkpoint ${this.head}, which is the head of namespace "${this.name}"`);
  }

  /**
   * Rows of it, to be stored where nobody sees them. The first must find what nobody stored in, because a
   * plain put takes no claim; once there are some, they refuse it (`core/remains.ts`).
   */
  hidden(checkpoints: readonly CheckpointRow[], writes: readonly WriteAt[]): AlteredNamespace {
    const seen = this.#isStored ? undefined : { head: null, next: 1 };
    this.#isStored = true;
    return { name: this.name, seen, head: null, next: 1, checkpoints, writes, drop: [] };
  }

  shown(): AlteredNamespace {
    const { name, head, next } = this;
    return { name, seen: undefined, head, next, checkpoints: [], writes: [], drop: [] };
  }
}
