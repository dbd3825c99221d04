import { REVIVERS } from "../codec/builtins.ts";
import type { Json } from "../codec/types.ts";
import type { Node } from "./message-forms.ts";

/** Tags of what is made of a text that has to have a form. */
const FORMED: ReadonlySet<unknown> = new Set(["bigint", "bytes", "regexp", "url"]);

/** A value of which a part was erased: its text, where nothing can be made of that any more. */
export function readable(node: Node): Json {
  if (!FORMED.has(node["$"])) return node;
  try {
    REVIVERS.get(node["$"] as string)?.(node);
    return node;
  } catch {
    return node["v"] as Json;
  }
}
