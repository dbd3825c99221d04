import type {
  GraphRunStream,
  InferExtensions,
  NativeStreamTransformer,
  ToolCallStream,
  TransformerFactory,
} from "@skein/graph";
import type { AgentParts } from "../agent/build-graph.ts";
import { createSubagentTransformer, type SubagentRunStream } from "./subagents.ts";
import { createToolCallTransformer } from "./tool-calls.ts";

/** The run of an agent, to be followed in several ways at once. */
export type AgentRunStream<TState, Factories extends readonly TransformerFactory[] = []> = GraphRunStream<
  TState,
  // a middleware may have views that its type does not tell
  Factories extends readonly []
    ? Record<string, unknown>
    : InferExtensions<Factories> & Record<string, unknown>
> & {
  /** The calls of tools that the agent makes. */
  readonly toolCalls: AsyncIterable<ToolCallStream>;
  /** The agents with a name that its tools and nodes call. */
  readonly subagents: AsyncIterable<SubagentRunStream>;
};

/** What an agent's runs are shown through: its own views, those of its middleware, those it was given. */
export function streamTransformersOf({ params, middleware }: AgentParts): readonly TransformerFactory[] {
  return [
    (): NativeStreamTransformer => createToolCallTransformer([]),
    (): NativeStreamTransformer => createSubagentTransformer([]),
    ...middleware.flatMap((one) => one.streamTransformers ?? []),
    ...(params.streamTransformers ?? []),
  ];
}
