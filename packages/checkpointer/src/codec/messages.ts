import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import type { MakeMessage, MessageMaker } from "./made-messages.ts";

type Fields = Record<string, unknown>;

const MESSAGE = Symbol.for("langchain.message");

/** The classes of messages by tag. A message of a derived class is stored by its role. */
const CLASSES: Record<string, new (fields: never) => BaseMessage> = {
  human: HumanMessage,
  ai: AIMessage,
  system: SystemMessage,
  tool: ToolMessage,
  function: FunctionMessage,
  remove: RemoveMessage,
  generic: ChatMessage,
  humanChunk: HumanMessageChunk,
  aiChunk: AIMessageChunk,
  systemChunk: SystemMessageChunk,
  toolChunk: ToolMessageChunk,
  functionChunk: FunctionMessageChunk,
  genericChunk: ChatMessageChunk,
};
export const MESSAGE_TAGS: ReadonlySet<string> = new Set(Object.keys(CLASSES));

/** Properties that every message object has, or that are stored by name below. */
const KNOWN = new Set([
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "lc_direct_tool_output",
  "type",
  "content",
  "contentBlocks",
  "id",
  "name",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
  "metadata",
  "role",
]);

/** A message of any copy of @langchain/core, of a role that can be stored. */
export function isMessage(value: object): value is BaseMessage {
  return (
    (value as { [MESSAGE]?: unknown })[MESSAGE] === true && MESSAGE_TAGS.has((value as BaseMessage).type)
  );
}

/** Tag and fields of a message. What is empty or undefined is not stored. */
export function messageFields(message: BaseMessage): [tag: string, fields: Fields] {
  const m = message as unknown as Fields;
  const fields: Fields = {
    content: message.content,
    id: message.id,
    name: message.name,
    additional_kwargs: filled(message.additional_kwargs),
    response_metadata: filled(message.response_metadata),
  };
  const role = message.type;
  if (role === "ai") {
    fields["tool_calls"] = filled(m["tool_calls"]);
    fields["invalid_tool_calls"] = filled(m["invalid_tool_calls"]);
    fields["tool_call_chunks"] = filled(m["tool_call_chunks"]);
    fields["usage_metadata"] = m["usage_metadata"];
  } else if (role === "tool") {
    fields["tool_call_id"] = m["tool_call_id"];
    fields["status"] = m["status"];
    fields["artifact"] = m["artifact"];
    // a chunk does not copy it
    fields["metadata"] = m["metadata"] ?? message.lc_kwargs["metadata"];
  } else if (role === "generic") fields["role"] = m["role"];
  fields["kwargs"] = others(message.lc_kwargs, m);
  fields["own"] = others(m, undefined);
  return [isChunk(message) ? `${role}Chunk` : role, fields];
}

/** Properties that are stored under no name of their own. */
function others(object: object | undefined, except: Fields | undefined): Fields | undefined {
  let found: Fields | undefined;
  for (const key in object) {
    if (KNOWN.has(key) || !Object.hasOwn(object, key)) continue;
    if (except !== undefined && Object.hasOwn(except, key)) continue;
    (found ??= {})[key] = (object as Fields)[key];
  }
  return found;
}

/** Undefined for an empty array or object, which is what a message has by default. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  for (const _ in value as object | undefined) return value;
  return undefined;
}

function isChunk(message: BaseMessage): boolean {
  const made = message.constructor as { lc_name?: () => string };
  if (made === AIMessage || made === HumanMessage || made === ToolMessage) return false;
  return typeof made.lc_name === "function" && made.lc_name().endsWith("MessageChunk");
}

/** The keyword arguments of a message, as its constructor completes them where that is one of ours. */
function argumentsOf(node: Fields, tag: string): Fields {
  for (const key in node) {
    if (key === "$" || key === "content" || key === "id") continue;
    const { $: _tag, own: _own, kwargs, tool_call_chunks: _chunks, ...fields } = node;
    return kwargs === undefined ? fields : Object.assign(fields, kwargs);
  }
  const { content, id } = node;
  if (id === undefined) return { content };
  // an object that has all of its properties from the start takes half the memory
  return tag === "ai"
    ? { content, id, tool_calls: [], invalid_tool_calls: [], additional_kwargs: {}, response_metadata: {} }
    : { content, id, additional_kwargs: {}, response_metadata: {} };
}

/** @param node - the fields, revived; becomes the message's keyword arguments */
export function reviveMessage(node: Fields, tag: string, maker: MessageMaker): BaseMessage {
  const { own, tool_call_chunks: chunks } = node;
  const fields = argumentsOf(node, tag);
  const { content, additional_kwargs: extra, tool_calls: calls, invalid_tool_calls: invalid } = fields;
  // LangChain parses, and warns about, raw tool calls that stand beside no parsed ones
  const quiet = extra !== undefined && calls === undefined && tag === "ai";
  if (quiet) fields["additional_kwargs"] = {};
  const made = maker.of(tag, fields) ?? (CLASSES[tag] as MakeMessage);
  const message = new made(fields);
  if (quiet) {
    message.additional_kwargs = extra as BaseMessage["additional_kwargs"];
    message.lc_kwargs["additional_kwargs"] = extra;
  }
  if (message.content !== content && tag !== "remove") message.content = content as BaseMessage["content"];
  if (tag === "aiChunk") {
    // its constructor parses the calls anew; the stored ones are what it had
    const parsed = {
      tool_call_chunks: chunks ?? [],
      tool_calls: calls ?? [],
      invalid_tool_calls: invalid ?? [],
    };
    Object.assign(message, parsed);
    Object.assign(message.lc_kwargs, parsed);
  }
  if (own !== undefined) Object.assign(message, own);
  return message;
}
