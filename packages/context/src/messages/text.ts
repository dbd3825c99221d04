import type { BaseMessage } from "@langchain/core/messages";
import { requireMessage } from "./given.ts";

type Block = Readonly<Record<string, unknown>>;

/** A part of a message's content that a model reads: text, what it thought before, an image, or other media. */
export type ContentPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "image" }
  | { readonly kind: "media"; readonly what: string };

const IMAGES = new Set(["image", "image_url", "input_image", "image_file"]);
const MEDIA = new Set(["audio", "input_audio", "video", "file", "document", "media"]);
/** Calls stand in `tool_calls` too; counted or quoted from both they would be double. */
const CALLS = new Set(["tool_use", "tool_call", "server_tool_call", "function_call", "input_json_delta"]);

/** The parts of a content in order. Null content has none; base64 never counts as text. */
export function contentParts(content: unknown): ContentPart[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content)) return typeof content === "object" ? blockParts(content as Block) : [];
  return content.flatMap((block: unknown) =>
    typeof block === "object" && block !== null ? blockParts(block as Block) : contentParts(block),
  );
}

function blockParts(block: Block): ContentPart[] {
  const type = typeof block["type"] === "string" ? block["type"] : "";
  if (IMAGES.has(type)) return [{ kind: "image" }];
  if (CALLS.has(type)) return [];
  if (typeof block["text"] === "string") return [{ kind: "text", text: block["text"] }];
  for (const key of ["reasoning", "thinking"]) {
    const text = block[key];
    if (typeof text === "string") return [{ kind: "reasoning", text }];
  }
  if (MEDIA.has(type)) return [{ kind: "media", what: type }];
  if (block["content"] !== undefined) return contentParts(block["content"]);
  return [{ kind: "text", text: plainJson(block) }];
}

/** JSON without what is no text: data URLs and long unbroken strings (base64). */
function plainJson(block: Block): string {
  return JSON.stringify(block, (_key, value: unknown) =>
    typeof value === "string" && (value.startsWith("data:") || (value.length > 256 && !/\s/u.test(value)))
      ? "[data]"
      : value,
  );
}

/**
 * The text of a message as a person would read it: images and media as `[image]`, `[audio]`, without
 * the model's reasoning.
 *
 * @throws GraphError INVALID_MESSAGE for what is no message
 *
 * @example
 * textOf(new HumanMessage({ content: [{ type: "text", text: "See" }, { type: "image_url", image_url: url }] })); // "See\n[image]"
 */
export function textOf(message: BaseMessage): string {
  requireMessage("textOf", message);
  return contentParts(message.content)
    .filter((part) => part.kind !== "reasoning")
    .map((part) => {
      if (part.kind === "text") return part.text;
      return part.kind === "image" ? "[image]" : `[${part.what}]`;
    })
    .join("\n");
}
