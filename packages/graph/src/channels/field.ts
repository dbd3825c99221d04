import type { BaseChannel } from "./base.ts";

/** Under this symbol a value may carry the channel that it stands for in a state definition. */
export const CHANNEL_FIELD: unique symbol = Symbol.for("skein.channelField") as never;

/**
 * A field of a state definition that brings its own kind of channel. `StateSchema`,
 * `Annotation.Root` and records of channels honour it.
 *
 * @example
 * const scores: ChannelField<number[], number> = channelField(() => new Topic({ accumulate: true }));
 * const State = new StateSchema({ scores, topic: z.string() });
 */
export interface ChannelField<Value = unknown, Update = Value> {
  readonly [CHANNEL_FIELD]: { channel(): BaseChannel };
  /** For the type checker only. */
  readonly ValueType: Value;
  /** For the type checker only. */
  readonly UpdateType: Update;
}

/**
 * Makes a {@link ChannelField}.
 *
 * @param channel - called once for each state that uses the field
 *
 * @example
 * const scores = channelField<number[], number>(() => new Topic({ accumulate: true }));
 */
export function channelField<Value, Update = Value>(channel: () => BaseChannel): ChannelField<Value, Update> {
  return { [CHANNEL_FIELD]: { channel } } as unknown as ChannelField<Value, Update>;
}

/** Whether a value of a state definition brings its own channel. */
export function isChannelField(value: unknown): value is ChannelField {
  return typeof value === "object" && value !== null && CHANNEL_FIELD in value;
}
