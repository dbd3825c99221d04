import { isNode, messageOf, type Node, type StoredMessage } from "./message-forms.ts";

/** What a value in stored text is part of, as far as that says which texts in it are names. */
export type Part =
  | "message"
  | "arguments"
  | "blocks"
  | "source"
  | "calls"
  | "interrupts"
  | "ids"
  | "metadata"
  | "data"
  | undefined;

/** What an object is. */
interface Kind {
  /** Fields whose texts name things and say nothing: a result finds its call by them, and a tag its class. */
  readonly names: ReadonlySet<string>;
  /** What its other fields are. */
  readonly parts: Readonly<Record<string, Part>>;
}

function kind(names: readonly string[], parts: Kind["parts"] = {}): Kind {
  return { names: new Set(names), parts: Object.assign(Object.create(null), parts) as Kind["parts"] };
}

const SAID: Kind["parts"] = {
  content: "blocks",
  contentBlocks: "blocks",
  tool_calls: "calls",
  invalid_tool_calls: "calls",
  tool_call_chunks: "calls",
  additional_kwargs: "arguments",
  response_metadata: "metadata",
};
const MESSAGE = kind(["id", "type", "role", "name", "status", "tool_call_id"], SAID);
const TAGGED_MESSAGE = kind(["$", "k", ...MESSAGE.names], SAID);
/** What has a message in a field. */
const AROUND = kind(["lc", "id", "type"], { kwargs: "message", data: "message" });
const ARGUMENTS = kind([], { tool_calls: "calls", function_call: "calls" });
const CALL = kind(["id", "name", "type"], { function: "calls" });
/** What a file is, by several providers: the same of thousands of files, and longer than a quote. */
const OF_FILE = ["type", "mime_type", "mimeType", "media_type", "source_type"];
const BLOCK = kind(["id", "tool_use_id", "tool_call_id", ...OF_FILE], {
  content: "blocks",
  source: "source",
  inlineData: "source",
  fileData: "source",
});
const BLOCK_OF_CALL = kind([...BLOCK.names, "name"]);
/** Where a block has its file. */
const SOURCE = kind(OF_FILE, { content: "blocks" });
const INTERRUPT = kind(["id"]);
const TAGGED = kind(["$"]);
/** Data that has a key "$" itself. */
const WRAPPED = kind(["$"], { v: "data" });
/** An entry of an archive that names messages. */
const HIDE = kind(["$"], { ids: "ids", keep: "ids" });
const DATA = kind([]);

/** @param message - the object as a message, if it is one */
export function kindOfNode(
  node: Node,
  part: Part,
  message: StoredMessage | undefined = messageOf(node),
): Kind {
  if (part !== "message" && message?.below !== undefined) return AROUND;
  if (part === "message" || message !== undefined) return "$" in node ? TAGGED_MESSAGE : MESSAGE;
  if (part !== "data" && typeof node["$"] === "string") return tagged(node["$"]);
  if (part === "arguments") return ARGUMENTS;
  if (part === "calls" || isCall(node, "args")) return CALL;
  if (part === "blocks") return isCall(node, "input") ? BLOCK_OF_CALL : BLOCK;
  if (part === "source") return SOURCE;
  return part === "interrupts" ? INTERRUPT : DATA;
}

function tagged(tag: string): Kind {
  if (tag === "=") return WRAPPED;
  return tag === "hide" ? HIDE : TAGGED;
}

/** A call of a tool wherever it stands: tasks are given calls, too. */
function isCall(node: Node, field: "args" | "input"): boolean {
  const given = node[field];
  const isNamed = typeof node["id"] === "string" && typeof node["name"] === "string";
  return isNamed && (isNode(given) || typeof given === "string");
}
