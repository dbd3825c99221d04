export { AnyValue } from "./any-value.ts";
export { NamedBarrierValue, NamedBarrierValueAfterFinish } from "./barrier.ts";
export { BaseChannel } from "./base.ts";
export { type BinaryOperator, BinaryOperatorAggregate } from "./binop.ts";
export {
  type ChannelDefinitions,
  channelsFromCheckpoint,
  createCheckpoint,
  type CreateCheckpointOptions,
  deltaChannelsToSnapshot,
  emptyChannels as empty,
  exitDeltaTaskId,
} from "./checkpoints.ts";
export { DeltaChannel, type DeltaOptions, type DeltaReducer, isDeltaChannel } from "./delta.ts";
export { DynamicBarrierValue, type WaitForNames } from "./dynamic-barrier.ts";
export { EphemeralValue } from "./ephemeral.ts";
export { LastValue, LastValueAfterFinish } from "./last-value.ts";
export { Topic, type TopicOptions } from "./topic.ts";
export { UntrackedValueChannel, type UntrackedOptions } from "./untracked.ts";
