import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type BaseMessageLike,
} from "@langchain/core/messages";
import { timestampOf } from "@skein/context";
import { GraphError, requireKnownOptions } from "@skein/errors";
import { toMessage } from "./coerce.ts";
import { revisionOf, type Compaction } from "./compaction.ts";
import { stamp } from "./timestamp.ts";

/** What somebody changes in a complete history. */
export interface HistoryRevision {
  /** Messages with the ids of those whose place they take. */
  readonly replace?: readonly BaseMessageLike[];
  /** Ids of messages that are to say "[removed]". */
  readonly remove?: readonly string[];
}

type Revisions = ReadonlyMap<string, readonly unknown[]>;

/** What stands where a removed message stood. */
const REMOVED = "[removed]";
/** In `additional_kwargs.lc_source` of such a message. */
const REMOVED_SOURCE = "removed";

/**
 * The ids that a revision names.
 *
 * @throws GraphError INVALID_MESSAGE; INVALID_CONFIGURATION for a member that there is not, before anything is done
 */
export function idsOf(revision: HistoryRevision): string[] {
  // of what is none it is said below what it lacks
  if (typeof revision === "object" && (revision as unknown) !== null && !Array.isArray(revision))
    requireKnownOptions("reviseHistory", revision, { replace: "any", remove: "any" });
  const { replace = [], remove = [] } = (revision as HistoryRevision | null | undefined) ?? {};
  if (!Array.isArray(replace) || !Array.isArray(remove)) {
    throw new GraphError(
      "INVALID_MESSAGE",
      "A revision of the history is given lists: replace: [message], remove: [id].",
    );
  }
  const ids = [...replace.map((like) => toMessage(like).id), ...remove];
  if (
    ids.length > 0 &&
    ids.every((id) => typeof id === "string" && id !== "") &&
    new Set(ids).size === ids.length
  )
    return ids as string[];
  throw new GraphError(
    "INVALID_MESSAGE",
    "A revision of the history names at least one message, each by its id and only once: replace: [message], remove: [id].",
  );
}

/** The write that makes a revision. @throws GraphError INVALID_MESSAGE for a message that the history does not hold */
export function revisionWrite({ replace = [], remove = [] }: HistoryRevision, known: Revisions): Compaction {
  const original = (id: string): BaseMessage => {
    const message = known.get(id)?.at(-1) as BaseMessage | undefined;
    if (message !== undefined) return message;
    throw new GraphError("INVALID_MESSAGE", `The history holds no message "${id}", so it can't be revised.`, {
      details: { id },
    });
  };
  const edits = replace.map((like) => {
    const message = toMessage(like);
    const time = timestampOf(original(message.id as string));
    if (time !== undefined) stamp(message, () => time);
    return message;
  });
  return revisionOf([...edits, ...remove.map((id) => removed(original(id)))], remove);
}

/**
 * Whether a message of the history was removed by `reviseHistory`. False for what is no message.
 *
 * @example
 * const { messages } = await agent.history(config);
 * const shown = messages.filter((message) => !isRemoved(message));
 */
export function isRemoved(message: BaseMessage): boolean {
  return (message as BaseMessage | null | undefined)?.additional_kwargs?.["lc_source"] === REMOVED_SOURCE;
}

/** What a removed message leaves: its kind, its time, and the call that it belongs to. */
function removed(message: BaseMessage): BaseMessage {
  const timestamp = timestampOf(message);
  const additional_kwargs = { lc_source: REMOVED_SOURCE, ...(timestamp === undefined ? {} : { timestamp }) };
  const fields = { id: message.id as string, content: REMOVED, additional_kwargs };
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id, name } = message;
    return new ToolMessage({ ...fields, tool_call_id, ...(name === undefined ? {} : { name }) });
  }
  if (AIMessage.isInstance(message)) return new AIMessage(fields);
  return SystemMessage.isInstance(message) ? new SystemMessage(fields) : new HumanMessage(fields);
}
