import type { TransformerFactory } from "@skein/graph";
import type { ResponseOf } from "../response/format.ts";
import type { SchemaContext, SchemaState, SchemaUpdate } from "../middleware/schema.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { AgentBuiltInState, AgentBuiltInUpdate } from "../runtime.ts";

/** Without private keys, and without those that are the agent's own. */
type PublicKeys<S> = {
  [K in keyof S as K extends `_${string}` | "messages" | "full_messages" ? never : K]: S[K];
};

type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void
  ? I
  : never;

type SchemaOf<M> = M extends { readonly stateSchema?: infer S } ? NonNullable<S> : never;
type ContextSchemaOf<M> = M extends { readonly contextSchema?: infer S } ? NonNullable<S> : never;
type EachState<S> = S extends unknown ? PublicKeys<SchemaState<S>> : never;
type EachUpdate<S> = S extends unknown ? Partial<PublicKeys<SchemaUpdate<S>>> : never;
type EachContext<S> = S extends unknown ? SchemaContext<S> : never;

type MiddlewareList = readonly AnyAgentMiddleware[];

/** What an agent returns: the context and the public keys of its schema and its middleware. */
export type AgentState<TSchema, TMiddleware extends MiddlewareList> = AgentBuiltInState &
  PublicKeys<SchemaState<TSchema>> &
  Intersection<EachState<SchemaOf<TMiddleware[number]>>>;

/** The key that an agent with a response format returns beside its state. */
export type AgentResponse<TFormat> = TFormat extends undefined
  ? unknown
  : { structuredResponse: ResponseOf<TFormat> };

/** What an agent is invoked with. */
export type AgentInput<TSchema, TMiddleware extends MiddlewareList> = AgentBuiltInUpdate &
  Partial<PublicKeys<SchemaUpdate<TSchema>>> &
  Intersection<EachUpdate<SchemaOf<TMiddleware[number]>>>;

/** What an agent's callers pass as `context`. */
export type AgentContext<TContextSchema, TMiddleware extends MiddlewareList> = Record<string, unknown> &
  SchemaContext<TContextSchema> &
  Intersection<EachContext<ContextSchemaOf<TMiddleware[number]>>>;

type FactoriesOf<M> = M extends { readonly streamTransformers?: infer Factories }
  ? NonNullable<Factories>
  : readonly [];
type EachFactories<TMiddleware> = TMiddleware extends readonly [infer First, ...infer Rest]
  ? readonly [...Listed<FactoriesOf<First>>, ...EachFactories<Rest>]
  : readonly [];
type Listed<Factories> = Factories extends readonly TransformerFactory[] ? Factories : readonly [];

/** What makes the views of its runs: the agent's own, then those of its middleware. */
export type AgentFactories<
  TTransformers extends readonly TransformerFactory[],
  TMiddleware extends MiddlewareList,
> = readonly [...TTransformers, ...Listed<EachFactories<TMiddleware>>];
