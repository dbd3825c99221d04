import type { BaseMessage } from "@langchain/core/messages";
import {
  type Argument,
  argumentsOf,
  emptyOf,
  isField,
  NO_BLOCKS,
  NO_CONTENT,
  NULL_CONTENT,
  UNVERSIONED,
  writtenOrder,
} from "./argument-order.ts";
import type { CutMessage } from "./cut-message.ts";
import { KeyPaths } from "./key-paths.ts";
import { MessageMaker } from "./made-messages.ts";
import type { Fields, MessageKind } from "./message-kinds.ts";
import { setOwn } from "./own.ts";

/** How a message is made of the fields of a text. */
interface Plan {
  /** Its arguments, in order, where the fields say them all. Those without a field are an empty list or object. */
  readonly given: readonly Argument[] | undefined;
  /** Those without a field, where the order is written out. */
  readonly missing: readonly Argument[];
  readonly written: readonly Argument[];
  /** All that is written out are fields, or missing. */
  readonly isPlain: boolean;
}

/** Makes messages of what is stored: each of its class, with what it had. */
export class MessageReader {
  readonly #maker: MessageMaker;
  readonly #plans = new KeyPaths<MessageKind, Plan>();

  constructor(maker = new MessageMaker()) {
    this.#maker = maker;
  }

  /** @param node - the fields, revived */
  message(node: Fields, kind: MessageKind): BaseMessage {
    const short = shortArguments(kind, node);
    if (short !== undefined) return this.#maker.make(kind, short);
    const plan = this.#planOf(kind, node);
    if (plan === undefined) return this.#whole(kind, node);
    if (plan.given === undefined) {
      for (const name of plan.missing) node[name] = emptyOf(name);
      const message = this.#maker.make(kind, node);
      message.lc_kwargs = plan.isPlain
        ? partOf(node, plan.written)
        : writtenArguments(message, plan.written, node);
      return message;
    }
    const given: Fields = {};
    for (const name of plan.given) {
      const value = node[name];
      given[name] = value === undefined ? emptyOf(name) : value;
    }
    return this.#maker.make(kind, given);
  }

  /** @param others - its other fields, parsed: plain data */
  ofParts(cut: CutMessage, others: Fields): BaseMessage {
    const { kind, first } = cut;
    let isFirst = true;
    for (const key in others) {
      const isUsual = key === "additional_kwargs" ? isFirst : key === "response_metadata" && first === "id";
      if (!isUsual) return this.message({ ...fieldsOf(cut), ...others }, kind);
      isFirst = false;
    }
    return this.#maker.make(kind, usualArguments(kind, first, cut, others));
  }

  /** For a message whose fields say it all. */
  #planOf(kind: MessageKind, node: Fields): Plan | undefined {
    let path = this.#plans.root(kind);
    for (const key in node) {
      if (key === "$") continue;
      if (path === undefined) return undefined;
      path = path.next?.get(key) ?? (isField(key) || key === "k" ? this.#plans.grow(path, key) : undefined);
    }
    const letters = node["k"];
    if (letters !== undefined && path !== undefined) {
      // with names, or damaged
      if (typeof letters !== "string") return undefined;
      path = path.next?.get(letters) ?? this.#plans.grow(path, letters);
    }
    return path && (path.found ??= planOf(kind, node));
  }

  /** For a message that had more than its class, or arguments that it did not hold. */
  #whole(kind: MessageKind, node: Fields): BaseMessage {
    const { $: _tag, own, kwargs, k, ...fields } = node;
    const all = Object.assign(Object.create(null) as Fields, fields);
    for (const [key, value] of Object.entries(Object(kwargs) as Fields)) setOwn(all, key, value);
    const given: Fields = {};
    for (const name of argumentsOf(kind, Object.keys(all))) {
      setOwn(given, name, name in all ? all[name] : emptyOf(name));
    }
    const message = this.#maker.make(kind, given);
    for (const [key, value] of Object.entries(Object(own) as Fields)) setOwn(message, key, value);
    if (k !== undefined) message.lc_kwargs = writtenArguments(message, writtenOrder(k), given);
    return message;
  }
}

function planOf(kind: MessageKind, node: Fields): Plan {
  const fields = Object.keys(node).filter((key) => key !== "$" && key !== "k");
  const given = argumentsOf(kind, fields);
  if (node["k"] === undefined) return { given, missing: [], written: [], isPlain: false };
  const missing = given.filter((name) => !fields.includes(name));
  const written = writtenOrder(node["k"]);
  return { given: undefined, missing, written, isPlain: written.every((name) => given.includes(name)) };
}

function partOf(given: Fields, names: readonly Argument[]): Fields {
  const part: Fields = {};
  for (const name of names) part[name] = given[name];
  return part;
}

/**
 * The arguments of a message that has an id, content and metadata where most have them, with all of them from
 * the start: half the memory, and a long thread is read before V8 has optimised what reads it.
 */
function shortArguments(kind: MessageKind, node: Fields): Fields | undefined {
  const { tag } = kind;
  if (tag !== "human" && tag !== "ai" && tag !== "system" && tag !== "tool") return undefined;
  const order = usualOrder(node);
  return order && usualArguments(kind, order, node, node);
}

/** What a message says; `undefined` for an id that it has not. */
interface Said {
  readonly id?: unknown;
  readonly content?: unknown;
}

/** @param others - its other fields */
function usualArguments(
  { tag }: MessageKind,
  order: "content" | "id",
  { id, content }: Said,
  others: Fields,
): Fields {
  const additional_kwargs = others["additional_kwargs"] === undefined ? {} : others["additional_kwargs"];
  const response_metadata = others["response_metadata"] === undefined ? {} : others["response_metadata"];
  if (tag === "ai") {
    const tool_calls: unknown[] = [];
    const invalid_tool_calls: unknown[] = [];
    if (id === undefined)
      return { content, tool_calls, invalid_tool_calls, additional_kwargs, response_metadata };
    return order === "id"
      ? { content, tool_calls, invalid_tool_calls, additional_kwargs, response_metadata, id }
      : { content, id, tool_calls, invalid_tool_calls, additional_kwargs, response_metadata };
  }
  if (id === undefined) return { content, additional_kwargs, response_metadata };
  return order === "id"
    ? { content, additional_kwargs, response_metadata, id }
    : { content, id, additional_kwargs, response_metadata };
}

/**
 * The first field, where `argumentsOf` leads to content and id in front of, or around, what a constructor completes:
 * content and id in either order or one of them, `additional_kwargs` behind them; and behind id and content also
 * `response_metadata`, alone or last.
 */
function usualOrder(node: Fields): "content" | "id" | undefined {
  let first: "content" | "id" | undefined;
  let last: string | undefined;
  for (const key in node) {
    if (key === "$") continue;
    if (key === "content" || key === "id") {
      if (last !== first) return undefined;
      first ??= key;
    } else if (key === "additional_kwargs") {
      if (last !== "content" && (last !== "id" || first === "id")) return undefined;
    } else if (key !== "response_metadata" || first !== "id" || last === "id") return undefined;
    last = key;
  }
  return first ?? "content";
}

/** In the order in which they stand. */
function fieldsOf({ first, id, content }: CutMessage): Fields {
  if (id === undefined) return { content };
  return first === "id" ? { id, content } : { content, id };
}

/** Keyword arguments as a message had them: with the values of its properties, or their own where it has none. */
function writtenArguments(message: BaseMessage, written: readonly Argument[], given: Fields): Fields {
  const held = message as unknown as Fields;
  const ordered: Fields = {};
  for (const name of written) {
    if (name === NULL_CONTENT) ordered["content"] = null;
    else if (name === NO_CONTENT) ordered["content"] = undefined;
    else if (name === NO_BLOCKS) ordered["contentBlocks"] = undefined;
    else if (name === UNVERSIONED) ordered["response_metadata"] = unversioned(held["response_metadata"]);
    else if (name === "contentBlocks") ordered[name] = given[name] ?? held["content"];
    else if (Object.hasOwn(held, name)) setOwn(ordered, name, held[name]);
    else if (Object.hasOwn(given, name)) setOwn(ordered, name, given[name]);
  }
  return ordered;
}

function unversioned(metadata: unknown): Fields {
  const { output_version: _version, ...rest } = Object(metadata) as Fields;
  return rest;
}
