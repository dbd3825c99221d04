import { wait, type Steps } from "../awaitable.ts";
import { parse } from "../codec/parse.ts";
import type { Json } from "../codec/types.ts";
import type { CheckpointRow, NewItem } from "../core/backend.ts";
import type { RunClaim } from "../core/claims.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { CHUNKS, VALUES } from "../core/stage.ts";
import { type Entry, type Manifest, pairsOf } from "../manifest/manifest.ts";
import { type Derivations, statesAtTips } from "./derived.ts";
import { METADATA, type Place, placeOfChannel } from "./places.ts";
import { Erasure } from "./redact.ts";
import {
  ATTEMPTS,
  eachItem,
  keepsChanging,
  readNamespaces,
  unaltered,
  type StoredNamespace,
} from "./stored-thread.ts";

export interface Asked {
  readonly messageId: string;
  readonly texts: readonly string[];
  readonly derived: Derivations | undefined;
}

/** How many rows were rewritten. */
export interface Changed {
  readonly items: number;
  readonly writes: number;
  readonly checkpoints: number;
}

/** What is to be rewritten in a thread. */
export interface Planned {
  readonly namespaces: readonly AlteredNamespace[];
  readonly items: readonly NewItem[];
}

export function* holds(log: ItemLog, threadId: string, asked: Asked): Steps<boolean> {
  const row = yield* wait(log.backend.find(threadId, ""));
  if (row === undefined) return false;
  const erasure = erasureOf(log, asked);
  yield* learn(log, row.tid, threadId, erasure);
  return erasure.found;
}

/** Undefined for a thread that does not hold the message. */
export function* planErasure(log: ItemLog, claim: RunClaim, asked: Asked): Steps<Planned | undefined> {
  const { tid, threadId } = claim;
  const erasure = erasureOf(log, asked);
  const { namespaces, lanes, placeOf } = yield* learn(log, tid, threadId, erasure);
  if (!erasure.found) return undefined;
  if (erasure.derived.length > 0) {
    const states = yield* statesAtTips(log, threadId, namespaces);
    const found = { messageId: asked.messageId, found: erasure.derived, states };
    erasure.rewrite = yield* wait(asked.derived?.rewrite(found));
  }
  const items: NewItem[] = [];
  for (const lane of lanes) {
    yield* eachItem(log.backend, tid, lane.lane, (item) => {
      const body = redacted(erasure, item.body, placeOf(lane, item));
      if (body !== undefined) items.push({ ...item, body });
    });
  }
  return { items, namespaces: namespaces.map((namespace) => withoutMessage(erasure, namespace)) };
}

/**
 * Changes a thread as planned, or as planned anew when somebody wrote to it meanwhile.
 *
 * @throws GraphError THREAD_CONFLICT when that goes on; nothing was changed in it
 */
export function* carryOut(
  log: ItemLog,
  claim: RunClaim,
  plan: Planned,
  asked: Asked,
): Steps<Changed | undefined> {
  let planned: Planned | undefined = plan;
  for (let attempt = 1; planned !== undefined; attempt += 1) {
    const alteration = { claim, ...planned, lanes: [], dropItems: [], overwrite: true };
    if (yield* wait(log.backend.alter(alteration))) return changedBy(planned);
    if (attempt === ATTEMPTS) throw keepsChanging(claim.threadId);
    planned = yield* planErasure(log, claim, asked);
  }
  return undefined;
}

function changedBy({ items, namespaces }: Planned): Changed {
  return {
    items: items.length,
    writes: namespaces.reduce((sum, { writes }) => sum + writes.length, 0),
    checkpoints: namespaces.reduce((sum, { checkpoints }) => sum + checkpoints.length, 0),
  };
}

const erasureOf = ({ codec }: ItemLog, { messageId, texts, derived }: Asked) =>
  new Erasure(messageId, texts, derived, codec);

interface LaneName {
  readonly lane: number;
  readonly name: string;
}

/** Looks for the message in everything that is stored of a thread. */
function* learn(log: ItemLog, tid: number, threadId: string, erasure: Erasure) {
  const namespaces = yield* readNamespaces(log.backend, threadId);
  const lanes = (yield* wait(log.backend.lanes(tid))).filter(({ name }) => name !== CHUNKS);
  const channels = channelsOfValues(namespaces);
  const placeOf = ({ lane, name }: LaneName, { ord }: NewItem): Place =>
    name === VALUES ? channels.get(`${lane}:${ord}`) : placeOfChannel(name);
  for (const lane of lanes) {
    yield* eachItem(log.backend, tid, lane.lane, (item) => {
      erasure.learn(parse(item.body), placeOf(lane, item));
    });
  }
  for (const { checkpoints, writes } of namespaces) {
    for (const { metadata, manifest } of checkpoints) {
      erasure.learn(parse(metadata), METADATA);
      for (const [channel, entry] of entriesOf(manifest))
        if (entry.kind === "inline") erasure.learn(parse(entry.text), placeOfChannel(channel));
    }
    for (const { body } of writes)
      for (const [channel, value] of writesIn(body)) erasure.learn(value, placeOfChannel(channel));
  }
  return { namespaces, lanes, placeOf };
}

/** Places of the items that are values of channels: these share one lane. */
function channelsOfValues(namespaces: readonly StoredNamespace[]): ReadonlyMap<string, Place> {
  const channels = new Map<string, Place>();
  for (const { manifest } of namespaces.flatMap(({ checkpoints }) => checkpoints)) {
    for (const [channel, entry] of entriesOf(manifest))
      if (entry.kind === "item") channels.set(`${entry.lane}:${entry.ord}`, placeOfChannel(channel));
  }
  return channels;
}

function* entriesOf({ entries }: Manifest): Generator<readonly [channel: string, entry: Entry]> {
  for (const [channel, entry] of pairsOf(entries)) if (entry !== null) yield [channel, entry];
}

const writesIn = (body: string) => parse(body) as [channel: string, value: Json][];

function redacted(erasure: Erasure, text: string, place: Place): string | undefined {
  const tree = erasure.redact(parse(text), place);
  return tree === undefined ? undefined : JSON.stringify(tree);
}

function withoutMessage(erasure: Erasure, namespace: StoredNamespace): AlteredNamespace {
  const checkpoints = namespace.checkpoints.flatMap((row) => redactedCheckpoint(erasure, row) ?? []);
  const writes = namespace.writes.flatMap((write): WriteAt[] => {
    const body = redactedWrites(erasure, write.body);
    return body === undefined ? [] : [{ ...write, body }];
  });
  return { ...unaltered(namespace.row), checkpoints, writes };
}

function redactedWrites(erasure: Erasure, body: string): string | undefined {
  let changed = false;
  const writes = writesIn(body).map(([channel, value]) => {
    const left = erasure.redact(value, placeOfChannel(channel));
    changed ||= left !== undefined;
    return [channel, left ?? value];
  });
  return changed ? JSON.stringify(writes) : undefined;
}

function redactedCheckpoint(erasure: Erasure, row: CheckpointRow): CheckpointRow | undefined {
  const { manifest } = row;
  const metadata = redacted(erasure, row.metadata, METADATA);
  let changed = metadata !== undefined;
  const entries = [...pairsOf(manifest.entries)].flatMap(([channel, entry]) => {
    const text =
      entry?.kind === "inline" ? redacted(erasure, entry.text, placeOfChannel(channel)) : undefined;
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
