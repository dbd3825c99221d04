import { RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { compactMessages, fullMessages, type CompactionInit, type MessagesUpdate } from "@skein/agent";
import { shortenedMark } from "@skein/context";
import { REMOVE_ALL_MESSAGES } from "@skein/graph";
import { z } from "zod";

/**
 * The history, for agents that have no dual track of their own: under LangGraph's engine no write
 * reaches two channels, so what a compaction takes out of `messages` is moved here. Our agent has the
 * key already and this declaration is not used.
 */
export const historyFields = {
  full_messages: z.array(z.custom<BaseMessage>()).default(() => []),
  /** By what configurations the context was made, by the names of the middleware. */
  _contextConfigurations: z.custom<Readonly<Record<string, string>> | null>(isRecord).default(null),
};

function isRecord(value: unknown): boolean {
  return typeof value === "object";
}

/** The part of a state that a change of the context reads. */
export interface ContextState {
  readonly messages: readonly BaseMessage[];
  /** Present only where the engine knows no dual track: ours hides it from hooks. */
  readonly full_messages?: readonly BaseMessage[] | undefined;
  readonly _contextConfigurations?: Readonly<Record<string, string>> | null | undefined;
  /** `messages` are the history, to take the place of the context that was saved. */
  readonly rebuilt?: boolean | undefined;
}

export interface ContextUpdate {
  messages?: MessagesUpdate;
  full_messages?: BaseMessage[];
}

/**
 * A change of the model's context that leaves the complete history whole: a compaction in our agent;
 * elsewhere the messages themselves and a copy of what they were in `full_messages`.
 */
export function contextWrite(state: ContextState, change: CompactionInit): ContextUpdate {
  const { rebuilt = false } = state;
  const compaction = compactMessages(rebuilt ? { ...change, base: state.messages } : change);
  if (state.full_messages === undefined) return { messages: compaction };
  const gone = new Set(compaction.remove);
  const replaced = new Map(compaction.replace.map((message) => [message.id, message]));
  const kept = state.messages
    .filter(({ id }) => id === undefined || !gone.has(id))
    .map((message) => replaced.get(message.id) ?? message);
  const { summary } = compaction;
  const isWhole = rebuilt || gone.size > 0 || summary !== undefined;
  const context = summary === undefined ? kept : withSummary(state.messages, kept, gone, unshown(summary));
  const clear = new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
  return {
    messages: isWhole ? [clear, ...context] : [...compaction.replace],
    full_messages: historyWith(state.messages, state.full_messages, new Set([...gone, ...replaced.keys()])),
  };
}

/**
 * A message as the plain data that reducers make one of: whoever streams messages would be shown what a
 * node returns as a message of its own, and the user must not read along.
 */
function unshown({
  type,
  id,
  name,
  content,
  additional_kwargs,
  response_metadata,
}: BaseMessage): BaseMessage {
  const data = { type, id, content, additional_kwargs, response_metadata };
  return (name === undefined ? data : { ...data, name }) as Partial<BaseMessage> as BaseMessage;
}

/** The summary where the first message that it covers stood. */
function withSummary(
  before: readonly BaseMessage[],
  kept: readonly BaseMessage[],
  gone: ReadonlySet<string | undefined>,
  summary: BaseMessage,
): BaseMessage[] {
  const first = before.findIndex(({ id }) => gone.has(id));
  const at = first < 0 ? 0 : first;
  const rest = kept.filter(({ id }) => id !== summary.id);
  return [...rest.slice(0, at), summary, ...rest.slice(at)];
}

/** The history up to the last message that changes, so that it is in order however often it is added to. */
function historyWith(
  messages: readonly BaseMessage[],
  full: readonly BaseMessage[],
  changed: ReadonlySet<string | undefined>,
): BaseMessage[] {
  const last = messages.findLastIndex(({ id }) => changed.has(id));
  return fullMessages({ messages: messages.slice(0, last + 1), full_messages: withEdits(full, messages) });
}

/** For agents without a dual track of their own: the history of a state, with what was edited as it was edited. */
export function editedHistory(messages: readonly BaseMessage[], full: readonly BaseMessage[]): BaseMessage[] {
  return fullMessages({ messages, full_messages: withEdits(full, messages) });
}

/**
 * What was archived, with what was edited since as the context has it. Once the context no longer shows
 * it, this copy is all that is left of an edit.
 */
function withEdits(full: readonly BaseMessage[], messages: readonly BaseMessage[]): BaseMessage[] {
  const asWritten = new Map(
    messages
      .filter((message) => shortenedMark(message) === undefined)
      .map((message) => [message.id, message]),
  );
  return full.map((message) => asWritten.get(message.id) ?? message);
}
