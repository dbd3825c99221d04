import type { MessageContent } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import type { PIIMatch } from "./detectors.ts";

export const STRATEGIES = ["block", "redact", "mask", "hash"] as const;
/** What is done about personal data: end the call, or put a placeholder, a part or a hash in its place. */
export type PIIStrategy = (typeof STRATEGIES)[number];

/** The strategy is `"block"` and something was found. */
export class PIIDetectionError extends GraphError {
  readonly piiType: string;
  /** What was found. Not in the message, which may be logged. */
  readonly matches: readonly PIIMatch[];

  constructor(piiType: string, matches: readonly PIIMatch[], messageId: string | undefined) {
    super(
      "PII_DETECTED",
      `A message holds personal data: ${piiType}, ${matches.length} time(s). The model was not called with it. Remove the message from the thread, or choose a strategy that replaces what is found.`,
      { details: { piiType, count: matches.length, messageId } },
    );
    this.name = "PIIDetectionError";
    this.piiType = piiType;
    this.matches = matches;
  }
}

/** The text with what was found replaced. */
export async function replaceMatches(
  content: string,
  matches: readonly PIIMatch[],
  strategy: Exclude<PIIStrategy, "block">,
  piiType: string,
): Promise<string> {
  let result = "";
  let from = 0;
  for (const { text, start, end } of matches) {
    const replacement = await REPLACE[strategy](text, piiType);
    result += content.slice(from, start) + replacement;
    from = end;
  }
  return result + content.slice(from);
}

type Replace = (text: string, piiType: string) => string | Promise<string>;

const REPLACE: Readonly<Record<Exclude<PIIStrategy, "block">, Replace>> = {
  redact: (_text, piiType) => `[REDACTED_${piiType.toUpperCase()}]`,
  mask,
  hash: async (text, piiType) => `<${piiType}_hash:${(await sha256(text)).slice(0, 8)}>`,
};

/** Tells the content that a replacement left from any other. */
export async function digestOf(content: MessageContent): Promise<string> {
  return (await sha256(JSON.stringify(content))).slice(0, 16);
}

/** LangChain's `sha256` of @langchain/core 1.2.13 is none: it gives other digits than everybody else's. */
async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Shows enough to tell one from another, and nothing of what is short. */
function mask(text: string, piiType: string): string {
  if (piiType === "credit_card") return `****-****-****-${text.replaceAll(/\D/g, "").slice(-4)}`;
  const at = text.indexOf("@");
  if (piiType === "email" && at > 0) return `${text[0]}***${text.slice(at)}`;
  const shown = text.length < 8 ? 0 : 4;
  return "*".repeat(text.length - shown) + text.slice(text.length - shown);
}
