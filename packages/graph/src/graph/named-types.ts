import type { BaseChannel } from "../channels/base.ts";
import type { StreamOutput } from "../compiled/stream-types.ts";
import type { StateDefinition } from "../state/annotation.ts";
import type { StateSchema, StateSchemaFieldsToStateDefinition } from "../state/schema.ts";
import type { InteropZodToStateDefinition } from "../state/zod/types.ts";
import type { StreamMode } from "../stream/modes.ts";
import type { CompiledStateGraph } from "./compiled-state-graph.ts";

// Types that LangGraph's programs name, made of ours.

type Member<Spec, Key extends string, Default> = Spec extends { [K in Key]: infer Value } ? Value : Default;

// oxlint-disable typescript/no-explicit-any -- what a graph's type does not say

/**
 * The type of a compiled graph, by what is known of it.
 *
 * @example
 * let graph: CompiledGraphType<{ state: { topic: string }; node: "plan" | "act" }>;
 */
export type CompiledGraphType<Spec extends object = object> = CompiledStateGraph<
  Member<Spec, "state", any>,
  Member<Spec, "update", any>,
  Member<Spec, "node", any>,
  { Update: Member<Spec, "input", any> },
  { State: Member<Spec, "output", any> },
  { State: Member<Spec, "context", Record<string, any>> }
>;

/** An element of a stream, by the options of its call. */
export type StreamOutputMap<
  Mode extends StreamMode | StreamMode[] | undefined,
  Subgraphs extends boolean,
  Updates,
  Values,
  Nodes,
  NodeReturn = unknown,
  Custom = any,
  Encoding = undefined,
> = [Encoding] extends ["text/event-stream"]
  ? Uint8Array
  : StreamOutput<
      Mode,
      // a flag that nobody set is `boolean`
      [Subgraphs] extends [true] ? true : false,
      Values,
      NodeReturn extends Record<string, unknown>
        ? Partial<NodeReturn>
        : Record<Nodes extends string ? Nodes : string, Updates>,
      Custom
    >;

/** The channels of a state, whatever it was written in. */
export type ToStateDefinition<Schema> =
  Schema extends StateSchema<infer Fields>
    ? StateSchemaFieldsToStateDefinition<Fields>
    : Schema extends { spec: infer Definition extends StateDefinition }
      ? Definition
      : Schema extends { shape: unknown }
        ? InteropZodToStateDefinition<Schema>
        : Schema extends Record<string, BaseChannel | (() => BaseChannel)>
          ? Schema
          : never;
