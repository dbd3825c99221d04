import type { Json } from "../codec/types.ts";
import { kindOfNode, type Part } from "./kinds.ts";
import { isNode } from "./message-forms.ts";
import { ERASED } from "./quotes.ts";

/** All that is said in a value, text by text, as far as it was not erased. */
export function textsIn(value: Json, part: Part): string[] {
  if (part === "metadata" || part === "ids") return [];
  if (typeof value === "string") return value === "" || value === ERASED ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((element) => textsIn(element, part));
  if (!isNode(value)) return [];
  const { names, parts } = kindOfNode(value, part);
  const said = Object.keys(value).filter((key) => !names.has(key));
  return said.flatMap((key) => textsIn(value[key] as Json, parts[key]));
}

/** One text for all that a content says, the same for blocks as for bare text. Undefined where nothing is said. */
export function sayingOf(content: Json): string | undefined {
  const texts = textsIn(content, "blocks");
  return texts.length === 0 ? undefined : texts.join("\0");
}
