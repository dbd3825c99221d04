import type { RunnableConfig } from "@langchain/core/runnables";
import { showIn } from "../compiled/shown-metadata.ts";
import { plainJson } from "./json.ts";

type Fields = Record<string, unknown>;

/** Members of `configurable` that mean something on this side only. */
const OWN = new Set(["callbacks", "checkpoint_map", "checkpoint_id", "checkpoint_ns"]);
/** The part of a config that a server is told. */
export interface RemoteConfig {
  readonly tags: string[];
  readonly metadata: Fields;
  readonly configurable: Fields;
  readonly recursion_limit: number | undefined;
}

/** A config without what is no data, and without this side's checkpoints. */
export function remoteConfig(config: RunnableConfig): RemoteConfig {
  const configurable = (config.configurable ?? {}) as Fields;
  const metadata = showIn({ ...config.metadata }, configurable);
  const told = Object.entries(configurable).filter(
    ([key]) => !OWN.has(key) && !key.startsWith("__pregel_") && key !== "thread_id",
  );
  return {
    tags: plainJson(config.tags ?? []) as string[],
    metadata: plainJson(metadata) as Fields,
    configurable: plainJson(Object.fromEntries(told)) as Fields,
    recursion_limit: config.recursionLimit,
  };
}

/** The thread that a config names. */
export function threadOf(config: RunnableConfig): string | undefined {
  const thread: unknown = config.configurable?.["thread_id"];
  return thread === undefined || thread === null || thread === "" ? undefined : String(thread);
}
