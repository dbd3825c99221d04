import type { RunnableConfig } from "@langchain/core/runnables";
import { getConfig } from "@skein/graph";
import { CONCURRENCY } from "./concurrency.ts";

/** What an agent was made with, or bound to, that its calls keep within another run. */
export type OwnConfig = Pick<RunnableConfig, "maxConcurrency" | "metadata">;

/** The same with what is bound later. */
export function ownWith(own: OwnConfig, { maxConcurrency, metadata }: RunnableConfig): OwnConfig {
  const limit = maxConcurrency ?? own.maxConcurrency;
  return {
    ...(limit === undefined ? {} : { maxConcurrency: limit }),
    metadata: { ...own.metadata, ...metadata },
  };
}

/**
 * The options of a call. Within a node or a tool the graph takes what the run around it has in place of what it
 * is bound to; an agent has a name and a limit of its own, unless the call hands on other ones.
 */
export function within<Options extends RunnableConfig>(own: OwnConfig, options: Options): Options {
  const around = getConfig() as RunnableConfig | undefined;
  if (around === undefined) return options;
  const maxConcurrency = wasTold(options, around) ? options.maxConcurrency : own.maxConcurrency;
  const metadata = options.metadata
    ? { ...own.metadata, ...options.metadata }
    : { ...around.metadata, ...own.metadata };
  return { ...options, metadata, ...(maxConcurrency === undefined ? {} : { maxConcurrency }) };
}

/** Whether a call says how many calls are made at a time: a config that is handed on has the default of its agent. */
function wasTold({ maxConcurrency }: RunnableConfig, around: RunnableConfig): boolean {
  if (maxConcurrency === undefined) return false;
  return maxConcurrency !== CONCURRENCY || around.maxConcurrency !== CONCURRENCY;
}
