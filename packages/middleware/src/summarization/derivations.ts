import type { BaseMessage } from "@langchain/core/messages";
import { fullMessages } from "@skein/agent";
import {
  createTokenCounter,
  extractiveSummarizer,
  frameText,
  SUMMARY_SOURCE,
  unframeText,
  type RollingSummary,
  type Summarizer,
  type TokenCounter,
} from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { isSummaryAhead, type SummaryAhead } from "./ahead.ts";
import { isSummary, METADATA } from "./state.ts";

/** Who writes summaries anew, and who counts them. */
export interface SummaryDerivationsOptions {
  /** Writes the new summaries. Default: extractive, which needs no model. */
  readonly summarizer?: Summarizer;
  /** Default: the estimate. */
  readonly counter?: TokenCounter;
}

const OPTIONS: Readonly<Record<keyof SummaryDerivationsOptions, OptionKind>> = {
  summarizer: "function",
  counter: "object",
};

type StoredObject = Readonly<Record<string, unknown>>;
type State = Readonly<Record<string, unknown>>;

/** What stands in a summary when nothing is left to summarize, or nobody knows what it covered. */
const ERASED = "[erased]";

/** Tokens that a new summary may have at least: extracts are longer than what a model makes of them. */
const ROOM = 128;

/**
 * For the option `derived` of a saver's `eraseMessage`: summaries that cover the erased message, each
 * version of them, are written anew from the messages they cover without that one. Other summaries
 * stay. One of which nobody can tell what it covers becomes "[erased]". What was prepared in the
 * background is thrown away.
 *
 * @throws GraphError INVALID_CONFIGURATION for an option that there is not
 *
 * @example
 * await saver.eraseMessage(config, "m7", { derived: summaryDerivations() });
 */
export function summaryDerivations(options: SummaryDerivationsOptions = {}) {
  requireKnownOptions("summaryDerivations", options, OPTIONS);
  const { counter = createTokenCounter() } = options;
  const summarize = options.summarizer ?? extractiveSummarizer(counter);
  return {
    matches: (value: StoredObject): boolean => isSummary(value) || isSummaryMessage(value) || isReady(value),
    rewrite: async (erased: {
      readonly messageId: string;
      readonly found: readonly StoredObject[];
      readonly states: readonly State[];
    }): Promise<(value: StoredObject) => StoredObject> => {
      const histories = erased.states.map(historyOf);
      const texts = new Map<string, string>();
      for (const summary of summariesIn(erased.found)) {
        const covered = coveredBy(summary, histories);
        if (covered !== undefined && !covered.some(({ id }) => id === erased.messageId)) continue;
        const messages = covered?.filter(({ id }) => id !== erased.messageId) ?? [];
        const maxTokens = Math.max(ROOM, summary.tokens ?? counter.text(summary.text));
        const text = messages.length === 0 ? "" : await summarize({ messages, maxTokens });
        texts.set(summary.id, text.trim() || ERASED);
      }
      return (value) =>
        isReady(value) ? voided(value) : rewritten(value, texts, counter, options.summarizer === undefined);
    },
  };
}

const isReady = (value: StoredObject): boolean => isSummaryAhead(value) && value.kind === "ready";

/** A summary that waits to be put in force knows its messages by a hash only, so it goes in any case. */
function voided(value: StoredObject): StoredObject {
  const { prefix } = value as unknown as SummaryAhead;
  return { kind: "void", prefix };
}

/** Where a summary ends, as far as its versions and its message say. */
interface Found {
  readonly id: string;
  readonly text: string;
  readonly tokens?: number | undefined;
  /** The first message that is not covered. */
  readonly until?: string | null | undefined;
  /** The last message that is covered. */
  readonly through?: string | undefined;
  readonly madeAfter?: string | null | undefined;
}

function isSummaryMessage({ id, content, additional_kwargs: kwargs }: StoredObject): boolean {
  if (typeof id !== "string" || content === undefined) return false;
  return (kwargs as { lc_source?: unknown } | undefined)?.lc_source === SUMMARY_SOURCE;
}

/** Each summary once, with all that its version and its message know. */
function summariesIn(found: readonly StoredObject[]): Iterable<Found> {
  const byId = new Map<string, Found>();
  const add = (summary: Found): void => void byId.set(summary.id, { ...byId.get(summary.id), ...summary });
  for (const value of found) {
    if (isReady(value)) continue;
    if (isSummary(value)) add(fromVersion(value.messageId, value));
    else {
      const { [METADATA]: metadata, skein_covered_until: through } = value["additional_kwargs"] as State;
      const id = value["id"] as string;
      const text = unframeText(contentText(value["content"]));
      add({
        ...(metadata === undefined ? {} : fromVersion(id, metadata as RollingSummary)),
        ...(typeof through === "string" ? { through } : {}),
        id,
        text,
      });
    }
  }
  return byId.values();
}

const fromVersion = (id: string, { text, tokens, coveredUntil, madeAfter }: RollingSummary): Found => ({
  id,
  text,
  tokens,
  until: coveredUntil,
  madeAfter,
});

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function historyOf(state: State): readonly BaseMessage[] {
  const { messages = [], full_messages: full } = state as { [key: string]: BaseMessage[] | undefined };
  return full === undefined ? messages : fullMessages({ messages, full_messages: full });
}

/** The messages that a summary covers; undefined when no branch knows where it ends. */
function coveredBy(
  { until, through, madeAfter }: Found,
  histories: readonly (readonly BaseMessage[])[],
): readonly BaseMessage[] | undefined {
  // the newest message of its time tells its branch from others that share what it covers
  const ends = [
    ...(typeof until === "string" ? [[until, 0] as const] : []),
    ...(through === undefined ? [] : [[through, 1] as const]),
    ...(typeof madeAfter === "string" ? [[madeAfter, 1] as const] : []),
  ];
  const branch = histories.find((history) => ends.every(([end]) => history.some(({ id }) => id === end)));
  const [first] = ends;
  if (branch === undefined || first === undefined) return undefined;
  const [end, more] = first;
  return branch.slice(0, branch.findIndex(({ id }) => id === end) + more);
}

function rewritten(
  value: StoredObject,
  texts: ReadonlyMap<string, string>,
  counter: TokenCounter,
  extractive: boolean,
): StoredObject {
  if (!isSummary(value)) {
    const text = texts.get(value["id"] as string);
    return text === undefined ? value : { ...value, content: frameText(text) };
  }
  const text = texts.get(value.messageId);
  if (text === undefined) return value;
  const tokens = counter.text(text);
  const rate = value.originalTokens === 0 ? 0 : 1 - tokens / value.originalTokens;
  return { ...value, text, tokens, rate, ...(extractive ? { by: "extractive" } : {}) };
}
