import type { RunnableConfig } from "@langchain/core/runnables";
import { SCRATCHPAD, SEND, TASK } from "../task/config.ts";
import type { Address } from "./storage.ts";

type Place = Omit<Address, "threadId"> & { readonly threadId: string | undefined };

/** The config by which the savers' contract names a checkpoint. */
export function configOf({ threadId, namespace, checkpointId }: Place): RunnableConfig {
  return {
    configurable: {
      thread_id: threadId,
      checkpoint_ns: namespace,
      ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
    },
  };
}

/** The same with the caller's own members: a saver may keep tenants apart by one. */
export function saverConfigOf(address: Address): RunnableConfig {
  const { configurable = {}, metadata = {} } = address.given ?? {};
  // a run is none of the business of a saver, which may keep or send what it is given
  const {
    checkpoint_id: _,
    [TASK]: _task,
    [SCRATCHPAD]: _pad,
    [SEND]: _send,
    ...given
  } = configurable as Record<PropertyKey, unknown>;
  return { metadata, configurable: { ...given, ...configOf(address).configurable } };
}
