export {
  Channel,
  type MultipleChannelSubscriptionOptions,
  type SingleChannelSubscriptionOptions,
} from "./pregel/channel.ts";
export { ChannelWrite, type ChannelWriteEntry } from "./pregel/channel-write.ts";
export type { PregelInputType, PregelOptions, PregelOutputType, PregelParams } from "./pregel/params.ts";
export { Pregel } from "./pregel/pregel.ts";
export { PregelNode, type PregelNodeArgs } from "./pregel/pregel-node.ts";
