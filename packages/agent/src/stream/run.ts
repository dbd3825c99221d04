import type { GraphRunStream, InferExtensions, TransformerFactory } from "@skein/graph";
import type { AgentParts } from "../agent/build-graph.ts";
import type { AgentTool } from "../model/request.ts";
import type { ToolCallStreamUnion } from "../tools/types.ts";
import { createSubagentTransformer, type SubagentRunStream } from "./subagents.ts";
import { createToolCallTransformer } from "./tool-calls.ts";

/**
 * The run of an agent, to be followed in several ways at once.
 *
 * @example
 * async function follow(run: AgentRunStream): Promise<void> {
 *   for await (const call of run.toolCalls) console.log(call.name, await call.status);
 * }
 */
export type AgentRunStream<
  TValues = Record<string, unknown>,
  TTools extends readonly AgentTool[] = readonly AgentTool[],
  TExtensions extends Record<string, unknown> = Record<string, unknown>,
> = GraphRunStream<TValues, TExtensions> & {
  /** The calls of tools that the agent makes. */
  readonly toolCalls: AsyncIterable<ToolCallStreamUnion<TTools>>;
  /** The agents with a name that its tools and nodes call. */
  readonly subagents: AsyncIterable<SubagentRunStream>;
};

/** What a run shows through these; a middleware may have views that its type does not tell. */
export type RunExtensions<Factories extends readonly TransformerFactory[]> = Factories extends readonly []
  ? Record<string, unknown>
  : InferExtensions<Factories> & Record<string, unknown>;

/** What an agent's runs are shown through: its own views, those of its middleware, those it was given. */
export function streamTransformersOf({ params, middleware }: AgentParts): readonly TransformerFactory[] {
  return [
    createToolCallTransformer([]),
    createSubagentTransformer(),
    ...middleware.flatMap((one) => one.streamTransformers ?? []),
    ...(params.streamTransformers ?? []),
  ];
}
