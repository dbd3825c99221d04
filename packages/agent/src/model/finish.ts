import type { AIMessage } from "@langchain/core/messages";

/** Reasons after which a reply's calls are not to be run: it was cut off or withheld. */
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

/**
 * Whether a reply asks for tools (E6): it has calls and was not cut off. `stop` does not end a turn
 * whose reply has calls, because Gemini and Ollama say `stop` also when they call tools.
 */
export function wantsTools(reply: AIMessage): boolean {
  return (reply.tool_calls?.length ?? 0) > 0 && !CUT_OFF.has(finishReason(reply) ?? "");
}

/** The provider's reason for ending a reply, in lower case: each has a name of its own for it. */
export function finishReason(reply: AIMessage): string | undefined {
  const metadata = (reply.response_metadata ?? {}) as Record<string, unknown>;
  const sources = [metadata, reply.additional_kwargs as Record<string, unknown>];
  for (const source of sources) {
    for (const key of ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"]) {
      const reason = source[key];
      if (typeof reason === "string") return reason.toLowerCase();
    }
  }
  return undefined;
}
