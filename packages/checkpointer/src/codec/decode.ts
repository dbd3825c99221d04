import { GraphError, thrownMessage } from "@skein/errors";
import { REVIVERS } from "./builtins.ts";
import { type CutMessage, cutMessage, stampOf } from "./cut-message.ts";
import { kindOfTag, type MessageKind } from "./message-kinds.ts";
import type { MessageReader } from "./message-read.ts";
import { damaged, parse } from "./parse.ts";
import type { CodecTag, Json, Resolve } from "./types.ts";

type Node = Record<string, unknown>;

/** What nodes are revived with. */
export interface Revivers {
  /** Of a codec's further kinds of objects, by name. */
  readonly tags: ReadonlyMap<string, CodecTag>;
  readonly messages: MessageReader;
  readonly maxDepth: number;
}

/** A list or an object whose members are being revived. */
interface Frame {
  /** What the members are put into: the parsed node itself, but a new list once a run was spread. */
  into: Node | unknown[];
  readonly node: Node | unknown[];
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly tag: string | undefined;
  /** How many members were begun. */
  at: number;
}

/**
 * Replaces tagged nodes by what they stand for, in place.
 *
 * What is open stands on a stack of its own, not on the engine's: no nesting overflows it.
 */
export class Reviver {
  readonly #revivers: Revivers;
  readonly #resolve: Resolve | undefined;
  readonly #open: Frame[] = [];

  constructor(revivers: Revivers, resolve: Resolve | undefined) {
    this.#revivers = revivers;
    this.#resolve = resolve;
  }

  revive(tree: Json): unknown {
    if (typeof tree !== "object" || tree === null) return tree;
    let result: unknown = this.#begin(tree);
    for (let frame = this.#open.at(-1); frame !== undefined; frame = this.#open.at(-1)) {
      const isDone = frame.keys === undefined ? this.#elements(frame) : this.#members(frame, frame.keys);
      if (!isDone) continue;
      this.#open.pop();
      result = this.#finished(frame);
      const parent = this.#open.at(-1);
      if (parent !== undefined) put(parent, result);
    }
    return result;
  }

  /** @returns OPENED, or what the node stands for where that is known at once */
  #begin(node: object): unknown {
    if (Array.isArray(node)) return this.#enter(node, undefined, undefined);
    const tag = (node as Node)["$"];
    if (tag === undefined) return this.#enter(node as Node, Object.keys(node), undefined);
    if (typeof tag !== "string") throw damaged("a tag");
    if (tag === "=") {
      const data = (node as Node)["v"];
      if (typeof data !== "object" || data === null || Array.isArray(data)) throw damaged("an object");
      return this.#enter(data as Node, Object.keys(data), undefined);
    }
    if (tag === "item") return this.#item(Number((node as Node)["l"]), Number((node as Node)["o"]));
    return this.#enter(node as Node, Object.keys(node), tag);
  }

  #enter(
    node: Node | unknown[],
    keys: readonly string[] | undefined,
    tag: string | undefined,
  ): typeof OPENED {
    // twice the limit: a tag adds levels that the value did not have
    const { maxDepth } = this.#revivers;
    if (this.#open.length > maxDepth * 2 + 2) throw tooDeep(maxDepth);
    this.#open.push({ into: node, node, keys, tag, at: 0 });
    return OPENED;
  }

  /** Revives list elements up to the first that was opened. @returns whether that was all */
  #elements(frame: Frame): boolean {
    const list = frame.node as readonly unknown[];
    while (frame.at < list.length) {
      const child = list[frame.at];
      frame.at += 1;
      if (typeof child !== "object" || child === null) {
        if (frame.into !== list) (frame.into as unknown[]).push(child);
      } else if (isRun(child)) this.#spread(frame, child);
      else {
        const value = this.#begin(child);
        if (value === OPENED) return false;
        put(frame, value);
      }
    }
    return true;
  }

  /** Revives properties up to the first that was opened. @returns whether that was all */
  #members(frame: Frame, keys: readonly string[]): boolean {
    const node = frame.node as Node;
    while (frame.at < keys.length) {
      const child = node[keys[frame.at] as string];
      frame.at += 1;
      if (typeof child !== "object" || child === null) continue;
      const value = this.#begin(child);
      if (value === OPENED) return false;
      put(frame, value);
    }
    return true;
  }

  /** Puts the items of a run in its place. */
  #spread(frame: Frame, { l, o, n }: Run): void {
    if (frame.into === frame.node) frame.into = (frame.node as unknown[]).slice(0, frame.at - 1);
    for (let i = 0; i < n; i += 1) (frame.into as unknown[]).push(this.#item(l, o + i));
  }

  #item(lane: number, ord: number): unknown {
    if (this.#resolve === undefined) throw damaged("no reference");
    return this.#resolve(lane, ord);
  }

  #finished({ into, tag }: Frame): unknown {
    return tag === undefined ? into : finished(into as Node, tag, this.#revivers);
  }
}

/** What a tagged node stands for. @param fields - revived */
function finished(fields: Node, tag: string, revivers: Revivers): unknown {
  const kind = kindOfTag(tag);
  if (kind !== undefined) return message(fields, kind, revivers);
  const reviver = REVIVERS.get(tag);
  if (reviver !== undefined) {
    try {
      return reviver(fields);
    } catch (error) {
      throw ofContent(tag, error);
    }
  }
  const known = revivers.tags.get(tag);
  if (known !== undefined) {
    try {
      return known.decode(fields["v"]);
    } catch (error) {
      throw ofOwnTag(tag, error);
    }
  }
  throw new GraphError(
    "STORAGE_NEWER",
    `A stored value has the tag "${tag}", which this version does not know. It was written by a newer version or with a codec that has further tags; read it with that one.`,
    { details: { tag } },
  );
}

function message(fields: Node, kind: MessageKind, { messages }: Revivers): unknown {
  try {
    return messages.message(fields, kind);
  } catch (error) {
    throw ofContent(kind.tag, error);
  }
}

function ofParts(cut: CutMessage, others: Node, { messages }: Revivers): unknown {
  try {
    return messages.ofParts(cut, others);
  } catch (error) {
    throw ofContent(cut.kind.tag, error);
  }
}

function ofContent(tag: string, error: unknown): unknown {
  return error instanceof GraphError ? error : damaged(`the content of a "${tag}"`, error);
}

/** Its details name the tag: such data may be read where what they refer to is there. */
function ofOwnTag(tag: string, cause: unknown): unknown {
  if (cause instanceof GraphError) return cause;
  return new GraphError(
    "STORAGE_CORRUPT",
    `A stored value with the tag "${tag}" was refused by the codec that has it: ${thrownMessage(cause)}. The storage was damaged, or what the codec takes has changed; restore it from a backup, or read it with the codec that wrote it.`,
    { cause, details: { tag } },
  );
}

/** What text stands for. Most is plain data, or a message of plain data: nothing has to be looked for within. */
export function decoded(text: string, revivers: Revivers, mayCut = false): unknown {
  const cut = mayCut ? cutMessage(text) : undefined;
  const others = cut && othersOf(text, cut.end, revivers);
  if (others !== undefined) return ofParts(cut as CutMessage, others, revivers);
  const tree = parse(text);
  if (typeof tree !== "object" || tree === null) return tree;
  const tag = Array.isArray(tree) ? undefined : tree["$"];
  const kind = typeof tag === "string" ? kindOfTag(tag) : undefined;
  if ((kind !== undefined || tag === undefined) && hasNoTags(tree, text, revivers))
    return kind === undefined ? tree : message(tree as Node, kind, revivers);
  return new Reviver(revivers, undefined).revive(tree);
}

/** What stands behind the content of a message that was cut; undefined where it is more than plain data. */
function othersOf(text: string, end: number, revivers: Revivers): Node | undefined {
  const timestamp = stampOf(text, end);
  if (timestamp !== undefined) return { additional_kwargs: { timestamp } };
  if (text[end] === "}") return text.length === end + 1 ? {} : undefined;
  if (text[end] !== ",") return undefined;
  const rest = `{${text.slice(end + 1)}`;
  const others = parse(rest) as Node;
  return !("$" in others) && hasNoTags(others, rest, revivers) ? others : undefined;
}

/** Whether no member of parsed text has a tag, nor is nested too deep: each level takes two characters. */
function hasNoTags(tree: object, text: string, { maxDepth }: Revivers): boolean {
  return isFlat(tree as Node) || (text.length <= 4 * maxDepth && !text.includes(TAG, 2));
}

function isFlat(tree: Node): boolean {
  for (const key in tree) {
    const member = tree[key];
    if (typeof member === "object" && member !== null) return false;
  }
  return true;
}

/** A key within text: a quotation mark within a string is escaped. */
const TAG = '"$"';

const OPENED = Symbol("opened");

/** Puts the member that was begun last in its place. */
function put({ into, node, keys, at }: Frame, value: unknown): void {
  // an own "__proto__" stays an own property: assigning to one that exists calls no setter
  if (keys !== undefined) (into as Node)[keys[at - 1] as string] = value;
  else if (into === node) (into as unknown[])[at - 1] = value;
  else (into as unknown[]).push(value);
}

/** Several items in a row, in a list. */
interface Run {
  readonly l: number;
  readonly o: number;
  readonly n: number;
}

function isRun(node: object): node is Run {
  if ((node as Node)["$"] !== "item") return false;
  const { l, o, n } = node as Node;
  return typeof n === "number" && typeof l === "number" && typeof o === "number";
}

function tooDeep(maxDepth: number): GraphError {
  return new GraphError(
    "VALUE_TOO_DEEP",
    `A stored value is nested more than ${maxDepth} levels deep. It was not written with this limit; read it with a codec whose maxDepth is larger.`,
    { details: { maxDepth } },
  );
}
