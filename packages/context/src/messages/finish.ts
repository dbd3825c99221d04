import type { BaseMessage } from "@langchain/core/messages";
import { requireMessage } from "./given.ts";

/** Reasons that mean a reply is not whole: it was cut off or withheld. */
const CUT_OFF = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "content_filter",
  "safety",
  "refusal",
  "recitation",
  "blocklist",
  "prohibited_content",
]);

const KEYS = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

/**
 * The provider's reason for ending a reply, in lower case: each has a name of its own for it.
 *
 * @returns undefined where the reply does not say
 * @throws GraphError INVALID_MESSAGE for what is no message
 *
 * @example
 * finishReason(new AIMessage({ content: "", response_metadata: { finish_reason: "LENGTH" } })); // "length"
 */
export function finishReason(reply: BaseMessage): string | undefined {
  requireMessage("finishReason", reply);
  return reasonOf(reply);
}

function reasonOf(reply: BaseMessage): string | undefined {
  for (const source of [reply.response_metadata, reply.additional_kwargs]) {
    const told = source as Record<string, unknown> | undefined;
    const details = told?.["incomplete_details"] as { readonly reason?: unknown } | null | undefined;
    for (const reason of [...KEYS.map((key) => told?.[key]), details?.reason]) {
      if (typeof reason === "string") return reason.toLowerCase();
    }
  }
  return undefined;
}

/**
 * Whether a reply was cut off (length) or withheld (content filter), as its provider says. False for
 * what is no message.
 *
 * @example
 * isCutOff(new AIMessage({ content: "To be", response_metadata: { finish_reason: "length" } })); // true
 */
export function isCutOff(reply: BaseMessage): boolean {
  return typeof reply === "object" && reply !== null && CUT_OFF.has(reasonOf(reply) ?? "");
}
