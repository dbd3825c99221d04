import { BaseLangGraphError } from "../errors/base.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { SIGNALS } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import type { Slot, Snapshot, Version } from "./snapshot.ts";

/** What one task, or an input, contributes to a step. */
export interface Contribution {
  /** Name under which it has seen its triggers. */
  readonly name: string;
  readonly triggers: readonly string[];
  readonly writes: readonly Write[];
  /** Of a task: orders the writes of channels that are stored as their writes, as a replay will. */
  readonly id?: string;
}

/** What of a step is applied at once. */
export interface Part {
  /** Whether the step goes on: nodes that wait until nothing else is to do still wait. */
  readonly goesOn?: boolean;
  /** Channels that earlier parts of the step changed. */
  readonly earlier?: ReadonlySet<string> | undefined;
}

const WHOLE: Part = {};

/**
 * Applies a step: marks triggers as seen, merges all writes, channel by channel in task order (I2),
 * and gives every channel that changed one new version above all others (I1). The contributions
 * must be in task order. Touches only channels that the step touches (I7).
 *
 * If a reducer throws, the snapshot is of no more use; nothing of it was stored (I4).
 */
export function apply(snapshot: Snapshot, contributions: readonly Contribution[], part = WHOLE): void {
  const step = new Step(snapshot);
  // an input to a thread that has nothing pending ends no step
  let advance = false;
  for (const { name, triggers } of contributions) {
    if (triggers.length > 0) advance = true;
    step.consume(name, triggers);
  }
  const writes = group(snapshot, contributions);
  for (const [slot, values] of writes) {
    snapshot.replacing(slot);
    if (update(slot, values)) step.change(slot);
  }
  for (const slot of writes.keys()) step.echo(slot);
  if (advance) {
    step.drop();
    if (!part.goesOn && !step.wakes(step.updated) && !step.stillWakes(part.earlier)) step.finish();
  }
  snapshot.updated = step.updated;
  snapshot.advanced();
}

/**
 * Throws what `apply` would throw about these contributions, one list after the other, on copies of the
 * channels: the snapshot stays as it is.
 */
export function assertApplicable(snapshot: Snapshot, ...lists: readonly (readonly Contribution[])[]): void {
  const copies = new Map<Slot, Slot>();
  for (const contributions of lists) {
    for (const [slot, values] of group(snapshot, contributions)) {
      const copy = copies.get(slot) ?? { ...slot, channel: slot.channel.fork() };
      copies.set(slot, copy);
      update(copy, values);
    }
  }
}

function group(snapshot: Snapshot, contributions: readonly Contribution[]): Map<Slot, unknown[]> {
  const writes = new Map<Slot, unknown[]>();
  // many Sends write the same channel one after the other
  let last: string | undefined;
  let values: unknown[] | undefined;
  for (const contribution of contributions) {
    for (const [channel, value] of contribution.writes) {
      if (channel !== last) {
        last = channel;
        const slot = SIGNALS.has(channel) ? undefined : snapshot.slot(channel);
        values = slot && writes.get(slot);
        if (slot !== undefined && values === undefined) {
          writes.set(slot, (values = [value]));
          continue;
        }
      }
      values?.push(value);
    }
  }
  for (const [slot, values] of writes) {
    if (values.length > 1 && slot.channel.snapshotEvery !== undefined) {
      writes.set(slot, byTaskId(slot.name, contributions));
    }
  }
  return writes;
}

/** Writes to a channel in the order in which a saver gives them back for a replay. */
function byTaskId(channel: string, contributions: readonly Contribution[]): unknown[] {
  return contributions
    .toSorted(({ id: a = "" }, { id: b = "" }) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(({ writes }) => writes.filter(([name]) => name === channel).map(([, value]) => value));
}

function update(slot: Slot, values: readonly unknown[]): boolean {
  try {
    return slot.channel.update(values);
  } catch (error) {
    if (!(error instanceof InvalidUpdateError)) throw error;
    throw new InvalidUpdateError(`Invalid update for channel "${slot.name}": ${error.message}`, {
      code: error.code,
      cause: error,
      details: { channel: slot.name },
      ...(error instanceof BaseLangGraphError && error.lc_error_code !== undefined
        ? { lc_error_code: error.lc_error_code }
        : {}),
    });
  }
}

class Step {
  readonly updated = new Set<string>();
  readonly #snapshot: Snapshot;
  #version: Version | undefined;
  /** What was consumed last: many Sends come one after the other. */
  #consumer: string | undefined;
  #consumed: readonly string[] | undefined;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }
  consume(name: string, triggers: readonly string[]): void {
    if (name === this.#consumer && triggers === this.#consumed) return;
    this.#consumer = name;
    this.#consumed = triggers;
    const snapshot = this.#snapshot;
    if (triggers.length === 0) {
      snapshot.seenOf(name);
      snapshot.seenChanged.add(name);
      return;
    }
    for (const channel of triggers) {
      const slot = snapshot.slot(channel);
      if (slot === undefined) {
        snapshot.seenOf(name);
        snapshot.seenChanged.add(name);
        continue;
      }
      if (slot.version !== undefined) {
        snapshot.seenOf(name).set(channel, slot.version);
        snapshot.seenChanged.add(name);
      }
      if (slot.channel.consume()) this.#bump(slot);
    }
  }
  change(slot: Slot): void {
    this.#bump(slot);
    if (slot.channel.isAvailable()) {
      this.updated.add(slot.name);
      if (slot.channel.transient) this.#snapshot.transient.add(slot);
    }
  }
  /** Hands what a channel did on to the channel that keeps a log of it. */
  echo(slot: Slot): void {
    const { echo } = slot.channel;
    if (echo === undefined) return;
    const log = this.#snapshot.slot(echo);
    if (log !== undefined && log.channel.append(slot.channel.takeEcho())) this.change(log);
  }
  drop(): void {
    for (const slot of this.#snapshot.transient) {
      if (this.updated.has(slot.name)) continue;
      this.#snapshot.replacing(slot);
      if (slot.channel.update([])) this.#bump(slot);
      if (!slot.channel.isAvailable()) this.#snapshot.transient.delete(slot);
    }
  }
  wakes(channels: Iterable<string>): boolean {
    for (const channel of channels) if (this.#snapshot.program.triggers.has(channel)) return true;
    return false;
  }
  /** The same for channels that an earlier part changed, of which this one may have dropped some. */
  stillWakes(channels: Iterable<string> = []): boolean {
    const { program } = this.#snapshot;
    for (const name of channels)
      if (program.triggers.has(name) && this.#snapshot.slot(name)?.channel.isAvailable()) return true;
    return false;
  }
  finish(): void {
    for (const name of this.#snapshot.program.deferred) {
      const slot = this.#snapshot.slot(name);
      if (slot?.channel.finish()) this.change(slot);
    }
  }
  #bump(slot: Slot): void {
    if (this.#version === undefined) {
      this.#version = this.#snapshot.nextVersion(this.#snapshot.version);
      this.#snapshot.version = this.#version;
    }
    slot.version = this.#version;
    this.#snapshot.changed.add(slot);
    this.#snapshot.touched(slot);
  }
}
