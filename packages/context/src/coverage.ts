import type { BaseMessage } from "@langchain/core/messages";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { countOrphans } from "./chains/repair.ts";
import { requireIds, requireMessages } from "./messages/given.ts";

/** What is compared by `coverage`. */
export interface CoverageInput {
  /** The complete history, oldest first. */
  readonly history: readonly BaseMessage[];
  /** The context, or the messages that were sent to a model. */
  readonly window: readonly BaseMessage[];
  /** Ids that were in the input of a summarizer call that succeeded (the events of compactions name them). Default: none. */
  readonly covered?: Iterable<string>;
  /** Ids that somebody removed from the context on purpose. Default: none. */
  readonly hidden?: Iterable<string>;
}

/** Where the messages of a history are, in numbers of messages. */
export interface Coverage {
  readonly total: number;
  readonly inWindow: number;
  /** Covered and no longer in the window. */
  readonly covered: number;
  /** Ids (or `#position` where there is none) of messages that are in neither. Must be empty. */
  readonly lost: readonly string[];
  /** Of the window: calls without result and results without call. Must be 0 in what is sent. */
  readonly orphans: number;
}

const INPUT: Readonly<Record<keyof CoverageInput, OptionKind>> = {
  history: "any",
  window: "any",
  covered: "any",
  hidden: "any",
};

/**
 * Checks the invariant of compaction: every message of the history is in the window or covered by
 * the summary (C6).
 *
 * @throws GraphError INVALID_MESSAGE for what is no list of messages; INVALID_CONFIGURATION for an option
 *   that there is not; INVALID_INPUT for ids that can't be gone through
 *
 * @example
 * const { lost } = coverage({ history: values.full_messages, window: values.messages, covered });
 */
export function coverage(input: CoverageInput): Coverage {
  requireKnownOptions("coverage", input, INPUT);
  const { history, window, covered = [], hidden = [] } = input;
  requireMessages("history of coverage", history);
  requireMessages("window of coverage", window);
  requireIds("covered of coverage", covered);
  requireIds("hidden of coverage", hidden);
  const ids = new Set(window.flatMap((message) => (message.id === undefined ? [] : [message.id])));
  const objects = new Set(window);
  const coveredIds = new Set(covered);
  const hiddenIds = new Set(hidden);
  let inWindow = 0;
  let taken = 0;
  const lost: string[] = [];
  for (const [index, message] of history.entries()) {
    const { id } = message;
    if (objects.has(message) || (id !== undefined && ids.has(id))) inWindow++;
    else if (id !== undefined && coveredIds.has(id)) taken++;
    else if (id === undefined || !hiddenIds.has(id)) lost.push(id ?? `#${index}`);
  }
  return { total: history.length, inWindow, covered: taken, lost, orphans: countOrphans(window) };
}
