import { isBaseMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary, SUMMARY_SOURCE } from "@skein/context";
import { GraphError } from "@skein/errors";
import { REMOVE_ALL_MESSAGES } from "@skein/graph";

const BRAND = Symbol.for("skein.compaction");

/** Where a summary's message says which message is the last that it covers. */
const COVERED_UNTIL = "skein_covered_until";

/**
 * A change of the model's context that the history never sees: a summary in place of old messages,
 * shortened tool outputs. Made by {@link compactMessages} only; recognised by its brand, so that no
 * JSON from outside can become one (I10).
 */
export interface Compaction {
  readonly [BRAND]: true;
  /** Ids that leave the context. */
  readonly remove: readonly string[];
  /** What the context shows instead of the messages with the same ids. */
  readonly replace: readonly BaseMessage[];
  /** Stands where the first removed message stood; at the front when none was. */
  readonly summary?: BaseMessage | undefined;
  /**
   * What the history holds from now on under ids that it knows; the context too, where it shows them.
   * Ids that are removed as well are hidden there.
   */
  readonly revise?: readonly BaseMessage[] | undefined;
  /** What is compacted, where it is not the context as it stands. */
  readonly base?: readonly BaseMessage[] | undefined;
  /**
   * When present, the whole new context, and the rest is empty: a summary and what it leaves, as
   * LangChain's own summarization middleware writes them.
   */
  readonly context?: readonly BaseMessage[];
}

export interface CompactionInit {
  /** Ids of messages to take out of the context, oldest first. Ids that it no longer holds are passed over. */
  readonly remove?: readonly string[];
  /** Messages to show instead of the ones with their ids. Ids it no longer holds are passed over. */
  readonly replace?: readonly BaseMessage[];
  /**
   * A synthetic message that speaks for the removed ones. It gets an id if it has none, and the
   * mark `additional_kwargs.lc_source: "summarization"`, by which it is known after a restart.
   */
  readonly summary?: BaseMessage;
  /**
   * Messages of the history that take the place of the context before it is compacted: a context that is
   * rebuilt. Default: the context as it stands.
   */
  readonly base?: readonly BaseMessage[];
}

/**
 * Makes a write to `messages` that compacts the context and leaves the history as it is.
 *
 * Everything else written to `messages` reaches both tracks. Ids that the context no longer holds
 * are passed over, because a summary is often written while the thread goes on.
 *
 * @throws GraphError INVALID_MESSAGE when a replacement has no id or one id is both removed and replaced.
 *
 * @example
 * beforeModel: (state) => ({
 *   messages: compactMessages({ remove: oldIds, summary: new SystemMessage("So far: ...") }),
 * })
 */
export function compactMessages(init: CompactionInit): Compaction {
  if (!isCompactionInit(init)) {
    throw new GraphError(
      "INVALID_MESSAGE",
      "compactMessages takes {remove: [id], replace: [message], summary}, each of which may be left out.",
    );
  }
  const remove = [...(init.remove ?? [])];
  const replace = [...(init.replace ?? [])];
  const removed = new Set(remove);
  for (const message of replace) {
    if (!isBaseMessage(message) || !message.id) {
      throw new GraphError(
        "INVALID_MESSAGE",
        "compactMessages: every message in `replace` must be a message with the id of the one it replaces.",
      );
    }
    if (removed.has(message.id)) {
      throw new GraphError(
        "INVALID_MESSAGE",
        `compactMessages: message "${message.id}" is both removed and replaced; name it once.`,
        { details: { id: message.id } },
      );
    }
  }
  if (init.summary !== undefined && !isBaseMessage(init.summary)) {
    throw new GraphError("INVALID_MESSAGE", "compactMessages: `summary` must be a message.");
  }
  const summary = init.summary && marked(init.summary, remove.at(-1));
  return { [BRAND]: true, remove, replace, summary, ...baseOf(init) };
}

function isCompactionInit(init: unknown): init is CompactionInit {
  if (typeof init !== "object" || init === null) return false;
  const { remove, replace } = init as CompactionInit;
  return [remove, replace].every((list) => list === undefined || Array.isArray(list));
}

function baseOf({ base }: CompactionInit): Pick<Compaction, "base"> {
  if (base === undefined) return {};
  if (Array.isArray(base) && base.every((message) => isBaseMessage(message) && message.id)) return { base };
  throw new GraphError("INVALID_MESSAGE", "compactMessages: `base` must be messages of the history.");
}

function marked(summary: BaseMessage, until: string | undefined): BaseMessage {
  if (isMarkedSummary(summary) && until === undefined) return summary;
  summary.additional_kwargs = {
    ...summary.additional_kwargs,
    ...(until === undefined ? {} : { [COVERED_UNTIL]: until }),
    lc_source: SUMMARY_SOURCE,
  };
  // the kwargs are what LangChain serializes
  summary.lc_kwargs["additional_kwargs"] = summary.additional_kwargs;
  return summary;
}

/** A revision of the history. Not public: `reviseHistory` knows what it revises. */
export function revisionOf(revise: readonly BaseMessage[], remove: readonly string[]): Compaction {
  return { [BRAND]: true, remove, replace: [], revise };
}

/**
 * A remove-all followed by a message that is marked as a summary, in one write: how LangChain's
 * summarization middleware replaces the context. Trusted from a task only: from outside, it would
 * let a client put messages into the context that the history does not show.
 */
export function asCompaction(messages: readonly BaseMessage[]): Compaction | undefined {
  const clear = messages.findLastIndex(
    (message) => RemoveMessage.isInstance(message) && message.id === REMOVE_ALL_MESSAGES,
  );
  if (clear < 0) return undefined;
  const rest = messages.slice(clear + 1);
  return rest.some(isMarkedSummary)
    ? { [BRAND]: true, remove: [], replace: [], summary: undefined, context: rest }
    : undefined;
}

/** A compaction without its brand, as the journal stores it between a task's end and its step's. */
export type StoredCompaction = Omit<Compaction, typeof BRAND>;

export function encodeCompaction({ [BRAND]: _brand, ...stored }: Compaction): StoredCompaction {
  return stored;
}

export function decodeCompaction(stored: StoredCompaction): Compaction {
  return { ...stored, [BRAND]: true };
}

/** Whether a value was made by {@link compactMessages}, of this or another copy of the package. */
export function isCompaction(value: unknown): value is Compaction {
  return typeof value === "object" && value !== null && (value as Partial<Compaction>)[BRAND] === true;
}

/** The context after a compaction that was made by {@link compactMessages}. */
export function compact(context: readonly BaseMessage[], compaction: Compaction): BaseMessage[] {
  const { summary, base: list = context } = compaction;
  const removed = new Set(compaction.remove);
  // a rolling summary may keep its id
  if (summary?.id !== undefined) removed.add(summary.id);
  const { replace, revise = [] } = compaction;
  const replaced = new Map([...replace, ...revise].map((message) => [message.id, message]));
  const next: BaseMessage[] = [];
  let placed = summary === undefined;
  for (const message of list) {
    if (message.id !== undefined && removed.has(message.id)) {
      if (!placed) next.push(summary as BaseMessage);
      placed = true;
    } else next.push(replaced.get(message.id) ?? message);
  }
  return placed ? next : [summary as BaseMessage, ...next];
}
