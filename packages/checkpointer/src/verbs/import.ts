import { GraphError } from "@skein/errors";
import { run, wait, type Steps } from "../awaitable.ts";
import type { Claim } from "../changeset/types.ts";
import type { CheckpointRow, NewItem } from "../core/backend.ts";
import type { RunClaim } from "../core/claims.ts";
import { givenThreadId } from "../core/given.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { weigh } from "../manifest/base.ts";
import { parseManifest } from "../manifest/text.ts";
import { Chains } from "./chains.ts";
import { EXPORT_FORMAT } from "./export.ts";
import { Line, splitLines } from "./lines.ts";
import { PAGE } from "./stored-thread.ts";

export interface ImportReport {
  /** Id of the thread as it is stored now. */
  readonly threadId: string;
  readonly checkpoints: number;
  /** Messages, list elements and longer values. */
  readonly items: number;
}

export interface ImportOptions {
  /** Id of the new thread. Default: the one that was exported. */
  readonly as?: string;
}

type Source = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Stores a thread from the lines of `exportThread`. It has no head, and nobody sees its checkpoints,
 * before its last line was read; when anything is wrong, nothing stays.
 *
 * @throws GraphError INVALID_INPUT for lines that are not as they were written, INVALID_CONFIGURATION
 *   when there is a thread with that id
 */
export async function importThread(
  log: ItemLog,
  source: Source,
  options: ImportOptions,
): Promise<ImportReport> {
  const lines = splitLines(source);
  const first = await lines.next();
  const header = new Line(first.done === true ? "" : first.value, 1);
  if (!header.has("skein") || header.text("skein") !== "thread")
    throw header.wrong("is not the head of a thread");
  if (header.count("format") > EXPORT_FORMAT) throw newerExport(header.count("format"));
  const threadId = givenThreadId(options.as ?? header.text("thread"));
  const claim = await run(newThread(log, threadId));
  try {
    const target = new ImportedThread(log, claim);
    let number = 1;
    for await (const text of lines) {
      number += 1;
      await target.take(new Line(text, number));
    }
    return { threadId, ...(await target.finish(new Line("{}", number + 1))) };
  } catch (error) {
    await log.backend.delete(threadId);
    throw error;
  } finally {
    await log.release(claim);
    log.forget(threadId);
  }
}

/** Takes a thread that has nothing in it; the remains of an import that was killed are removed. */
export function* newThread(log: ItemLog, threadId: string): Steps<RunClaim> {
  const { backend } = log;
  const found = yield* wait(backend.find(threadId, ""));
  const claimed = yield* wait(log.open({ threadId, namespace: "" }, { claim: "fail" }));
  const claim = claimed.claim as Claim;
  const used = yield* wait(backend.namespaces(threadId));
  if (found === undefined) return claim as RunClaim;
  yield* wait(log.release(claim));
  if (used.length > 0) throw threadExists(threadId);
  yield* wait(backend.delete(threadId));
  log.forget(threadId);
  return (yield* wait(log.open({ threadId, namespace: "" }, { claim: "fail" }))).claim as RunClaim;
}

class ImportedThread {
  readonly #log: ItemLog;
  readonly #claim: RunClaim;
  readonly #heads = new Map<string, { head: number | null; next: number }>();
  readonly #chains = new Map<string, Chains>();
  #namespace: string | undefined;
  #lane: number | undefined;
  #lanes: { lane: number; name: string }[] = [];
  #items: NewItem[] = [];
  #checkpoints: CheckpointRow[] = [];
  #writes: WriteAt[] = [];
  #counts = { checkpoints: 0, items: 0 };
  #complete = false;

  constructor(log: ItemLog, claim: RunClaim) {
    this.#log = log;
    this.#claim = claim;
  }

  async take(line: Line): Promise<void> {
    if (this.#complete) throw line.wrong("stands behind the end of the thread");
    if (line.has("namespace")) await this.#takeNamespace(line);
    else if (line.has("lane")) this.#takeLane(line);
    else if (line.has("ord")) this.#takeItem(line);
    else if (line.has("under")) this.#takeWrite(line);
    else if (line.has("seq")) this.#takeCheckpoint(line);
    else if (line.has("end")) this.#takeEnd(line);
    else throw line.wrong("is of no kind that is known");
    if (this.#items.length + this.#checkpoints.length + this.#writes.length >= PAGE) await this.#store([]);
  }

  async #takeNamespace(line: Line): Promise<void> {
    await this.#store([]);
    this.#namespace = line.text("namespace");
    this.#heads.set(this.#namespace, { head: line.countOrNull("head"), next: line.count("next") });
    this.#chains.set(this.#namespace, new Chains());
  }

  #takeLane(line: Line): void {
    this.#lane = line.count("lane");
    this.#lanes.push({ lane: this.#lane, name: line.text("name") });
  }

  #takeItem(line: Line): void {
    if (this.#lane === undefined) throw line.wrong("is an item and stands before the first lane");
    const [ord, key, body] = [line.count("ord"), line.countOrNull("key"), line.encoded("body")];
    this.#items.push({ lane: this.#lane, ord, key, body });
    this.#counts.items += 1;
  }

  #takeWrite(line: Line): void {
    const [seq, task, slot] = [line.count("under"), line.text("task"), line.whole("slot")];
    this.#writes.push({ seq, task, slot, body: line.encoded("body") });
  }

  #takeCheckpoint(line: Line): void {
    if (this.#namespace === undefined)
      throw line.wrong("is a checkpoint and stands before the first namespace");
    let manifest: CheckpointRow["manifest"];
    try {
      manifest = parseManifest(line.encoded("manifest"));
    } catch (cause) {
      throw line.wrong("has a manifest that cannot be read", cause);
    }
    const [seq, parent, base] = [line.count("seq"), line.countOrNull("parent"), line.count("base")];
    if (parent !== null && parent >= seq)
      throw line.wrong("is a checkpoint whose parent does not come before it");
    if (this.#chains.get(this.#namespace)?.add({ seq, parent, base }) !== true)
      throw line.wrong("is a checkpoint that builds on one that is not before it");
    this.#checkpoints.push({
      seq,
      id: line.text("id"),
      parent,
      parentId: line.textOrNull("parentId"),
      base,
      ts: line.text("ts"),
      metadata: line.encoded("metadata"),
      manifest,
      weight: weigh(manifest),
    });
    this.#counts.checkpoints += 1;
  }

  #takeEnd(line: Line): void {
    const { checkpoints, items } = this.#counts;
    if (line.count("checkpoints") !== checkpoints || line.count("items") !== items)
      throw line.wrong(`counts other lines than the ${checkpoints} checkpoints and ${items} items before it`);
    for (const [name, { head }] of this.#heads) {
      if (head !== null && this.#chains.get(name)?.has(head) !== true)
        throw line.wrong(`comes without checkpoint ${head}, which is the head of namespace "${name}"`);
    }
    this.#complete = true;
  }

  /** Makes visible what was stored. */
  async finish(after: Line): Promise<{ checkpoints: number; items: number }> {
    if (!this.#complete) throw after.wrong("is missing: the thread has no end");
    await this.#store([]);
    await this.#store(
      [...this.#heads].map(([name, place]) => ({
        name,
        ...place,
        seen: undefined,
        checkpoints: [],
        writes: [],
        drop: [],
      })),
    );
    return this.#counts;
  }

  async #store(heads: readonly AlteredNamespace[]): Promise<void> {
    const name = this.#namespace;
    const rows = { checkpoints: this.#checkpoints, writes: this.#writes, drop: [] };
    const hidden: AlteredNamespace[] =
      name === undefined ? [] : [{ name, seen: undefined, head: null, next: 1, ...rows }];
    const done = await this.#log.backend.alter({
      claim: this.#claim,
      namespaces: heads.length > 0 ? heads : hidden,
      lanes: this.#lanes,
      items: this.#items,
      dropItems: [],
      overwrite: false,
    });
    if (!done) throw takenMeanwhile(this.#claim.threadId);
    [this.#lanes, this.#items, this.#checkpoints, this.#writes] = [[], [], [], []];
  }
}

export function threadExists(threadId: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `There is a thread "${threadId}" already; nothing was changed. Give another id, or delete that thread first.`,
    { details: { threadId } },
  );
}

function newerExport(format: number): GraphError {
  return new GraphError(
    "STORAGE_NEWER",
    `The exported thread has format ${format}; this version of @skein/checkpointer reads formats up to ${EXPORT_FORMAT}. Nothing was imported. Update @skein/checkpointer.`,
    { details: { format, supported: EXPORT_FORMAT } },
  );
}

function takenMeanwhile(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Somebody took thread "${threadId}" while it was imported. Nothing was imported; do it again.`,
    { details: { threadId } },
  );
}
