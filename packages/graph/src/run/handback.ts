import { type BaseChannel, valueOf } from "../channels/base.ts";
import { copied } from "../channels/copied.ts";
import { Overwrite } from "../channels/overwrite.ts";
import type { Task } from "../engine/task.ts";
import { isSame } from "../ids/same.ts";
import type { Program } from "../program/program.ts";
import { Several } from "../program/several.ts";
import { pushTo } from "../channels/push-to.ts";

/** What a step of an earlier call wrote, by key; undefined: not known. */
export type StepWrites = ReadonlyMap<string, readonly unknown[] | undefined>;

/**
 * What a graph that runs as a node has written to keys that its caller merges with a reducer. The
 * caller gets these writes and not the value, which holds what it gave
 * (docs/decisions/2026-11-21-shared-reducer-key.md).
 */
export class Handback {
  readonly keys: ReadonlySet<string>;
  readonly #callers: ReadonlyMap<string, BaseChannel>;
  readonly #writes = new Map<string, readonly unknown[]>();
  /**
   * Keys of which not all writes of earlier calls are to be had: durability "exit" does not store them, or
   * their values do not tell which writes led there.
   */
  readonly #lost = new Set<string>();
  #given: Readonly<Record<string, unknown>> | undefined;

  /** @param callers - the caller's channels of the keys */
  constructor(callers: ReadonlyMap<string, BaseChannel>) {
    this.keys = new Set(callers.keys());
    this.#callers = callers;
  }
  /** Takes what the tasks of a step wrote, in task order. */
  add(tasks: readonly Task[]): void {
    const step = new Map<string, unknown[]>();
    for (const task of tasks) {
      // what the virtual start node writes is what the caller gave
      if (task.node.input !== "start" || task.caller !== undefined) this.#collect(step, task.writes);
    }
    this.#append(step);
  }
  /** Takes a step of an earlier call. */
  addStored(step: StepWrites): void {
    for (const [key, values] of step) if (values === undefined) this.#lost.add(key);
    this.#append(step);
  }
  /** Takes what an earlier call was given: since then an answer may have brought more. */
  began(input: Readonly<Record<string, unknown>> | undefined): void {
    this.#given = input;
  }
  /** Not all writes of earlier calls are to be had, of any key. */
  lost(): void {
    for (const key of this.keys) this.#lost.add(key);
  }
  /**
   * What the caller's reducer is to get for a key, as `[value]`; undefined for nothing.
   *
   * @param now - the key's value when the graph was called this time
   * @param value - its value at the end
   */
  result(key: string, now: unknown, value: unknown, channel: BaseChannel): [unknown] | undefined {
    const given = this.#given === undefined ? now : this.#given[key];
    const added = beyond(given, value);
    // elements that were given are gone: the graph made a list of its own
    if (Array.isArray(value) && added === undefined) return [value];
    if (this.#lost.has(key)) return added?.length === 0 ? undefined : [added ?? value];
    const writes = this.#writes.get(key);
    if (writes === undefined) return undefined;
    // without a reducer in the graph the last write is the value
    if (!channel.accumulates || !this.#mergesAlike(key, channel, writes, given)) return [value];
    return writes.length === 1 ? [writes[0]] : [new Several(writes, added ?? merged(channel, writes, value))];
  }
  /** Whether the caller's reducer makes of the writes what the graph's own makes of them, from what was given. */
  #mergesAlike(key: string, channel: BaseChannel, writes: readonly unknown[], given: unknown): boolean {
    const caller = this.#callers.get(key) as BaseChannel;
    if (caller.equals(channel)) return true;
    const theirs = tried(caller, given, writes);
    return theirs !== undefined && isSame(theirs, tried(channel, given, writes));
  }
  #collect(step: Map<string, unknown[]>, writes: readonly (readonly [string, unknown])[]): void {
    for (const [key, value] of writes) {
      if (this.keys.has(key)) pushTo(step, key, value);
    }
  }
  #append(step: StepWrites): void {
    for (const [key, values = []] of step) {
      if (values.length === 0) continue;
      const overwrite = values.find((value) => Overwrite.isInstance(value));
      // from there on all of the value is the graph's own
      if (overwrite !== undefined) this.#writes.set(key, [(overwrite as Overwrite).value]);
      else this.#writes.set(key, [...(this.#writes.get(key) ?? []), ...values]);
    }
  }
}

/**
 * A handback for a graph that is a node; undefined when it shares no reducer key with its caller.
 *
 * @param caller - the program of the calling graph
 */
export function handbackOf(program: Program, caller: Program): Handback | undefined {
  const shared = program.outputKeys.flatMap((key): [string, BaseChannel][] => {
    const channel = caller.channels.get(key);
    return channel?.accumulates ? [[key, channel]] : [];
  });
  return shared.length === 0 ? undefined : new Handback(new Map(shared));
}

/** Elements of a list that are not those given, if those are all still there, in their order. */
export function beyond(given: unknown, list: unknown): unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const had: unknown[] = Array.isArray(given) ? given : [];
  let met = 0;
  const added = list.filter((element) => {
    const isGiven = met < had.length && isSame(had[met], element);
    if (isGiven) met += 1;
    return !isGiven;
  });
  return met === had.length ? added : undefined;
}

/** The writes as one value, to be shown. */
export function merged(channel: BaseChannel, writes: readonly unknown[], value: unknown): unknown {
  return (tried(channel, undefined, writes) ?? { value }).value;
}

/**
 * What a channel makes of writes; undefined if it cannot take them. A reducer may change in place what it is given,
 * and what was written: both are copied, but for instances whose copies it cannot take.
 */
export function tried(
  channel: BaseChannel,
  given: unknown,
  writes: readonly unknown[],
): { readonly value: unknown } | undefined {
  for (const share of [false, true]) {
    try {
      const copy = channel.fromCheckpoint(copied(given, share));
      if (writes.length > 0) copy.update(copied(writes, share));
      return { value: valueOf(copy) };
    } catch {
      // a copy lacks private fields, or these writes are not for this channel
    }
  }
  return undefined;
}
