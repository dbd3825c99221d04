import { MESSAGE_TAGS } from "../codec/message-kinds.ts";
import type { Json } from "../codec/types.ts";
import { ERASED } from "./quotes.ts";

export type Node = { [key: string]: Json };

/** What a tombstone keeps of a message: where it stands and what belongs together, not what it said. */
const FRAME: ReadonlySet<string> = new Set(["$", "id", "type", "role", "tool_call_id", "lc"]);

/** Types of messages, also by the names that providers have for them. */
const ROLES: ReadonlySet<string> = new Set([...MESSAGE_TAGS, "user", "assistant", "developer"]);

/** Where LangChain's JSON of a constructor, and that of a message in older stores, have the message. */
type Below = "kwargs" | "data";

/** An object that is a message. */
export interface StoredMessage {
  /** What has its id and content: the object itself, or one below it. */
  readonly fields: Node;
  readonly below: Below | undefined;
}

/** An object as a message in any of the forms that LangChain takes; undefined for what is none. */
export function messageOf(node: Node): StoredMessage | undefined {
  if ("$" in node)
    return MESSAGE_TAGS.has(node["$"] as string) ? { fields: node, below: undefined } : undefined;
  if (isConstructor(node)) return { fields: node["kwargs"] as Node, below: "kwargs" };
  const isTyped = ROLES.has(node["type"] as string);
  if (!isTyped && typeof node["role"] !== "string") return undefined;
  if (hasContent(node)) return { fields: node, below: undefined };
  const data = node["data"];
  return isTyped && isNode(data) && hasContent(data) ? { fields: data, below: "data" } : undefined;
}

function isConstructor({ lc, id, kwargs }: Node): boolean {
  const name = lc === 1 && isNode(kwargs) && Array.isArray(id) ? id.at(-1) : undefined;
  return typeof name === "string" && /Message(Chunk)?$/.test(name);
}

export function isNode(value: Json | undefined): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const hasContent = (node: Node): boolean => "content" in node || "contentBlocks" in node;

export function contentOf(fields: Node): Json {
  return fields["content"] ?? fields["contentBlocks"] ?? null;
}

export function callIdsOf(fields: Node): string[] {
  const calls = [fields["tool_calls"], fields["invalid_tool_calls"]].flatMap((list) => list ?? []);
  return calls.flatMap((call) => (isNode(call) && typeof call["id"] === "string" ? [call["id"]] : []));
}

/** A message as a list of its role and what it says. */
export function isTuple(value: Json): value is [string, Json] {
  return Array.isArray(value) && value.length === 2 && ROLES.has(value[0] as string);
}

/** What stays of a message. */
export function tombstone(node: Node, { fields, below }: StoredMessage): Node {
  if (below === undefined) return frameOf(node);
  return { ...frameOf(node), [below]: frameOf(fields) };
}

function frameOf(node: Node): Node {
  const frame: Node = {};
  for (const key of Object.keys(node)) {
    const value = node[key] as Json;
    if (FRAME.has(key) || (key === "name" && "tool_call_id" in node)) frame[key] = value;
    else if (key === "content" || key === "contentBlocks") frame["content"] = ERASED;
    else if (key === "tool_calls" && Array.isArray(value)) frame[key] = value.filter(isNode).map(callFrame);
  }
  return frame;
}

/** The results of a call stand behind it, and need it. */
function callFrame(call: Node): Node {
  const frame: Node = {};
  for (const key of ["id", "name", "type"]) if (call[key] !== undefined) frame[key] = call[key];
  const named = call["function"];
  if (isNode(named)) return { ...frame, function: { name: named["name"] ?? "", arguments: "{}" } };
  return { args: {}, ...frame };
}
