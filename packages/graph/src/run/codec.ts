import type { BaseChannel } from "../channels/base.ts";
import { Overwrite } from "../channels/overwrite.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { TASKS } from "../ids/names.ts";
import { Command, isCommand, targetsOf } from "../program/command.ts";
import type { Write } from "../program/program.ts";
import { isSend, reviveSend, Send } from "../program/send.ts";
import { isPlain } from "../state/reducers.ts";

/**
 * Control values as they are stored (I10). Only the journal encodes and decodes them, and only
 * where control belongs: Sends in their own channel (whose record is marked when the input is a
 * Command), Overwrites and a channel's own brands at the top of a pending write. Data that happens to
 * look like one is wrapped.
 */
const TAG = "__skein__";
/** How LangGraph stores an Overwrite; so an unfinished step of either engine ends on the other. */
const OVERWRITE = "__overwrite__";

/** Keeps one object for one Send, so that a write and its channel share an item (C3). */
export class ControlCodec {
  #plain: WeakMap<Send, unknown> | undefined;

  encodeSend(send: unknown, snapshot: Snapshot): unknown {
    if (!isSend(send)) return send;
    let plain = this.#plain?.get(send);
    if (plain === undefined) {
      plain = plainSend(storable(send, snapshot));
      (this.#plain ??= new WeakMap()).set(send, plain);
    }
    return plain;
  }
  /** The writes of a task that are to be stored. */
  encode(writes: readonly Write[], snapshot: Snapshot): Write[] {
    const encoded: Write[] = [];
    for (const write of writes) {
      const [channel, value] = write;
      if (channel === TASKS) {
        encoded.push([channel, this.encodeSend(value, snapshot)]);
        continue;
      }
      const definition = snapshot.program.channels.get(channel);
      if (definition?.tracked === false) continue;
      if (Overwrite.isInstance(value)) encoded.push([channel, { [OVERWRITE]: value.value }]);
      else {
        const coded = definition === undefined ? value : escape(value, definition.encodeWrite(value));
        encoded.push(coded === value ? write : [channel, coded]);
      }
    }
    return encoded;
  }
}

/** Without `lg_name`, for which LangGraph's serializer leaves the mark out. */
function plainSend(send: unknown): unknown {
  if (!isSend(send)) return send;
  const { args } = send;
  if (!isCommand(args)) return send.toJSON();
  const { lg_name: _, ...plain } = send.toJSON();
  const { graph } = args;
  return {
    ...plain,
    args: { ...args.toJSON(), graph, goto: targetsOf(args).map(plainSend) },
    [TAG]: "command",
  };
}

/** A stored Send, or what stands for one. */
export function decodeSend(stored: unknown): unknown {
  const { [TAG]: tag, args } = (stored ?? {}) as { [TAG]?: unknown; args?: { goto?: unknown } };
  if (tag === undefined || !Array.isArray(args?.goto)) return reviveSend(stored);
  const command = new Command({ ...args, goto: args.goto.map(decodeSend) as Send[] });
  return reviveSend({ ...(stored as object), args: command });
}

/** A pending write as the engine uses it. */
export function decodeWrite(channel: string, stored: unknown, snapshot: Snapshot): unknown {
  if (channel === TASKS) return decodeSend(stored);
  const definition = snapshot.program.channels.get(channel);
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
  if (!looksTagged(stored)) return stored;
  if (OVERWRITE in stored) return new Overwrite(stored[OVERWRITE]);
  const { [TAG]: tag, value } = stored as { [TAG]: unknown; value: unknown };
  return tag === "channel" ? definition.decodeWrite(value) : value;
}

function escape(value: unknown, encoded: unknown): unknown {
  if (encoded !== value) return { [TAG]: "channel", value: encoded };
  return looksTagged(value) ? { [TAG]: "data", value } : value;
}

function looksTagged(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, TAG) || Object.hasOwn(value, OVERWRITE);
}

/** An input, or a state that a Send carries, without the keys that are not to be stored. */
export function withoutUntracked<T>(values: T, { program }: Snapshot): T {
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
