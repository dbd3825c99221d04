import type { BaseChannel } from "../channels/base.ts";
import { Overwrite } from "../channels/overwrite.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { START, TASKS } from "../ids/names.ts";
import { isPlain } from "../ids/plain.ts";
import { Command, type CommandParams, isCommand, targetsOf } from "../program/command.ts";
import type { Program, Write } from "../program/program.ts";
import { isSend, reviveSend, Send } from "../program/send.ts";

/**
 * Control values as they are stored (I10). Only the journal encodes and decodes them, and only
 * where control belongs: Sends in their own channel, whose record is marked when the input is a Command;
 * Overwrites (and a channel's own brands) in pending writes, in the keys of an input and of what a Send
 * carries, and in the update of its Command. Data that happens to look like one is wrapped.
 */
const TAG = "__skein__";
/** How LangGraph stores an Overwrite; so an unfinished step of either engine ends on the other. */
const OVERWRITE = "__overwrite__";

/** Keeps one object for one Send, so that a write and its channel share an item (C3). */
export class ControlCodec {
  #plain: WeakMap<Send, unknown> | undefined;

  /** The value of a channel that is to be stored whole. */
  encodeValue(channel: string, value: unknown, snapshot: Snapshot): unknown {
    if (channel === TASKS) return (value as unknown[]).map((send) => this.#encodeSend(send, snapshot));
    if (channel !== START) return value;
    const input = withoutUntracked(value, snapshot);
    return unpacks(snapshot.program) ? mapKeys(input, encodeWrite, snapshot.program) : input;
  }
  /** The writes of a task that are to be stored. */
  encode(writes: readonly Write[], snapshot: Snapshot): Write[] {
    const encoded: Write[] = [];
    for (const write of writes) {
      const [channel, value] = write;
      if (channel === TASKS) {
        encoded.push([channel, this.#encodeSend(value, snapshot)]);
        continue;
      }
      const definition = snapshot.program.channels.get(channel);
      if (definition?.tracked === false) continue;
      const coded = definition === undefined ? value : encodeWrite(value, definition);
      encoded.push(coded === value ? write : [channel, coded]);
    }
    return encoded;
  }
  #encodeSend(send: unknown, snapshot: Snapshot): unknown {
    if (!isSend(send)) return send;
    let plain = this.#plain?.get(send);
    if (plain === undefined) {
      plain = plainSend(storable(send, snapshot), snapshot.program);
      (this.#plain ??= new WeakMap()).set(send, plain);
    }
    return plain;
  }
}

/** Without `lg_name`, for which LangGraph's serializer leaves the mark out. */
function plainSend(send: Send, program: Program): unknown {
  const { args } = send;
  if (!isCommand(args)) {
    const encoded: unknown = mapKeys(args, encodeWrite, program);
    return encoded === args ? send.toJSON() : { ...send.toJSON(), args: encoded };
  }
  const { lg_name: _, ...plain } = send.toJSON();
  const { graph } = args;
  const update = mapUpdate(args.update, encodeWrite, program);
  const goto = targetsOf(args).map((target) => (isSend(target) ? plainSend(target, program) : target));
  return { ...plain, args: { ...args.toJSON(), update, graph, goto }, [TAG]: "command" };
}

/** A stored Send, or what stands for one. */
function decodeSend(stored: unknown, program: Program): unknown {
  const { [TAG]: tag, args } = (stored ?? {}) as { [TAG]?: unknown; args?: Partial<CommandParams> };
  if (tag === undefined || !Array.isArray(args?.goto)) {
    const input = mapKeys(args, decodeWrite, program);
    return reviveSend(input === args ? stored : { ...(stored as object), args: input });
  }
  const update = mapUpdate(args.update, decodeWrite, program);
  const goto = args.goto.map((target) => decodeSend(target, program)) as Send[];
  return reviveSend({ ...(stored as object), args: new Command({ ...args, update, goto } as CommandParams) });
}

/** What {@link ControlCodec.encodeValue} stored. */
export function decodeValue(channel: string, stored: unknown, program: Program): unknown {
  if (channel === TASKS) return (stored as unknown[]).map((send) => decodeSend(send, program));
  return channel === START && unpacks(program) ? mapKeys(stored, decodeWrite, program) : stored;
}

/** Whether an input's keys are the state's: what a function takes is its own. */
function unpacks({ nodes }: Program): boolean {
  return nodes.has(START);
}

/** A pending write as the engine uses it. */
export function decodePending(channel: string, stored: unknown, { program }: Snapshot): unknown {
  if (channel === TASKS) return decodeSend(stored, program);
  const definition = program.channels.get(channel);
  return definition === undefined ? stored : decodeStoredWrite(definition, stored);
}

/**
 * A write to a channel as a node made it, of what a saver gives among a checkpoint's pending writes. Data of the
 * shape of an `Overwrite` was wrapped when it was stored: a bare one is one.
 *
 * @param definition - the channel that it was written to
 * @example
 * decodeStoredWrite(new LastValue(), { __overwrite__: 1 }); // Overwrite { value: 1 }
 */
export function decodeStoredWrite(definition: BaseChannel, stored: unknown): unknown {
  return decodeWrite(stored, definition);
}

/** A write from one form to the other; the channel is unknown where the key is not of this program. */
type Coding = (write: unknown, definition: BaseChannel | undefined) => unknown;

const encodeWrite: Coding = (write, definition) => {
  if (Overwrite.isInstance(write)) return { [OVERWRITE]: write.value };
  const encoded = definition === undefined ? write : definition.encodeWrite(write);
  if (encoded !== write) return { [TAG]: "channel", value: encoded };
  return looksTagged(write) ? { [TAG]: "data", value: write } : write;
};

const decodeWrite: Coding = (stored, definition) => {
  if (!looksTagged(stored)) return stored;
  if (OVERWRITE in stored) return new Overwrite(stored[OVERWRITE]);
  const { [TAG]: tag, value } = stored as { [TAG]: unknown; value: unknown };
  return tag === "channel" && definition !== undefined ? definition.decodeWrite(value) : value;
};

function looksTagged(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, TAG) || Object.hasOwn(value, OVERWRITE);
}

/** The same object if nothing of it changes. An object of a class is a plain one when it was stored. */
function mapKeys<T>(values: T, coding: Coding, { channels }: Program): T {
  if (typeof values !== "object" || values === null || Array.isArray(values)) return values;
  // bytes have a key each, millions of them
  if (ArrayBuffer.isView(values)) return values;
  const given = asStored(values);
  let mapped: Record<string, unknown> | undefined;
  for (const key of Object.keys(given)) {
    const value = coding(given[key], channels.get(key));
    if (value !== given[key]) (mapped ??= withoutPrototype(given))[key] = value;
  }
  return (mapped as T | undefined) ?? values;
}

/** What serializers make of an object that says so itself; messages they know. */
function asStored(values: object): Record<string, unknown> {
  const { toJSON, lc_serializable: isKnown } = values as { toJSON?: unknown; lc_serializable?: unknown };
  if (typeof toJSON !== "function" || isKnown !== undefined) return values as Record<string, unknown>;
  const json: unknown = toJSON.call(values);
  return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
}

/** JSON may have the key; set in a copy, it would be the copy's prototype. */
function withoutPrototype(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { ["__proto__"]: _, ...copy } = values;
  return copy;
}

/** A command's update, which may be pairs; whatever else it is will be refused. */
function mapUpdate(update: Command["update"], coding: Coding, program: Program): Command["update"] {
  if (!Array.isArray(update)) return mapKeys(update, coding, program);
  return update.map((pair: unknown) =>
    Array.isArray(pair)
      ? [pair[0], coding(pair[1], program.channels.get(pair[0] as string)), ...pair.slice(2)]
      : pair,
  ) as Command["update"];
}

/** An input, or a state that a Send carries, without the keys that are not to be stored. */
function withoutUntracked<T>(values: T, { program }: Snapshot): T {
  return without(values, (key) => program.channels.get(key)?.tracked === false);
}

/** The same object when there is nothing to leave out. */
export function without<T>(values: T, leaveOut: (key: string) => boolean): T {
  if (!isPlain(values) || !Object.keys(values).some(leaveOut)) return values;
  return Object.fromEntries(Object.entries(values).filter(([key]) => !leaveOut(key))) as T;
}

function storable(send: Send, snapshot: Snapshot): Send {
  const kept = withoutUntracked(send.args, snapshot);
  if (kept === send.args) return send;
  return new Send(send.node, kept, send.timeout === undefined ? undefined : { timeout: send.timeout });
}
