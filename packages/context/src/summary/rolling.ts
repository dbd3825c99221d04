import { requireList, requireNumbers, requireObject, requireText } from "../messages/given.ts";
import { hash } from "./hash.ts";

/**
 * The summary of everything older than the window. There is one in force at a time: each new one
 * has taken in the one before.
 */
export interface RollingSummary {
  /** 1 for a thread's first. */
  readonly version: number;
  readonly text: string;
  /** Id of the message that stands for it in the context. */
  readonly messageId: string;
  /** Id of the first message that is not covered; `null` if that message has none. */
  readonly coveredUntil: string | null;
  /** Messages covered, over all versions. */
  readonly coveredCount: number;
  /** Tokens of `text`. */
  readonly tokens: number;
  /** Tokens of the messages covered, over all versions. */
  readonly originalTokens: number;
  /** `1 - tokens / originalTokens`. */
  readonly rate: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Id of the newest message when it was made. */
  readonly madeAfter: string | null;
  /** What made it: `model`, `extractive` or a name of the caller's. */
  readonly by: string;
  /** Provider's tokens per token of ours when it was made; absent if nobody knew. */
  readonly scale?: number;
}

/** Versions that are kept, so that what a summary forgot can be found and a thread be rolled back. */
export const SUMMARY_VERSIONS = 10;

/** The versions of a thread, oldest first; the last one is in force. */
export type SummaryVersions = readonly RollingSummary[];

/**
 * Adds a version, and lets the oldest go beyond ten.
 *
 * @throws GraphError INVALID_INPUT for what is no summary
 *
 * @example
 * versions = addVersion(versions, nextSummary(versions.at(-1), input));
 */
export function addVersion(versions: SummaryVersions, summary: RollingSummary): SummaryVersions {
  requireList("versions of addVersion", versions);
  requireObject("addVersion", summary, "a summary");
  return [...versions, summary].slice(-SUMMARY_VERSIONS);
}

/** What the next version of a summary is made of; most of it stands in the version as it is. */
export interface SummaryInput {
  readonly text: string;
  readonly tokens: number;
  /** The messages that were summarized now. */
  readonly covered: readonly { readonly id?: string | undefined }[];
  /** Tokens of those messages. */
  readonly originalTokens: number;
  readonly coveredUntil: string | null;
  readonly madeAfter: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly by: string;
  readonly scale?: number | undefined;
  /** The last version that there was, where it is not `previous`: one that left the context. */
  readonly lastVersion?: number | undefined;
}

/**
 * The next version: covers what the previous one covered and what was summarized now. Pure.
 *
 * @throws GraphError INVALID_INPUT for a summary that is none
 *
 * @example
 * const summary = nextSummary(undefined, {
 *   text: "They asked for order O7.",
 *   tokens: 8,
 *   covered: plan.summarize,
 *   originalTokens: counter.messages(plan.summarize),
 *   coveredUntil: plan.keep[0]?.id ?? null,
 *   madeAfter: messages.at(-1)?.id ?? null,
 *   now: Date.now(),
 *   by: "model",
 * });
 */
export function nextSummary(previous: RollingSummary | undefined, input: SummaryInput): RollingSummary {
  if (previous !== undefined) requireObject("nextSummary", previous, "the previous summary, or undefined");
  requireObject("nextSummary", input, "what the summary is made of");
  requireText("text of nextSummary", input.text);
  requireList("covered of nextSummary", input.covered);
  const { tokens, originalTokens: covered, now } = input;
  requireNumbers("nextSummary", { tokens, originalTokens: covered, now });
  const version = (previous?.version ?? input.lastVersion ?? 0) + 1;
  const originalTokens = (previous?.originalTokens ?? 0) + input.originalTokens;
  return {
    version,
    text: input.text,
    messageId: `summary-${version}-${hash(`${input.coveredUntil ?? ""}\n${input.now}\n${input.text}`)}`,
    coveredUntil: input.coveredUntil,
    coveredCount: (previous?.coveredCount ?? 0) + input.covered.length,
    tokens: input.tokens,
    originalTokens,
    rate: originalTokens === 0 ? 0 : 1 - input.tokens / originalTokens,
    createdAt: input.now,
    madeAfter: input.madeAfter,
    by: input.by,
    ...(input.scale === undefined ? {} : { scale: input.scale }),
  };
}

/** Why a text can't serve as a summary. */
export type InvalidSummary = "empty" | "not-smaller" | "too-long" | "no-text";

/**
 * Whether a summarizer's answer may replace messages (C7).
 *
 * @param replaced - tokens of the messages and of the old summary that it would replace
 * @param longest - tokens that it may have at most; it is asked to stay well below
 * @throws GraphError INVALID_INPUT for figures that are none: no answer would be too long
 *
 * @example
 * checkSummary("  ", 0, { replaced: 900, longest: 400 }); // "empty"
 */
export function checkSummary(
  text: unknown,
  tokens: number,
  limits: { readonly replaced: number; readonly longest: number },
): InvalidSummary | undefined {
  requireObject("checkSummary", limits, "limits");
  const { replaced, longest } = limits;
  requireNumbers("checkSummary", { tokens, replaced, longest });
  if (typeof text !== "string") return "no-text";
  if (text.trim() === "") return "empty";
  if (tokens >= replaced) return "not-smaller";
  return tokens > longest ? "too-long" : undefined;
}
