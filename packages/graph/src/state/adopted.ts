import type { BaseChannel } from "../channels/base.ts";
import { EphemeralValue } from "../channels/ephemeral.ts";
import { LastValue } from "../channels/last-value.ts";
import { messagesStateReducer } from "../channels/messages-reducer.ts";
import { Topic, type TopicOptions } from "../channels/topic.ts";
import { UntrackedValueChannel } from "../channels/untracked.ts";
import { noChannel } from "./no-channel.ts";
import { reducerChannel } from "./reducer-channel.ts";

/** What channels of LangGraph's are made of. */
interface Foreign {
  readonly lc_graph_name: string;
  readonly operator?: (left: never, right: never) => unknown;
  readonly initialValueFactory?: () => unknown;
  readonly guard?: boolean;
  readonly unique?: boolean;
  readonly accumulate?: boolean;
}

const KINDS: Readonly<Record<string, (channel: Foreign) => BaseChannel>> = {
  LastValue: ({ initialValueFactory }) => new LastValue(initialValueFactory),
  BinaryOperatorAggregate: ({ operator, initialValueFactory }) =>
    reducerChannel(ownReducer(operator as NonNullable<Foreign["operator"]>), initialValueFactory),
  EphemeralValue: ({ guard }) => new EphemeralValue(guard),
  UntrackedValue: (channel) => new UntrackedValueChannel(channel),
  Topic: (channel) => new Topic(channel as TopicOptions),
};

/** One for each, so that a key is the same in all schemas of a graph. */
const known = new WeakMap<BaseChannel, BaseChannel>();

/**
 * A channel of this engine that does what one of LangGraph's does, as states have that were made with its
 * `Annotation`.
 *
 * @throws StateGraphInputError for one of a kind that is not known
 */
export function adopted(key: string, channel: BaseChannel): BaseChannel {
  // LangGraph's have no such method
  if (typeof (channel as Partial<BaseChannel>).prepare === "function") return channel;
  const own = known.get(channel) ?? KINDS[channel.lc_graph_name]?.(channel as unknown as Foreign);
  if (own === undefined) throw noChannel(key);
  known.set(channel, own);
  return own;
}

/** Ours knows what a removal of a message is to the history. */
function ownReducer(operator: NonNullable<Foreign["operator"]>): NonNullable<Foreign["operator"]> {
  return operator.name === "messagesStateReducer" ? (messagesStateReducer as never) : operator;
}
