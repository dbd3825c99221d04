import type { Awaitable } from "@skein/checkpointer";
import type { AnnotationRoot } from "../state/annotation.ts";
import type { StateOf, UpdateOf } from "../state/definition.ts";
import type { StandardSchema } from "../state/standard.ts";
import type { CommandInstance } from "../program/command.ts";
import type { Send } from "../program/send.ts";
import type { END } from "../ids/names.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";

// oxlint-disable typescript/no-explicit-any -- a context may have any fields

/** What may describe a call's `context`. */
export type ContextSchemaInit = StandardSchema | AnnotationRoot;

/** The state that a schema describes. */
export type ExtractStateType<Schema, Fallback = Schema> = unknown extends Schema ? Fallback : StateOf<Schema>;
/** What may be written to it. */
export type ExtractUpdateType<Schema, Fallback = Schema> = unknown extends Schema
  ? Partial<Fallback>
  : UpdateOf<Schema>;

/** Schemas of a node, where they differ from one another. */
export interface GraphNodeTypes<
  InputSchema = unknown,
  OutputSchema = unknown,
  ContextSchema = unknown,
  Nodes extends string = string,
> {
  InputSchema?: InputSchema;
  OutputSchema?: OutputSchema;
  ContextSchema?: ContextSchema;
  /** Where its Commands may lead. */
  Nodes?: Nodes;
}

type InputOf<Bag, Default> = Bag extends { InputSchema: infer Schema } ? ExtractStateType<Schema> : Default;
type OutputOf<Bag> = Bag extends { OutputSchema: infer Schema }
  ? ExtractUpdateType<Schema>
  : Partial<InputOf<Bag, unknown>>;
type ContextOfBag<Bag> = Bag extends { ContextSchema: infer Schema }
  ? ExtractStateType<Schema> extends infer Context extends Record<string, any>
    ? Context
    : Record<string, unknown>
  : Record<string, unknown>;
type NodesOf<Bag> = Bag extends { Nodes: infer Nodes extends string } ? Nodes : string;

/** What a node returns. */
export type GraphNodeReturnValue<Update, Nodes extends string = string> = Awaitable<
  Update | CommandInstance<unknown, Update, Nodes>
>;

/**
 * The type of a node that stands outside of its graph, by the graph's state or by a bag of schemas.
 *
 * @example
 * const plan: GraphNode<typeof State> = (state) => ({ plan: state.topic });
 */
export type GraphNode<
  Schema,
  Context extends Record<string, any> = Record<string, any>,
  Nodes extends string = string,
> = 0 extends 1 & Schema
  ? (state: any, config: LangGraphRunnableConfig<Context>) => GraphNodeReturnValue<any, Nodes>
  : KnownNode<Schema, Context, Nodes>;

type KnownNode<Schema, Context extends Record<string, any>, Nodes extends string> = Schema extends
  | { InputSchema: unknown }
  | { OutputSchema: unknown }
  ? (
      state: InputOf<Schema, unknown>,
      config: LangGraphRunnableConfig<ContextOfBag<Schema>>,
    ) => GraphNodeReturnValue<OutputOf<Schema>, NodesOf<Schema>>
  : (
      state: ExtractStateType<Schema>,
      config: LangGraphRunnableConfig<Context>,
    ) => GraphNodeReturnValue<ExtractUpdateType<Schema>, Nodes>;

/** Schemas of a router. */
export interface ConditionalEdgeRouterTypes<
  InputSchema = unknown,
  ContextSchema = unknown,
  Nodes extends string = string,
> {
  InputSchema?: InputSchema;
  ContextSchema?: ContextSchema;
  Nodes?: Nodes;
}

type Choice<Nodes extends string, State> = Awaitable<
  Nodes | typeof END | Send<Nodes, State> | (Nodes | Send<Nodes, State>)[]
>;

/** The type of a function for `addConditionalEdges` that stands outside of its graph. */
export type ConditionalEdgeRouter<
  Schema,
  Context extends Record<string, any> = Record<string, any>,
  Nodes extends string = string,
> = 0 extends 1 & Schema
  ? (state: any, config: LangGraphRunnableConfig<Context>) => Choice<Nodes, any>
  : KnownRouter<Schema, Context, Nodes>;

type KnownRouter<Schema, Context extends Record<string, any>, Nodes extends string> = Schema extends
  | { InputSchema: unknown }
  | { ContextSchema: unknown }
  ? (
      state: InputOf<Schema, unknown>,
      config: LangGraphRunnableConfig<ContextOfBag<Schema>>,
    ) => Choice<NodesOf<Schema>, InputOf<Schema, unknown>>
  : (
      state: ExtractStateType<Schema>,
      config: LangGraphRunnableConfig<Context>,
    ) => Choice<Nodes, ExtractStateType<Schema>>;
