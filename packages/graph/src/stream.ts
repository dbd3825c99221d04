// What servers and clients of event streams need beside the run streams themselves.
export {
  type EventStreamOptions,
  isStreamChannel,
  StreamChannel,
  StreamChannel as EventLog,
} from "./stream/events/channel.ts";
export {
  type ConvertToProtocolEventOptions,
  convertToProtocolEvent,
  isCheckpointEnvelope,
  STREAM_EVENTS_V3_MODES,
} from "./stream/events/convert.ts";
export type { Namespace, ProtocolEvent, ProtocolMethod } from "./stream/events/protocol.ts";
export {
  inferChannel,
  isPrefixMatch,
  isSupportedChannel,
  type MatchableEvent,
  matchesSubscription,
  normalizeNamespaceSegment,
  SUPPORTED_CHANNELS,
} from "./stream/events/subscription.ts";
