import { HumanMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { REVIVERS } from "../codec/builtins.ts";
import type { Codec, Json } from "../codec/types.ts";
import type { Node } from "./message-forms.ts";
import { ERASED } from "./quotes.ts";

/**
 * A value of which a part was erased; where nothing can be made of that any more, what is left of its text.
 * Whoever comes to a value that cannot be read gets nothing at all of the checkpoint.
 */
export function readable(node: Node, codec: Codec): Json {
  const tag = node["$"];
  if (typeof tag !== "string") return node;
  try {
    // a copy, as it will be stored: it is consumed
    codec.revive(JSON.parse(JSON.stringify(node)) as Json, standIn);
    return node;
  } catch (error) {
    // what only another codec knows is for that one to read
    if (GraphError.is(error, "STORAGE_NEWER")) return node;
    const left = node["v"];
    return REVIVERS.has(tag) && typeof left === "string" && left.includes(ERASED) ? left : ERASED;
  }
}

/** Of the items that a value refers to, most are messages. */
const standIn = (): unknown => new HumanMessage({ content: ERASED });
