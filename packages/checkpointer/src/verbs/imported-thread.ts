import { GraphError } from "@skein/errors";
import { run, wait, type Steps } from "../awaitable.ts";
import type { CheckpointRow, NewItem } from "../core/backend.ts";
import type { RunClaim } from "../core/claims.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { pairsOf } from "../manifest/manifest.ts";
import type { LineCounts } from "./export.ts";
import { fitsLanes } from "./imported-entries.ts";
import { ImportedLanes } from "./imported-lanes.ts";
import { ImportedNamespace } from "./imported-namespace.ts";
import { ImportedValues } from "./imported-values.ts";
import { isOverflow, type Line } from "./lines.ts";
import { PAGE } from "./stored-thread.ts";
import { ItemUses } from "./uses.ts";

/** What older exports do not count. */
const NEWER_COUNTS: ReadonlySet<string> = new Set<keyof LineCounts>(["writes", "lanes", "namespaces"]);

/** Stores the lines of a thread, hidden until all of them are there and fit together. */
export class ImportedThread {
  readonly #log: ItemLog;
  readonly #claim: RunClaim;
  readonly #namespaces = new Map<string, ImportedNamespace>();
  readonly #values: ImportedValues;
  readonly #lanes: ImportedLanes;
  readonly #uses: ItemUses;
  /** What writes and longer values refer to. */
  readonly #references: ItemUses;
  #namespace: ImportedNamespace | undefined;
  #newLanes: { lane: number; name: string }[] = [];
  #items: NewItem[] = [];
  #checkpoints: CheckpointRow[] = [];
  #writes: WriteAt[] = [];
  #counts: LineCounts = { checkpoints: 0, items: 0, writes: 0, lanes: 0, namespaces: 0 };
  #end: Line | undefined;

  constructor(log: ItemLog, claim: RunClaim) {
    this.#log = log;
    this.#claim = claim;
    this.#uses = new ItemUses(log.backend, claim.tid);
    this.#references = new ItemUses(log.backend, claim.tid);
    this.#values = new ImportedValues(log.codec, this.#references);
    this.#lanes = new ImportedLanes(this.#values);
  }

  async take(line: Line): Promise<void> {
    try {
      await this.#take(line);
    } catch (cause) {
      throw isOverflow(cause) ? line.wrong("is nested too deep", cause) : cause;
    }
    if (this.#items.length + this.#checkpoints.length + this.#writes.length >= PAGE) await this.#store();
  }

  async #take(line: Line): Promise<void> {
    if (this.#end !== undefined) throw line.wrong("stands behind the end of the thread");
    if (line.has("namespace")) await this.#takeNamespace(line);
    else if (line.has("lane")) this.#takeLane(line);
    else if (line.has("ord")) this.#takeItem(line);
    else if (line.has("under")) this.#takeWrite(line);
    else if (line.has("seq")) this.#takeCheckpoint(line);
    else if (line.has("end")) this.#takeEnd(line);
    else throw line.wrong("is of no kind that is known");
  }

  async #takeNamespace(line: Line): Promise<void> {
    await this.#store();
    const namespace = new ImportedNamespace(line, this.#values);
    if (this.#namespaces.has(namespace.name)) throw line.wrong("is a namespace that there is already");
    this.#namespaces.set(namespace.name, namespace);
    this.#namespace = namespace;
    this.#counts.namespaces += 1;
  }

  #takeLane(line: Line): void {
    this.#newLanes.push(this.#lanes.lane(line));
    this.#counts.lanes += 1;
  }

  #takeItem(line: Line): void {
    this.#items.push(this.#lanes.item(line));
    this.#counts.items += 1;
  }

  #takeWrite(line: Line): void {
    if (this.#namespace === undefined) throw line.wrong("is a write and stands before the first namespace");
    const write = this.#namespace.write(line);
    this.#uses.text(write.body);
    this.#writes.push(write);
    this.#counts.writes += 1;
  }

  #takeCheckpoint(line: Line): void {
    if (this.#namespace === undefined)
      throw line.wrong("is a checkpoint and stands before the first namespace");
    this.#checkpoints.push(this.#namespace.checkpoint(line));
    this.#counts.checkpoints += 1;
  }

  #takeEnd(line: Line): void {
    for (const [kind, count] of Object.entries(this.#counts)) {
      if (NEWER_COUNTS.has(kind) && !line.has(kind)) continue;
      if (line.count(kind) !== count)
        throw line.wrong(`counts other lines than the ${count} ${kind} before it`);
    }
    for (const namespace of this.#namespaces.values()) {
      namespace.requireHead(line);
      if (namespace.isBelow && !this.#namespaces.has(""))
        throw line.wrong("comes without the root namespace, whose runs made others");
    }
    this.#end = line;
  }

  /**
   * Makes visible what was stored.
   *
   * @param after - where the line of the end would stand that is missing
   */
  async finish(after: Line): Promise<LineCounts> {
    const end = this.#end;
    if (end === undefined) throw after.wrong("is missing: the thread has no end");
    await this.#store();
    await run(this.#requireItems(end));
    await this.#alter([...this.#namespaces.values()].map((namespace) => namespace.shown()));
    return this.#counts;
  }

  /** That what was stored refers to nothing that was not. */
  *#requireItems(end: Line): Steps<void> {
    try {
      for (const { name } of this.#namespaces.values()) yield* this.#readManifests(name, end);
      yield* this.#uses.values(yield* wait(this.#log.backend.lanes(this.#claim.tid)));
    } catch (cause) {
      if (isOverflow(cause)) throw end.wrong("comes with a reference that is nested too deep", cause);
      if (!GraphError.is(cause, "STORAGE_CORRUPT")) throw cause;
      throw end.wrong("comes without items that others refer to", cause);
    }
    if (!this.#lanes.resolve(this.#references))
      throw end.wrong("comes with references to what stands for no value");
    const lost = this.#lanes.lost(this.#uses);
    if (lost !== undefined)
      throw end.wrong(`comes without items ${lost.from} to ${lost.to - 1} of lane ${lost.lane}`);
  }

  *#readManifests(name: string, end: Line): Steps<void> {
    const { backend } = this.#log;
    const nsid = (yield* wait(backend.find(this.#claim.threadId, name)))?.nsid;
    if (nsid === undefined || nsid === null) throw takenMeanwhile(this.#claim.threadId);
    for (let after = 0; ;) {
      const rows = yield* wait(backend.scanCheckpoints(nsid, after, PAGE));
      for (const { seq, manifest } of rows) {
        for (const [channel, entry] of pairsOf(manifest.entries))
          if (entry !== null && !fitsLanes(entry, this.#lanes)) throw withoutItems(end, name, seq, channel);
        yield* this.#uses.manifest(manifest);
      }
      this.#uses.compact();
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }

  /** Stores what was read, without a head. */
  async #store(): Promise<void> {
    const rows = this.#namespace?.hidden(this.#checkpoints, this.#writes);
    await this.#alter(rows === undefined ? [] : [rows]);
    this.#uses.compact();
    this.#references.compact();
    [this.#newLanes, this.#items, this.#checkpoints, this.#writes] = [[], [], [], []];
  }

  async #alter(namespaces: readonly AlteredNamespace[]): Promise<void> {
    const done = await this.#log.backend.alter({
      claim: this.#claim,
      namespaces,
      lanes: this.#newLanes,
      items: this.#items,
      dropItems: [],
      overwrite: false,
    });
    if (!done) throw takenMeanwhile(this.#claim.threadId);
  }
}

function withoutItems(end: Line, namespace: string, seq: number, channel: string): GraphError {
  const place = `checkpoint ${seq} of namespace "${namespace}"`;
  return end.wrong(`comes without the items, or with other ones, of channel "${channel}" in ${place}`);
}

function takenMeanwhile(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Somebody took thread "${threadId}", or stored something in it, while it was imported. Nothing was imported. Give another id, or do it again where there is no thread with that id.`,
    { details: { threadId } },
  );
}
