import type { BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary } from "@skein/context";
import { GraphError } from "@skein/errors";
import { ArchiveChannel, channelField, type ChannelField } from "@skein/graph";
import { DualTrackChannel, type OnInput } from "./dual-track-channel.ts";
import type { MessagesUpdate } from "./update.ts";

/** Both tracks share the lane of `messages`, so that a message is stored once. */
const MESSAGES_LANE = "messages";

/** Not an interface: those have no index signature, and `StateSchema` asks for one. */
export type DualTrackFields = {
  /** The context: what the model sees. Written by everybody. */
  messages: ChannelField<BaseMessage[], MessagesUpdate>;
  /** The complete history. Written by nobody: it follows `messages`. */
  full_messages: ChannelField<BaseMessage[], never>;
};

/**
 * The two tracks of a conversation, for `StateSchema` and `Annotation.Root`.
 *
 * A write to `messages` reaches both: what is appended is appended to both, what is replaced by id
 * is replaced in both (the history keeps the earlier revision). Removing hides from the context and
 * erases nothing. Only a compaction, made by {@link compactMessages}, leaves the history alone.
 *
 * A message gets the time when it is recorded as `additional_kwargs.timestamp`, unless it has one.
 *
 * @param options - `now` is the clock, in milliseconds since 1970. Default: `Date.now`
 * @example
 * const State = new StateSchema({ ...dualTrackMessages(), topic: z.string() });
 */
export function dualTrackMessages(options?: { readonly now?: () => number }): DualTrackFields {
  return tracks(options?.now, undefined);
}

/** The same, with an `onInput`. Not public: agents alone know what an input is to them. */
export function tracks(now: (() => number) | undefined, onInput: OnInput | undefined): DualTrackFields {
  return {
    messages: channelField<BaseMessage[], MessagesUpdate>(
      () => new DualTrackChannel("full_messages", now, onInput),
    ),
    full_messages: channelField<BaseMessage[], never>(
      () =>
        new ArchiveChannel<BaseMessage>({
          lane: MESSAGES_LANE,
          writeInstead: "Write to `messages`: what is written there reaches `full_messages` by itself.",
        }),
    ),
  };
}

/** A state with both tracks, as `getState` gives it. */
export interface DualTrackState {
  readonly messages?: readonly BaseMessage[] | undefined;
  readonly full_messages?: readonly BaseMessage[] | undefined;
}

/**
 * The complete history of a state, oldest first.
 *
 * On this engine that is `full_messages`. Under LangGraph's engine, where `full_messages` is an
 * ordinary list of what compactions took out of the context and what stood before it, both are joined.
 *
 * @throws GraphError INVALID_INPUT when the state does not hold `full_messages`: a node gets it by
 *   naming it in its input, everybody else from `getState`.
 *
 * @example
 * const everything = fullMessages((await graph.getState(config)).values);
 */
export function fullMessages(state: DualTrackState): BaseMessage[] {
  const { full_messages: full, messages = [] } = (state as DualTrackState | null) ?? {};
  if (!Array.isArray(full) || !Array.isArray(messages)) {
    throw new GraphError(
      "INVALID_INPUT",
      "This state does not hold `full_messages`. Take the state from getState(), name full_messages in the node's input schema, or use agent.history().",
    );
  }
  // what was archived stood before all that was not, wherever the context shows it by now: an edit of an old
  // message, and a page that is posted back, are appended there
  const archived = new Set(full.map((message) => message.id));
  return [...full, ...messages.filter((message) => !isMarkedSummary(message) && !archived.has(message.id))];
}
