import { GraphError, shown } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import { parse } from "../codec/parse.ts";
import type { CheckpointRow, NewItem } from "../core/backend.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { CHUNKS } from "../core/stage.ts";
import { type Manifest, pairsOf } from "../manifest/manifest.ts";
import { statesAtTips, type Derivations } from "./derived.ts";
import { Erasure } from "./redact.ts";
import {
  eachItem,
  findThread,
  readNamespaces,
  unaltered,
  withThread,
  type StoredNamespace,
} from "./stored-thread.ts";

export interface EraseOptions {
  /** Follows the message into what was made of it in other words. Default: only quotes are followed. */
  readonly derived?: Derivations;
  /**
   * Texts that are erased with it wherever they stand in its threads, however short: a number, a
   * name. Compared as they are. Default: none.
   */
  readonly texts?: readonly string[];
}

export interface EraseReport {
  /** Threads that held the message: the one that was named, copies of it, and what it was copied from. */
  readonly threads: readonly string[];
  /** Stored messages, list elements and longer values that were rewritten. */
  readonly items: number;
  /** Writes of tasks that were rewritten. */
  readonly writes: number;
  /** Checkpoints whose metadata or short values were rewritten. */
  readonly checkpoints: number;
}

/** Takes what a message says out of a thread and of its relatives; a tombstone keeps its place. */
export function* eraseMessage(
  log: ItemLog,
  threadId: string,
  messageId: string,
  options: EraseOptions,
): Steps<EraseReport> {
  checkTexts(options.texts ?? []);
  checkDerived(options.derived);
  const row = yield* findThread(log.backend, threadId);
  const report = { threads: [] as string[], items: 0, writes: 0, checkpoints: 0 };
  for (const id of [threadId, ...(yield* wait(log.backend.relatives(row.tid)))]) {
    const changed = yield* eraseIn(log, id, messageId, options);
    if (changed === undefined) continue;
    report.threads.push(id);
    report.items += changed.items;
    report.writes += changed.writes;
    report.checkpoints += changed.checkpoints;
  }
  return report;
}

function checkTexts(texts: readonly string[]): void {
  if (Array.isArray(texts) && texts.every((text) => typeof text === "string" && text.trim() !== "")) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "Texts to erase are a list of strings that are not blank: a blank stands in every text. Nothing was changed.",
  );
}

function checkDerived(derived: unknown): void {
  if (derived === undefined || derived === null) return;
  const { matches, rewrite } = derived as Partial<Derivations>;
  if (typeof matches === "function" && typeof rewrite === "function") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `What follows a message into what was made of it has matches and rewrite; ${shown(derived)} was given. Nothing was changed.`,
  );
}

type Changed = Omit<EraseReport, "threads">;

/** Undefined for a thread that does not hold the message. */
function* eraseIn(
  log: ItemLog,
  threadId: string,
  messageId: string,
  { derived, texts: also }: EraseOptions,
): Steps<Changed | undefined> {
  const { tid } = yield* findThread(log.backend, threadId);
  // a thread without it is not even taken
  const sought = new Erasure(messageId, also ?? [], derived);
  yield* learn(log, tid, threadId, sought);
  if (!sought.found) return undefined;
  const result = yield* withThread(log, threadId, function* (claim) {
    const { backend } = log;
    const erasure = new Erasure(messageId, also ?? [], derived);
    const { namespaces, lanes } = yield* learn(log, claim.tid, threadId, erasure);
    if (!erasure.found) return null;
    if (erasure.derived.length > 0) {
      const states = yield* statesAtTips(log, threadId, namespaces);
      const rewrite = derived?.rewrite({ messageId, found: erasure.derived, states });
      erasure.rewrite = yield* wait(rewrite);
    }
    const items: NewItem[] = [];
    for (const { lane } of lanes) {
      yield* eachItem(backend, claim.tid, lane, (item) => {
        const body = redacted(erasure, item.body);
        if (body !== undefined) items.push({ ...item, body });
      });
    }
    const altered = namespaces.map((namespace) => withoutMessage(erasure, namespace));
    const done = yield* wait(
      backend.alter({ claim, namespaces: altered, lanes: [], items, dropItems: [], overwrite: true }),
    );
    if (!done) return undefined;
    return {
      items: items.length,
      writes: altered.reduce((sum, { writes }) => sum + writes.length, 0),
      checkpoints: altered.reduce((sum, { checkpoints }) => sum + checkpoints.length, 0),
    };
  });
  return result ?? undefined;
}

/** Looks for the message in everything that is stored of a thread. */
function* learn(log: ItemLog, tid: number, threadId: string, erasure: Erasure) {
  const namespaces = yield* readNamespaces(log.backend, threadId);
  const lanes = (yield* wait(log.backend.lanes(tid))).filter(({ name }) => name !== CHUNKS);
  for (const { lane } of lanes)
    yield* eachItem(log.backend, tid, lane, ({ body }) => erasure.learn(parse(body)));
  for (const text of namespaces.flatMap(texts)) erasure.learn(parse(text));
  return { namespaces, lanes };
}

/** Everything of a namespace that holds encoded values. */
function texts({ checkpoints, writes }: StoredNamespace): string[] {
  return [
    ...checkpoints.flatMap(({ metadata, manifest }) => [metadata, ...inlineTexts(manifest)]),
    ...writes.map(({ body }) => body),
  ];
}

function inlineTexts({ entries }: Manifest): string[] {
  return [...pairsOf(entries)].flatMap(([, entry]) => (entry?.kind === "inline" ? [entry.text] : []));
}

function redacted(erasure: Erasure, text: string): string | undefined {
  const tree = erasure.redact(parse(text));
  return tree === undefined ? undefined : JSON.stringify(tree);
}

function withoutMessage(erasure: Erasure, namespace: StoredNamespace): AlteredNamespace {
  const checkpoints = namespace.checkpoints.flatMap((row) => redactedCheckpoint(erasure, row) ?? []);
  const writes = namespace.writes.flatMap((write): WriteAt[] => {
    const body = redacted(erasure, write.body);
    return body === undefined ? [] : [{ ...write, body }];
  });
  return { ...unaltered(namespace.row), checkpoints, writes };
}

function redactedCheckpoint(erasure: Erasure, row: CheckpointRow): CheckpointRow | undefined {
  const { manifest } = row;
  const metadata = redacted(erasure, row.metadata);
  let changed = metadata !== undefined;
  const entries = [...pairsOf(manifest.entries)].flatMap(([channel, entry]) => {
    const text = entry?.kind === "inline" ? redacted(erasure, entry.text) : undefined;
    changed ||= text !== undefined;
    return [channel, text === undefined ? entry : ({ kind: "inline", text } as const)];
  });
  if (!changed) return undefined;
  return {
    seq: row.seq,
    id: row.id,
    parent: row.parent,
    parentId: row.parentId,
    base: row.base,
    ts: row.ts,
    metadata: metadata ?? row.metadata,
    manifest: { ...manifest, entries },
    weight: row.weight,
  };
}
