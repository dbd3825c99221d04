import type { BaseMessage } from "@langchain/core/messages";
import {
  isAssistant,
  isRecallOutput,
  isSystem,
  isToolResult,
  isUser,
  toolCallsOf,
} from "../messages/kinds.ts";
import { argumentsText } from "../messages/json.ts";
import { textOf } from "../messages/text.ts";
import type { TokenCounter } from "../tokens/counter.ts";
import { escapeTags } from "./escape.ts";

/** Stands for a copy of earlier messages: what a summary says already must not come into it again as news. */
const RECALLED = "[earlier messages, recalled]";

/** One message as a summarizing model reads it: tagged with its role, its text unable to close the tag. */
export function transcriptOf(message: BaseMessage): string {
  const text = isRecallOutput(message) ? RECALLED : escapeTags(textOf(message));
  if (isToolResult(message)) {
    const name = attribute("name", message.name);
    const status = message.status === "error" ? ' status="error"' : "";
    return `<tool_result${name}${status}>${text}</tool_result>`;
  }
  const calls = toolCallsOf(message).map(
    (call) => `<tool_call${attribute("name", call.name)}>${escapeTags(argumentsText(call.args))}</tool_call>`,
  );
  return `<message role="${roleOf(message)}">${[text, ...calls].filter((part) => part !== "").join("\n")}</message>`;
}

function roleOf(message: BaseMessage): string {
  if (isUser(message)) return "user";
  if (isAssistant(message)) return "assistant";
  return isSystem(message) ? "system" : "other";
}

function attribute(key: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${key}="${value.replace(/["<>&]/gu, "")}"`;
}

/**
 * Packs texts into as few chunks as possible, each of at most `most` tokens. A text that is longer by
 * itself is cut into pieces; nothing is left out.
 */
export function packChunks(texts: readonly string[], most: number, counter: TokenCounter): string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let size = 0;
  const close = (): void => {
    if (open.length > 0) chunks.push(open.join("\n"));
    open = [];
    size = 0;
  };
  for (const text of texts) {
    for (const piece of cutInto(text, most, counter)) {
      const tokens = counter.text(piece) + 1;
      if (size + tokens > most) close();
      open.push(piece);
      size += tokens;
    }
  }
  close();
  return chunks;
}

/** Halves a text until each piece fits. A surrogate pair stays together. */
function cutInto(text: string, most: number, counter: TokenCounter): string[] {
  if (text.length < 2 || counter.text(text) + 1 <= most) return [text];
  let middle = text.length >> 1;
  const code = text.charCodeAt(middle);
  if (code >= 0xdc00 && code <= 0xdfff && middle > 1) middle--;
  return [...cutInto(text.slice(0, middle), most, counter), ...cutInto(text.slice(middle), most, counter)];
}
