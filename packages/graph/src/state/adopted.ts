import { AnyValue } from "../channels/any-value.ts";
import type { BaseChannel } from "../channels/base.ts";
import { EphemeralValue } from "../channels/ephemeral.ts";
import { LastValue } from "../channels/last-value.ts";
import { messagesStateReducer } from "../channels/messages-reducer.ts";
import { Topic } from "../channels/topic.ts";
import { UntrackedValueChannel } from "../channels/untracked.ts";
import { StateGraphInputError } from "../errors/errors.ts";
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
  AnyValue: () => new AnyValue(),
  EphemeralValue: ({ guard }) => new EphemeralValue(guard),
  UntrackedValue: ({ guard = true, initialValueFactory }) =>
    new UntrackedValueChannel({
      guard,
      ...(initialValueFactory === undefined ? {} : { initialValueFactory }),
    }),
  Topic: ({ unique = false, accumulate = false }) => new Topic({ unique, accumulate }),
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
  const before = known.get(channel);
  if (before !== undefined) return before;
  const make = Object.hasOwn(KINDS, channel.lc_graph_name) ? KINDS[channel.lc_graph_name] : undefined;
  if (make !== undefined) {
    const own = make(channel as unknown as Foreign);
    known.set(channel, own);
    return own;
  }
  throw new StateGraphInputError(
    `Key "${key}" of the state is a channel of another package ("${channel.lc_graph_name}"). Use the class of that name of @skein/graph, or extend its BaseChannel.`,
    { details: { key } },
  );
}

/** Ours knows what a removal of a message is to the history. */
function ownReducer(operator: NonNullable<Foreign["operator"]>): NonNullable<Foreign["operator"]> {
  return operator.name === "messagesStateReducer" ? (messagesStateReducer as never) : operator;
}
