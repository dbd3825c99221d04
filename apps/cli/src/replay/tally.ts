import type { BaseMessage } from "@langchain/core/messages";
import { createTokenCounter, repair } from "@skein/context";
import type { LoopViewEvent } from "@skein/middleware/run-loops";
import type { CompactionEvent } from "@skein/middleware/summarization";
import { CoverageWatch } from "./invariants.ts";
import type { Playback } from "./playback.ts";

/** What context managers send to the custom stream beside compactions. */
interface ShorteningEvent {
  readonly type: "context-shortened";
  readonly by: "compression" | "offloading" | "clearing";
  readonly messages: number;
  readonly savedTokens: number;
}

/** How often the context was shaped, and in which way. */
export interface Shaping {
  /** Summaries that were written; the last version is `version`. */
  readonly compactions: number;
  readonly failedCompactions: number;
  readonly version: number;
  /** Messages that left the view without a summary. */
  readonly omitted: number;
  /** Tool outputs that are shown shorter, by what made them so; `fitted`: because of a hard maximum. */
  readonly shortened: {
    readonly compression: number;
    readonly offloading: number;
    readonly clearing: number;
    readonly fitted: number;
    readonly savedTokens: number;
  };
  /** `removed`: messages that left the view with them, as an event said. */
  readonly loops: { readonly condensed: number; readonly omitted: number; readonly removed: number };
  /** Prompts above the maximum, said in an event. */
  readonly overBudget: number;
  /** Prompts above the maximum of which no event spoke. */
  readonly unsaid: number;
}

/** What a replay counts while it runs. */
export class Tally {
  modelCalls = 0;
  largestContext = 0;
  orphans = 0;
  readonly uncovered = new Set<string>();
  readonly unsendable = new Set<string>();
  /** What the next request is made of. */
  context: readonly BaseMessage[] = [];

  readonly #max: number;
  readonly #coverage = new CoverageWatch();
  readonly #counter = createTokenCounter();
  #entered = 0;
  #said = false;
  #compactions = 0;
  #failedCompactions = 0;
  #version = 0;
  #omitted = 0;
  readonly #shortened = { compression: 0, offloading: 0, clearing: 0, fitted: 0, savedTokens: 0 };
  readonly #loops = { condensed: 0, omitted: 0, removed: 0 };
  #overBudget = 0;
  #unsaid = 0;

  /** @param max - tokens that no prompt may have unless somebody says so */
  constructor(max: number) {
    this.#max = max;
  }

  /** Looks at what the model is sent, or would be if it had something to say. */
  inspect(request: readonly BaseMessage[], tools: readonly unknown[], playback: Playback): void {
    for (; this.#entered < playback.position; this.#entered += 1) {
      this.#coverage.add(playback.messages[this.#entered]?.id ?? "");
    }
    const tokens = this.#counter.messages(request) + this.#counter.tools(tools);
    this.largestContext = Math.max(this.largestContext, tokens);
    if (tokens > this.#max) {
      if (this.#said) this.#overBudget += 1;
      else this.#unsaid += 1;
    }
    this.#said = false;
    const missing = this.#coverage.missingFrom(request);
    if (missing.length === 0) return;
    // A result without a call stays in the context, where it waits to be covered, and is not sent.
    const dropped = new Set(repair(this.context).report.dropped.map(({ messageId }) => messageId));
    for (const id of missing) (dropped.has(id) ? this.unsendable : this.uncovered).add(id);
  }

  compaction(event: CompactionEvent): void {
    if ("overBudget" in event && event.overBudget !== undefined) this.#said = true;
    if (event.type === "compaction-failure") this.#failedCompactions += 1;
    if (event.type === "compaction-omit") this.#omitted = event.omittedCount;
    if ("shortenedIds" in event) this.#shortened.fitted += event.shortenedIds?.length ?? 0;
    if (event.type !== "compaction-end") return;
    this.#compactions += 1;
    this.#version = event.version;
    this.#coverage.cover(event.coveredIds);
  }

  /** A chunk of the custom stream. Compactions come with their own listener. */
  custom(chunk: unknown): void {
    const event = chunk as ShorteningEvent | LoopViewEvent | CompactionEvent;
    if (event.type === "context-shortened") {
      this.#shortened[event.by] += event.messages;
      this.#shortened.savedTokens += event.savedTokens;
    } else if (event.type === "loops-view") {
      this.#loops.condensed += event.condensed.length;
      this.#loops.omitted += event.omitted.length;
      this.#loops.removed += event.removedMessages;
    }
  }

  shaping(): Shaping {
    return {
      compactions: this.#compactions,
      failedCompactions: this.#failedCompactions,
      version: this.#version,
      omitted: this.#omitted,
      shortened: this.#shortened,
      loops: this.#loops,
      overBudget: this.#overBudget,
      unsaid: this.#unsaid,
    };
  }
}
