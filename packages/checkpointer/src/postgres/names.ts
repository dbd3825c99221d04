import type { Awaitable } from "../changeset/types.ts";
import { fromText, toText } from "../core/names.ts";
import { Dictionary } from "../manifest/dictionary.ts";
import type { Queries } from "./queries.ts";
import { columnsWith, type Columns } from "./rows.ts";
import type { Run } from "./statement.ts";

/** How many names are known, and the mark that they had together. */
export type KnownNames = readonly [last: number, mark: string | null];

type NameRow = readonly [n: number, name: string];

/**
 * The names of a schema as they are known here. A server that lost its last commits may give a number to another
 * name. So names have a mark, another one with each that is added: while it is the one that is known here, these
 * names are the first ones there. Else they are compared, all of them; whoever goes on with rows that were read
 * before keeps the dictionary that they were read with.
 *
 * The mark comes with every query that names do. A run's commits need not ask for it: what was there when the
 * thread was taken is there as long as the claim is, whose epoch never comes again.
 */
export class StoredNames {
  readonly #queries: Queries;
  readonly #run: Run;
  #columns: Columns = columnsWith(new Dictionary());
  #mark: string | null = null;

  constructor(queries: Queries, run: Run) {
    this.#queries = queries;
    this.#run = run;
  }

  /** Checkpoints as the schema stores them, with the names that are known. */
  get columns(): Columns {
    return this.#columns;
  }

  /** What is to be sent with a query that brings names. */
  known(): KnownNames {
    return [this.#columns.names.last, this.#mark];
  }

  /**
   * Reads names that somebody else has stored.
   *
   * @param told - which there are, as queries say it behind rows that hold names
   * @param run - that of a transaction, which must not wait for another connection
   */
  know(told: string | undefined, run: Run = this.#run): Awaitable<Columns> {
    if (told === undefined) return this.#columns;
    const [last = "", mark = ""] = told.split(" ");
    const [known, ours] = this.known();
    if (mark !== (ours ?? "")) return this.#readAll(run);
    return Number(last) <= known ? this.#columns : this.#readMore(run);
  }

  /** Names that came with a head, and their mark, as JSON. @param asked - what was sent with the query */
  add(text: string | null, [, sent]: KnownNames): Awaitable<Columns> {
    if (text === null && sent === this.#mark) return this.#columns;
    type Told = [mark: string | null, rows: NameRow[] | null];
    const [mark, rows] = text === null ? [sent, null] : (JSON.parse(text) as Told);
    if (mark === sent || mark === this.#mark) return this.#append(rows ?? [], mark, mark, this.#run);
    return sent === this.#mark ? this.#replace(rows ?? [], mark) : this.#readAll(this.#run);
  }

  /** Gives numbers to names that have none yet; where another process does so at the same time, perhaps not to all. */
  async learn(missing: ReadonlySet<string>): Promise<void> {
    const run = this.#run;
    const [last, ours] = this.known();
    type AddedRow = readonly [...NameRow, before: string | null, mark: string | null];
    const rows = await run<AddedRow>(this.#queries.addNames, [...missing].map(toText), last);
    const end = rows.at(-1);
    if (end === undefined) return;
    const [n, , before, mark] = end;
    if (before === ours) await this.#append(rows, ours, mark ?? before, run);
    else await this.#readAll(run);
    if (this.#columns.names.last < n) await this.#fill();
  }

  /**
   * Of processes that add names at once, one may find a number taken and then a name, and leave a gap, behind which
   * no dictionary takes a name.
   */
  async #fill(): Promise<void> {
    await this.#run(this.#queries.fillNames);
    await this.#readAll(this.#run);
  }

  async #readMore(run: Run): Promise<Columns> {
    const [last, ours] = this.known();
    const rows = await this.#read(last, run);
    const mark = rows[0]?.[2] ?? ours;
    return mark === ours ? this.#append(rows, ours, mark, run) : this.#readAll(run);
  }

  /** Marks do not tell which of two answers is the later one: where names were learned meanwhile, they are read again. */
  async #readAll(run: Run): Promise<Columns> {
    for (;;) {
      const ours = this.#mark;
      const rows = await this.#read(0, run);
      const mark = rows[0]?.[2] ?? null;
      if (this.#mark === ours || this.#mark === mark) return this.#replace(rows, mark);
    }
  }

  #read(last: number, run: Run): Promise<(readonly [...NameRow, mark: string | null])[]> {
    return run(this.#queries.names, last);
  }

  /** @param ours - the mark of the names that they come behind */
  #append(
    given: readonly (readonly [...NameRow, ...unknown[]])[],
    ours: string | null,
    mark: string | null,
    run: Run,
  ): Awaitable<Columns> {
    const rows = named(given);
    const { names } = this.#columns;
    if (this.#mark !== ours || !names.agreesWith(rows, false)) return this.#readAll(run);
    names.add(rows);
    this.#mark = mark;
    return this.#columns;
  }

  /** @param given - all that there are */
  #replace(given: readonly (readonly [...NameRow, ...unknown[]])[], mark: string | null): Columns {
    const rows = named(given);
    if (!this.#columns.names.agreesWith(rows, true)) this.#columns = columnsWith(new Dictionary());
    this.#columns.names.add(rows);
    this.#mark = mark;
    return this.#columns;
  }
}

const named = (rows: readonly (readonly [...NameRow, ...unknown[]])[]): NameRow[] =>
  rows.map(([n, name]) => [n, fromText(name)]);
