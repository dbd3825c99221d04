import type { RunnableConfig } from "@langchain/core/runnables";
import type { Address } from "./storage.ts";

/** The config by which the savers' contract names a checkpoint. */
export function configOf(
  address: Omit<Address, "threadId"> & { readonly threadId: string | undefined },
): RunnableConfig {
  const { threadId, namespace, checkpointId } = address;
  return {
    configurable: {
      thread_id: threadId,
      checkpoint_ns: namespace,
      ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
    },
  };
}
