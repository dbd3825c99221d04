import type { InvalidSummary, Unusable } from "@skein/context";

/** What a compaction did, in numbers. Sent to `onEvent` and to the run's custom stream. */
export type CompactionEvent =
  | {
      readonly type: "compaction-start";
      /** The condition that fired, such as `messages 31 >= 30`. */
      readonly fired: string;
      readonly messages: number;
      readonly tokens: number;
      /** Messages that go under the summary. */
      readonly summarize: number;
      /** The summary is there already. */
      readonly background?: boolean;
    }
  | {
      readonly type: "compaction-end";
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      /** Tokens of the whole prompt as far as they are known. */
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** `1 - tokensAfter / tokensBefore`, in percent. */
      readonly reductionPercent: number;
      /** Ids of the messages that the summary took in now. */
      readonly coveredIds: readonly string[];
      /** All messages that it covers by now. */
      readonly coveredCount: number;
      readonly summaryTokens: number;
      readonly version: number;
      readonly by: string;
      readonly tries: number;
      /** Tokens above the maximum that no compaction can remove. */
      readonly overBudget?: number;
      /** Tokens above the target that a summary of full length would leave: the target is too low. */
      readonly overTarget?: number;
      /** The summary had been prepared in the background. */
      readonly background?: boolean;
      /** Tool outputs among the messages that stay which are now shown shorter, because of a hard limit. */
      readonly shortenedIds?: readonly string[];
    }
  | {
      /** No message left the context, but tool outputs are shown shorter, because of a hard limit. */
      readonly type: "compaction-shorten";
      readonly fired: string;
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly shortenedIds: readonly string[];
      readonly overBudget?: number;
    }
  | {
      /**
       * A prompt goes to the model that is above the maximum: nothing of it can be made shorter, the
       * summarizer rests, or something else added to it since. Said with each such call.
       */
      readonly type: "prompt-over-budget";
      /** Tokens of the prompt, by our own count. */
      readonly tokens: number;
      readonly max: number;
      readonly overBudget: number;
    }
  | {
      /** Messages left the context and no summary covers them (`summarize: false`). */
      readonly type: "compaction-omit";
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly reductionPercent: number;
      /** Ids of the messages that were left out now. */
      readonly omittedIds: readonly string[];
      /** All messages that are left out by now, and their tokens. */
      readonly omittedCount: number;
      readonly omittedTokens: number;
      readonly shortenedIds?: readonly string[];
      readonly overBudget?: number;
    }
  | {
      /** A summary is begun in the background. */
      readonly type: "compaction-prepare";
      readonly messages: number;
      readonly tokens: number;
      /** Messages that it is to cover. */
      readonly summarize: number;
      /** Milliseconds since 1970; the end of the lease. */
      readonly deadline: number;
    }
  | {
      /** A summary that was begun in the background is there, and waits to be needed. */
      readonly type: "compaction-ready";
      /** Messages that it covers. */
      readonly messages: number;
      readonly summaryTokens: number;
      readonly by: string;
      readonly tries: number;
    }
  | {
      /** A prepared summary was thrown away: it covers what this branch does not begin with, or too little. */
      readonly type: "compaction-discard";
      readonly reason: Unusable;
      /** Messages that it covered. */
      readonly messages: number;
    }
  | {
      readonly type: "compaction-failure";
      readonly by: string;
      /** Which try of this turn it was. */
      readonly attempt: number;
      readonly reason: InvalidSummary | "error" | "tool-calls";
      readonly message: string;
      readonly next: "retry" | "fallback" | "rest";
      /** Milliseconds since 1970; there when `next` is `rest`. */
      readonly restUntil?: number;
    }
  | {
      /** A trigger, a counter or a clock of the caller's threw; nothing was compacted. */
      readonly type: "compaction-error";
      readonly message: string;
    }
  | {
      readonly type: "compaction-skip";
      /** A trigger fired, but nothing is older than what is kept or too little to gain, or the summarizer rests. */
      readonly reason: "nothing-older" | "too-little" | "resting" | "tries-used-up";
      readonly fired: string;
      readonly messages: number;
      readonly tokens: number;
      readonly overBudget?: number;
    };
