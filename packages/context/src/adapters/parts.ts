import type { BaseMessage, MessageContent } from "@langchain/core/messages";
import { GraphError, requireKnownOptions } from "@skein/errors";

/** Messages and tool calls as JSON, before anybody has looked at them. */
export type Json = Readonly<Record<string, unknown>>;

/** What is written of a conversation beside what providers take. */
export interface ExportOptions {
  /**
   * Whether `id` and `timestamp` of messages are written too, for files: providers refuse fields that
   * they don't know. Reading takes them wherever they are. Default: false.
   */
  readonly metadata?: boolean;
}

/** @throws GraphError INVALID_CONFIGURATION for an option that there is not */
export function requireExport(of: string, options: ExportOptions): void {
  requireKnownOptions(of, options, { metadata: "boolean" });
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An error that names the message and the field. */
export function invalidMessage(format: string, at: string, wanted: string): GraphError {
  return new GraphError("INVALID_MESSAGE", `No conversation in ${format} format: ${at} must be ${wanted}.`, {
    details: { field: at },
  });
}

/** `id` and the time of a message, to be written beside what the format knows. */
export function metadataOf(message: BaseMessage, { metadata = false }: ExportOptions): Json {
  if (!metadata) return {};
  const timestamp: unknown = message.additional_kwargs?.["timestamp"];
  return {
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

/** The same, read from a record: fields of a message and its `additional_kwargs`. */
export function metadataFrom({ id, timestamp }: Json): {
  readonly fields: { readonly id?: string };
  readonly kwargs: Json;
} {
  return {
    fields: typeof id === "string" ? { id } : {},
    kwargs: typeof timestamp === "number" || typeof timestamp === "string" ? { timestamp } : {},
  };
}

type Block = Json & { readonly type?: unknown };

/** Images as OpenAI writes them; other blocks stay. */
export function toImageUrl(block: Block): Block {
  if (block.type !== "image" || !isObject(block["source"])) return block;
  const { type, url, media_type, data } = block["source"];
  const address = type === "url" ? url : `data:${String(media_type)};base64,${String(data)}`;
  return { type: "image_url", image_url: { url: address } };
}

/** Images as Anthropic writes them; other blocks stay. */
export function toImageSource(block: Block): Block {
  if (block.type !== "image_url") return block;
  const given = block["image_url"];
  const url = isObject(given) ? String(given["url"]) : String(given);
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/su.exec(url) ?? [];
  const source = data === undefined ? { type: "url", url } : { type: "base64", media_type, data };
  return { type: "image", source };
}

/** A content with each of its blocks changed. */
export function mapBlocks(content: MessageContent, change: (block: Block) => Block): MessageContent {
  return typeof content === "string" ? content : (content.map((block) => change(block)) as MessageContent);
}
