import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { TaskDescription } from "../stream/payloads.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";

/** A state of a thread: its values, where it came from, and what it would do next. */
// oxlint-disable-next-line typescript/no-explicit-any -- programs look at any key of it, as in LangGraph
export interface StateSnapshot<Values = any> {
  readonly values: Values;
  /** Nodes that run next. */
  readonly next: string[];
  /** Names this state. */
  readonly config: RunnableConfig;
  readonly metadata?: CheckpointMetadata | undefined;
  /** ISO 8601. */
  readonly createdAt?: string | undefined;
  /** Names the state before it. */
  readonly parentConfig?: RunnableConfig | undefined;
  readonly tasks: TaskDescription<LangGraphRunnableConfig | StateSnapshot>[];
}
