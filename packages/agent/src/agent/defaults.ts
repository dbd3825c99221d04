import type { RunnableConfig } from "@langchain/core/runnables";
import { serialTools } from "../tools/policy.ts";
import type { AgentParts } from "./build-graph.ts";
import { CONCURRENCY } from "./concurrency.ts";
import type { OwnConfig } from "./within.ts";

/** Rounds of model and tools that an agent without `maxIterations` can make. */
const ROUNDS = 100;
/** Steps that the tools of a round may take when some of them run alone. */
const SERIAL_STEPS = 20;

/** What calls of an agent are made with when they say nothing else. */
export function defaultConfig(parts: AgentParts): RunnableConfig {
  const { signal } = parts.params;
  const { maxConcurrency = CONCURRENCY, metadata } = ownConfig(parts);
  const callbacks = parts.middleware.flatMap((one) => one.callbacks ?? []);
  return {
    recursionLimit: stepLimit(parts),
    maxConcurrency,
    ...(callbacks.length === 0 ? {} : { callbacks }),
    ...(signal === undefined ? {} : { signal }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** What an agent was made with that its calls keep within another run. */
export function ownConfig({ params: { name, maxConcurrency } }: AgentParts): OwnConfig {
  return {
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(name === undefined ? {} : { metadata: { lc_agent_name: name } }),
  };
}

/**
 * Steps that are enough for the rounds of a run. The graph's own default, 25, counts hooks as steps
 * and would end an agent with two of them after six rounds.
 */
function stepLimit({ params, middleware, tools }: AgentParts): number {
  const count = (hook: "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent"): number =>
    middleware.filter((one) => one[hook] !== undefined).length;
  const toolSteps = serialTools(tools).size > 0 ? SERIAL_STEPS : 1;
  const round = count("beforeModel") + 1 + count("afterModel") + toolSteps;
  // the round that reaches the limit is one more
  const rounds = (params.maxIterations ?? ROUNDS) + 1;
  return count("beforeAgent") + rounds * round + count("afterAgent");
}
