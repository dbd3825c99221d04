import { isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";

const BRAND = Symbol.for("skein.compaction");

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
  readonly summary: BaseMessage | undefined;
}

export interface CompactionInit {
  /** Ids of messages to take out of the context. Ids that it no longer holds are passed over. */
  readonly remove?: readonly string[];
  /** Messages to show instead of the ones with their ids. Ids it no longer holds are passed over. */
  readonly replace?: readonly BaseMessage[];
  /** A synthetic message that speaks for the removed ones. It gets an id if it has none. */
  readonly summary?: BaseMessage;
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
  return { [BRAND]: true, remove, replace, summary: init.summary };
}

/** Whether a value was made by {@link compactMessages}, of this or another copy of the package. */
export function isCompaction(value: unknown): value is Compaction {
  return typeof value === "object" && value !== null && (value as Partial<Compaction>)[BRAND] === true;
}
