import type { BaseMessage } from "@langchain/core/messages";
import {
  type Argument,
  isField,
  NO_BLOCKS,
  NO_CONTENT,
  NULL_CONTENT,
  storedOrder,
  type StoredOrder,
  UNVERSIONED,
} from "./argument-order.ts";
import { KeyPaths } from "./key-paths.ts";
import { blankMessage, type Fields, kindOf, type MessageKind } from "./message-kinds.ts";
import { setOwn } from "./own.ts";

/** What is written of a message: some members of an object, under a tag. */
export interface WrittenMessage {
  readonly tag: string;
  readonly members: object;
  readonly keys: readonly string[];
  /** JSON text behind the members. */
  readonly tail: string;
}

/** More than any class has sets of fields. */
const MASKS = 1024;

/** The argument has to be stored itself: no property of the message holds it. */
const BESIDE = Symbol("beside");

/** Says what is written of messages. Remembers the orders that arguments have: most messages have one of a few. */
export class MessageWriter {
  /** Keys of an object of each class, in their order. */
  readonly #own = new Map<MessageKind, readonly string[]>();
  /** By the class and which fields have a value. */
  readonly #orders = new KeyPaths<number, StoredOrder>();

  written(message: BaseMessage): WrittenMessage {
    const kind = kindOf(message);
    let own = this.#own.get(kind);
    if (own === undefined) this.#own.set(kind, (own = Object.keys(blankMessage(kind))));
    return this.#plain(kind, own, message) ?? whole(kind, own, message);
  }

  /** For a message that has nothing but what its class has, its arguments included. */
  #plain(kind: MessageKind, own: readonly string[], message: BaseMessage): WrittenMessage | undefined {
    const given: Fields | undefined = message.lc_kwargs;
    if (message.type !== kind.role || given === undefined || !hasOnly(message, own)) return undefined;
    const held = message as unknown as Fields;
    const mask = maskOf(kind, held);
    if (mask === undefined) return undefined;
    let path = this.#orders.root(kind.index * MASKS + mask);
    for (const key in given) {
      const name = argumentOf(held, key, given[key]);
      if (name === undefined) continue;
      if (name === BESIDE || path === undefined) return undefined;
      path = path.next?.get(name) ?? (isHeld(kind, key) ? this.#orders.grow(path, name) : undefined);
    }
    if (path === undefined) return undefined;
    const { fields, tail } = (path.found ??= orderOf(kind, held, given));
    return { tag: kind.tag, members: message, keys: fields, tail };
  }
}

/** Whether every message of a class holds what an argument says. */
function isHeld(kind: MessageKind, key: string): boolean {
  return kind.fields.includes(key) || key === "type" || key === "contentBlocks";
}

/** Whether an object has these keys, in this order, and perhaps not all of them. */
function hasOnly(object: object, keys: readonly string[]): boolean {
  let at = 0;
  for (const key in object) {
    while (key !== keys[at]) {
      at += 1;
      if (at >= keys.length) return false;
    }
    at += 1;
  }
  return true;
}

/** Which fields have a value; undefined where one that the class completes is neither list nor object. */
function maskOf({ fields, isCompleted }: MessageKind, held: Fields): number | undefined {
  let mask = 0;
  for (let at = 0; at < fields.length; at += 1) {
    const value = held[fields[at] as string];
    if (isCompleted[at] === true) {
      if (typeof value !== "object" || value === null) return undefined;
      if (isFilled(value)) mask |= 1 << at;
    } else if (value !== undefined) mask |= 1 << at;
  }
  return mask;
}

function isFilled(value: object): boolean {
  if (Array.isArray(value)) return value.length > 0;
  for (const _ in value) return true;
  return false;
}

/** What a keyword argument is to the message; undefined for one without a value. */
function argumentOf(held: Fields, key: string, value: unknown): Argument | typeof BESIDE | undefined {
  if (key === "content" && (value === undefined || value === null)) {
    return value === null ? NULL_CONTENT : NO_CONTENT;
  }
  // asking the message for them makes them anew
  if (key === "contentBlocks") {
    if (value === undefined) return NO_BLOCKS;
    return value === held["content"] ? key : BESIDE;
  }
  if (value === undefined && (Object.hasOwn(held, key) ? held[key] === undefined : !(key in held)))
    return undefined;
  if (key === "response_metadata" && value !== held[key] && isUnversioned(value, held[key]))
    return UNVERSIONED;
  return key;
}

/** A message that is made of `contentBlocks` has a version of its content in its metadata, its arguments have not. */
function isUnversioned(given: unknown, held: unknown): boolean {
  return isVersioned(held) && !isVersioned(given);
}

const isVersioned = (data: unknown): boolean => Object.hasOwn(Object(data) as object, "output_version");

function orderOf(kind: MessageKind, held: Fields, given: Fields): StoredOrder {
  const ordered = Object.keys(given).map((key) => argumentOf(held, key, given[key]));
  const named = ordered.filter((name) => typeof name === "string");
  return storedOrder(
    kind,
    named.filter((name) => hasValue(kind, held, name)),
    storedFields(kind, held),
  );
}

/** Whether the message still has what an argument said. */
function hasValue(kind: MessageKind, held: Fields, name: Argument): boolean {
  return !kind.fields.includes(name) || held[name] !== undefined;
}

function storedFields({ fields, isCompleted }: MessageKind, held: Fields): string[] {
  return fields.filter((field, at) => {
    const value = held[field];
    return isCompleted[at] === true ? isFilled(Object(value) as object) : value !== undefined;
  });
}

/** For a message that has more than its class, or arguments that it does not hold. */
function whole(kind: MessageKind, own: readonly string[], message: BaseMessage): WrittenMessage {
  const held = message as unknown as Fields;
  const stored = storedFields(kind, held);
  const members: Fields = {};
  for (const field of stored) members[field] = held[field];
  const others: Fields = {};
  const ordered: Argument[] = [];
  const given: unknown = message.lc_kwargs;
  for (const [key, value] of Object.entries(Object(given) as Fields)) {
    const name = argumentOf(held, key, value);
    if (name === undefined) continue;
    if (name === key && !hasValue(kind, held, key)) continue;
    ordered.push(name === BESIDE ? key : name);
    if (name !== BESIDE && (Object.hasOwn(held, key) || key === "contentBlocks")) continue;
    if (isField(key)) {
      stored.push(key);
      members[key] = value;
    } else setOwn(others, key, value);
  }
  const { fields, tail } = storedOrder(kind, ordered, stored, Object.keys(others));
  const keys = [...fields];
  for (const [name, more] of Object.entries({ kwargs: others, own: ownOf(kind, own, message) })) {
    if (Object.keys(more).length === 0) continue;
    members[name] = more;
    keys.push(name);
  }
  return { tag: kind.tag, members, keys, tail: isObject(given) ? tail : "" };
}

/** What a message has beside what its class has, and instead of it. */
function ownOf(kind: MessageKind, keys: readonly string[], message: BaseMessage): Fields {
  const held = message as unknown as Fields;
  const own: Fields = {};
  const known = new Set(keys);
  for (const key of Object.keys(held)) if (!known.has(key)) setOwn(own, key, held[key]);
  if (message.type !== kind.role) own["type"] = message.type;
  for (const [at, field] of kind.fields.entries()) {
    const isInstead = kind.isCompleted[at] === true && Object.hasOwn(held, field) && !isObject(held[field]);
    if (isInstead) own[field] = held[field];
  }
  return own;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
