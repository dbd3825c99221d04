import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import { wait, type Steps } from "../awaitable.ts";
import type { ChannelChange, Segment } from "../changeset/types.ts";
import { isSparse } from "../codec/sparse.ts";
import { isWhole } from "../manifest/list-image.ts";
import type { Ranges } from "../manifest/ranges.ts";
import type { Entry } from "../manifest/manifest.ts";
import { idOf, keyOf } from "./hash.ts";
import type { ItemLog } from "./item-log.ts";
import { imageOf, INLINE_LIMIT } from "./entries.ts";
import type { Draft } from "./plan.ts";
import { isStillSaid, isUnchanged, type Known } from "./known.ts";
import type { Snapshot, ThreadState } from "./state.ts";
import { entryValue } from "./stored.ts";

type Diff = Pick<Draft, "channels" | "channelVersions" | "dropped" | "versionsSeen" | "forgotten">;

/**
 * How a complete checkpoint differs from its parent, as a change set. Only channels that the
 * caller says are new are looked at; others keep the parent's entry, and so does an archive that
 * the checkpoint does not carry.
 *
 * @param isUpdate - whether others are looked at, too: LangGraph's `updateState` takes in what tasks wrote that
 *   had finished, and gives their channels no new versions
 */
export function* diffChannels(
  log: ItemLog,
  state: ThreadState,
  parent: Snapshot | undefined,
  checkpoint: Checkpoint,
  newVersions: ChannelVersions,
  isUpdate: boolean,
): Steps<Diff> {
  const old = parent?.folded;
  const values = checkpoint.channel_values;
  const channels = new Map<string, ChannelChange>();
  for (const channel of Object.keys(newVersions)) {
    const entry = old?.entries.get(channel);
    if (Object.hasOwn(values, channel)) {
      channels.set(channel, yield* valueChange(log, state, entry, values[channel]));
    } else if (entry !== undefined && entry.kind !== "log") channels.set(channel, { op: "clear" });
  }
  for (const channel of isUpdate ? Object.keys(values) : []) {
    const entry = old?.entries.get(channel);
    // an archive is more than the list that a checkpoint carries of it
    if (entry?.kind === "log" || Object.hasOwn(newVersions, channel)) continue;
    const change = yield* valueChange(log, state, entry, values[channel]);
    if (!(yield* saysNothing(log, state, entry, change))) channels.set(channel, change);
  }
  const versions = checkpoint.channel_versions ?? {};
  const channelVersions: ChannelVersions = {};
  for (const channel of Object.keys(versions)) {
    const version = versions[channel] as ChannelVersions[string];
    if (old?.versions.get(channel) !== version) channelVersions[channel] = version;
  }
  const dropped: string[] = [];
  for (const channel of old?.versions.keys() ?? []) {
    if (!Object.hasOwn(versions, channel) && old?.entries.get(channel)?.kind !== "log") dropped.push(channel);
  }
  const versionsSeen = checkpoint.versions_seen ?? {};
  const forgotten = [...(old?.seen.keys() ?? [])].filter((node) => !Object.hasOwn(versionsSeen, node));
  return { channels, channelVersions, dropped, versionsSeen, forgotten };
}

function* valueChange(
  log: ItemLog,
  state: ThreadState,
  entry: Entry | undefined,
  value: unknown,
): Steps<ChannelChange> {
  if (!Array.isArray(value)) return { op: "set", value };
  const list: readonly unknown[] = value;
  // a range of items has no holes
  if (entry?.kind !== "log" && isSparse(list)) return { op: "set", value };
  const isList = entry?.kind === "list" || entry?.kind === "log";
  if (!isList && !list.some((element) => idOf(element) !== undefined)) {
    if (list.length === 0 || log.codec.encode(list).length <= INLINE_LIMIT) return { op: "set", value };
  }
  if (!isList) return { op: "list", segments: [{ add: list }] };
  const ranges = yield* log.reader(state).ranges(entry);
  return { op: "list", segments: yield* new ListDiff(log, state, ranges).segments(list) };
}

/** Whether a change leaves a channel as it is. */
function* saysNothing(
  log: ItemLog,
  state: ThreadState,
  entry: Entry | undefined,
  change: ChannelChange,
): Steps<boolean> {
  if (change.op === "list") {
    const { segments } = change;
    const image = imageOf(entry);
    return segments.length === 0 ? image.length === 0 : segments.length === 1 && isWhole(segments[0], image);
  }
  if (change.op !== "set") return false;
  // a list without elements is a default
  if (entry === undefined) return Array.isArray(change.value) && change.value.length === 0;
  const stored = yield* entryValue(entry, log.codec, log.reader(state));
  return log.codec.encode(stored) === log.codec.encode(change.value);
}

/** Elements at the end of a list whose known items are compared whole: the ones programs edit in place. */
const CHECKED_TAIL = 4;

/** Finds out which elements of a list are items that the parent's list has already. */
class ListDiff {
  readonly #log: ItemLog;
  readonly #state: ThreadState;
  readonly #ranges: Ranges;
  #texts: Map<string, number> | undefined;
  #cursor = 0;
  #cursorStart = 0;

  constructor(log: ItemLog, state: ThreadState, ranges: Ranges) {
    this.#log = log;
    this.#state = state;
    this.#ranges = ranges;
  }

  *segments(list: readonly unknown[]): Steps<Segment[]> {
    const segments: Segment[] = [];
    for (const [i, element] of list.entries()) {
      let place = this.#byIdentity(element);
      if (place !== undefined && i >= list.length - CHECKED_TAIL && !(yield* this.#isStored(element))) {
        this.#state.identity.delete(element as object);
        place = undefined;
      }
      place ??= yield* this.#byContent(element);
      if (place === undefined) add(segments, element);
      else keep(segments, place);
    }
    return segments;
  }

  #byIdentity(element: unknown): number | undefined {
    if (typeof element !== "object" || element === null) return undefined;
    const known = this.#state.itemOf(element);
    if (known === undefined || !isUnchanged(this.#log.codec, element, known)) return undefined;
    return this.#position(known.lane, known.ord);
  }

  *#isStored(element: unknown): Steps<boolean> {
    const { lane, ord, text } = this.#state.identity.get(element as object) as Known;
    // compared already
    if (text !== undefined) return true;
    const [body] = yield* this.#log.reader(this.#state).bodies([lane, ord, ord + 1]);
    return body !== undefined && isStillSaid(this.#log.codec, body, this.#log.codec.encode(element));
  }

  /** For clones, and for elements that have no identity. Reads the old list only if it has to. */
  *#byContent(element: unknown): Steps<number | undefined> {
    const key = keyOf(element);
    if (key === null) {
      this.#texts ??= yield* this.#allTexts();
      return this.#texts.get(this.#log.codec.encode(element));
    }
    for (const lane of lanesOf(this.#ranges)) {
      for (const { ord } of yield* wait(this.#log.backend.itemsByKey(this.#state.tid, lane, [key]))) {
        const place = this.#position(lane, ord);
        if (place === undefined) continue;
        const [body] = yield* this.#log.reader(this.#state).bodies([lane, ord, ord + 1]);
        if (body !== undefined && isStillSaid(this.#log.codec, body, this.#log.codec.encode(element)))
          return place;
      }
    }
    return undefined;
  }

  *#allTexts(): Steps<Map<string, number>> {
    const texts = new Map<string, number>();
    const bodies = yield* this.#log.reader(this.#state).bodies(this.#ranges);
    for (const [i, body] of bodies.entries()) if (!texts.has(body)) texts.set(body, i);
    return texts;
  }

  /** Position in the old list. Lists are walked in order, so the search starts where the last ended. */
  #position(lane: number, ord: number): number | undefined {
    const { length } = this.#ranges;
    for (let tried = 0; tried < length; tried += 3) {
      const from = this.#ranges[this.#cursor + 1] as number;
      const to = this.#ranges[this.#cursor + 2] as number;
      if (this.#ranges[this.#cursor] === lane && ord >= from && ord < to)
        return this.#cursorStart + ord - from;
      this.#cursorStart += to - from;
      this.#cursor += 3;
      if (this.#cursor === length) this.#cursor = this.#cursorStart = 0;
    }
    return undefined;
  }
}

function lanesOf(ranges: Ranges): Set<number> {
  const lanes = new Set<number>();
  for (let i = 0; i < ranges.length; i += 3) lanes.add(ranges[i] as number);
  return lanes;
}

function keep(segments: Segment[], place: number): void {
  const last = segments.at(-1);
  if (last !== undefined && "keep" in last && last.keep[1] === place) {
    segments[segments.length - 1] = { keep: [last.keep[0], place + 1] };
  } else segments.push({ keep: [place, place + 1] });
}

function add(segments: Segment[], element: unknown): void {
  const last = segments.at(-1);
  if (last !== undefined && "add" in last) (last.add as unknown[]).push(element);
  else segments.push({ add: [element] });
}
