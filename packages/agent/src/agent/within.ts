import type { RunnableConfig } from "@langchain/core/runnables";
import { getConfig } from "@skein/graph";
import { CONCURRENCY } from "./concurrency.ts";

/** What an agent was made with, or bound to, that its calls keep within another run. */
export type OwnConfig = Pick<RunnableConfig, "maxConcurrency" | "metadata" | "configurable">;

/** The same with what is bound later. */
export function ownWith(
  own: OwnConfig,
  { maxConcurrency, metadata, configurable }: RunnableConfig,
): OwnConfig {
  const limit = maxConcurrency ?? own.maxConcurrency;
  return {
    ...(limit === undefined ? {} : { maxConcurrency: limit }),
    metadata: { ...own.metadata, ...metadata },
    configurable: { ...own.configurable, ...withoutThread(configurable) },
  };
}

/** A call within another run has no thread of its own unless it names one. */
function withoutThread(configurable: RunnableConfig["configurable"]): RunnableConfig["configurable"] {
  const entries = Object.entries(configurable ?? {});
  return Object.fromEntries(entries.filter(([key]) => key !== "thread_id" && !key.startsWith("checkpoint_")));
}

/**
 * The options of a call. Within a node or a tool the graph takes what the run around it has in place of what it
 * is bound to; an agent has a name, a limit and values of its own, unless the call hands on other ones.
 */
export function within<Options extends RunnableConfig>(own: OwnConfig, options: Options): Options {
  const around = getConfig() as RunnableConfig | undefined;
  if (around === undefined) return options;
  const maxConcurrency = wasTold(options, around) ? options.maxConcurrency : own.maxConcurrency;
  const configurable = { ...own.configurable, ...options.configurable };
  const metadata = options.metadata
    ? { ...own.metadata, ...options.metadata }
    : { ...without(around.metadata, configurable), ...own.metadata };
  return {
    ...options,
    metadata,
    ...(own.configurable === undefined && options.configurable === undefined ? {} : { configurable }),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  };
}

/** Metadata of the run around a call repeats its configurable values; the call may have other ones. */
function without(metadata: RunnableConfig["metadata"], configurable: object): RunnableConfig["metadata"] {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => !(key in configurable)));
}

/** Whether a call says how many calls are made at a time: a config that is handed on has the default of its agent. */
function wasTold({ maxConcurrency }: RunnableConfig, around: RunnableConfig): boolean {
  if (maxConcurrency === undefined) return false;
  return maxConcurrency !== CONCURRENCY || around.maxConcurrency !== CONCURRENCY;
}
