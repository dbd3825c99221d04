import { type BaseChannel, type Held, heldBy } from "../channels/base.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import type { Program, Write } from "../program/program.ts";
import { expand } from "../program/several.ts";
import { Epoch, lazyState } from "./lazy-state.ts";
import { pushTo } from "../channels/push-to.ts";

export type Version = number | string;

/** A channel of a run, with its version. */
export interface Slot {
  readonly name: string;
  readonly channel: BaseChannel;
  version: Version | undefined;
}

/** What a run starts from: versions, what nodes have seen, and stored values. */
export interface SnapshotSource {
  readonly checkpointId: string;
  readonly step: number;
  readonly versions: Readonly<Record<string, Version>>;
  readonly seen: Readonly<Record<string, Readonly<Record<string, Version>>>>;
  /** A live channel for a stored one; undefined when nothing is stored under the name. */
  readonly restore: (name: string, definition: BaseChannel) => BaseChannel | undefined;
  readonly nextVersion: (current: Version | undefined) => Version;
}

/**
 * The state of one run of one graph. The core (`plan`, `apply`) is synchronous and is the only one
 * that changes it; the shell around it loads, runs tasks and stores.
 */
export class Snapshot {
  readonly program: Program;
  readonly nextVersion: (current: Version | undefined) => Version;
  /** What each node last saw of its triggers. */
  readonly seen = new Map<string, Map<string, Version>>();
  /** Channels whose last update was in the last step and that have a value; undefined: not known. */
  updated: Set<string> | undefined;
  /** Highest version of any channel (I1). */
  version: Version | undefined;
  checkpointId: string;
  step: number;
  /** Changed since the journal last asked. */
  readonly changed = new Set<Slot>();
  readonly seenChanged = new Set<string>();
  /** Channels with a value that lasts one step. */
  readonly transient = new Set<Slot>();
  readonly #slots = new Map<string, Slot>();
  readonly #source: SnapshotSource;
  readonly #views = new Map<readonly string[], View>();
  #epoch = new Epoch();

  constructor(program: Program, source: SnapshotSource) {
    this.program = program;
    this.#source = source;
    this.nextVersion = source.nextVersion;
    this.checkpointId = source.checkpointId;
    this.step = source.step;
    for (const [name, version] of Object.entries(source.versions)) {
      if (this.version === undefined || version > this.version) this.version = version;
      if (!program.channels.get(name)?.transient) continue;
      const slot = this.slot(name);
      if (slot?.channel.isAvailable()) this.transient.add(slot);
    }
    for (const [node, seen] of Object.entries(source.seen))
      this.seen.set(node, new Map(Object.entries(seen)));
  }

  /** The channel of a name, made when it is first asked for (I7); undefined if the graph has none. */
  slot(name: string): Slot | undefined {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const definition = this.program.channels.get(name);
    if (definition === undefined) return undefined;
    const channel = this.#source.restore(name, definition) ?? definition.fromCheckpoint(undefined);
    const version = Object.hasOwn(this.#source.versions, name) ? this.#source.versions[name] : undefined;
    const slot: Slot = { name, channel, version };
    this.#slots.set(name, slot);
    return slot;
  }
  /** Versions of channels that the program does not know; a foreign graph's, kept as they are. */
  get sourceVersions(): Readonly<Record<string, Version>> {
    return this.#source.versions;
  }
  /** All channels that this run has touched. */
  slots(): IterableIterator<Slot> {
    return this.#slots.values();
  }
  /** The highest version that "__interrupt__" has seen. */
  seenOf(node: string): Map<string, Version> {
    let seen = this.seen.get(node);
    if (seen === undefined) this.seen.set(node, (seen = new Map()));
    return seen;
  }

  /** Values of the given keys that have one, in an object of the caller's own. */
  read(keys: readonly string[]): Record<string, unknown> {
    const view = this.#view(keys);
    view.values ??= this.#build(keys);
    return { ...view.values };
  }
  /** The same, for a node: a large state is not copied for each node but read through. */
  state(keys: readonly string[]): Record<string, unknown> {
    if (keys.length <= LAZY_FROM) return this.read(keys);
    return this.#lazy(keys, {});
  }
  #lazy(keys: readonly string[], known: Record<string, unknown>): Record<string, unknown> {
    return lazyState(this.#view(keys).keys, this.#epoch, (key) => this.held(key), known);
  }
  #view(keys: readonly string[]): View {
    let view = this.#views.get(keys);
    if (view === undefined) this.#views.set(keys, (view = { keys: new Set(keys), values: undefined }));
    return view;
  }
  #build(keys: readonly string[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const key of keys) {
      const held = this.held(key);
      if (held !== "absent") values[key] = held.value;
    }
    return values;
  }
  /** The value of a channel. */
  held(key: string): Held {
    return heldBy(this.slot(key)?.channel);
  }
  /** To be called before a channel changes: states that were handed out go on showing what was. */
  replacing(slot: Slot): void {
    if (this.#epoch.used) this.#epoch.keep(slot.name, this.held(slot.name));
  }
  /** To be called when a step was applied. */
  advanced(): void {
    if (!this.#epoch.used) return;
    const next = new Epoch();
    this.#epoch.next = next;
    this.#epoch = next;
  }
  /** To be called when a channel changed: keeps the objects behind `read` in step. */
  touched(slot: Slot): void {
    for (const view of this.#views.values()) {
      if (view.values === undefined || !view.keys.has(slot.name)) continue;
      // a key that comes or goes would break the order of keys
      if (Object.hasOwn(view.values, slot.name) && slot.channel.isAvailable()) {
        view.values[slot.name] = slot.channel.get();
      } else view.values = undefined;
    }
  }
  /** Values as they would be after the given writes, which are not applied. */
  readFresh(keys: readonly string[], writes: readonly Write[]): Record<string, unknown> {
    const known = this.#view(keys).keys;
    const byKey = new Map<string, unknown[]>();
    for (const [key, value] of expand(writes)) {
      if (known.has(key)) pushTo(byKey, key, value);
    }
    const isLazy = keys.length > LAZY_FROM;
    const values = isLazy ? {} : this.read(keys);
    let isOrdered = true;
    for (const [key, list] of byKey) {
      const channel = this.slot(key)?.channel;
      if (channel === undefined || channel.hidden) continue;
      const held = channel.preview(list);
      if (held === "absent") continue;
      isOrdered &&= Object.hasOwn(values, key);
      values[key] = held.value;
    }
    if (isLazy) return this.#lazy(keys, values);
    return isOrdered ? values : inOrder(keys, values);
  }
  /** Refuses writes that only an echo may make. */
  assertDirect(slot: Slot): void {
    if (slot.channel.direct) return;
    throw new InvalidUpdateError(
      `"${slot.name}" cannot be written directly. ${slot.channel.writeInstead ?? ""}`.trim(),
      { details: { key: slot.name } },
    );
  }
}

/** The keys that an object has, in the order of the state. */
function inOrder(keys: readonly string[], values: Record<string, unknown>): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const key of keys) if (Object.hasOwn(values, key)) ordered[key] = values[key];
  return ordered;
}

/** From more keys than this on, copying a state costs more than reading through it. */
const LAZY_FROM = 48;

/** Behind `read`: an object to copy, which is as fast as copying gets, and the copies share nothing. */
interface View {
  readonly keys: ReadonlySet<string>;
  values: Record<string, unknown> | undefined;
}
