import type { TransformerFactory } from "@skein/graph";
import type { AgentTool } from "../model/request.ts";
import type { AgentBuiltInState } from "../runtime.ts";
import type { PublicKeys, SchemaContextInput, SchemaState, SchemaUpdate } from "./schema.ts";
import type { MiddlewareTypeConfig } from "./type-config.ts";
import type { AnyAgentMiddleware, HookState, HookUpdate } from "./types.ts";

/** Those of a middleware of which nothing is known. */
export type DefaultMiddlewareTypeConfig = MiddlewareTypeConfig;

/** The types of a middleware, or such types themselves. */
export type ResolveMiddlewareTypeConfig<T> = T extends MiddlewareTypeConfig
  ? T
  : T extends { readonly "~middlewareTypes"?: infer Types }
    ? Extract<Types, MiddlewareTypeConfig>
    : never;

/**
 * One of the types of a middleware.
 *
 * @example
 * const counting = createMiddleware({ name: "counting", stateSchema: State, tools: [add] });
 * type Schema = InferMiddlewareType<typeof counting, "Schema">; // typeof State
 */
export type InferMiddlewareType<T, K extends keyof MiddlewareTypeConfig> = ResolveMiddlewareTypeConfig<T>[K];

/** The `stateSchema` of a middleware. */
export type InferMiddlewareSchema<T> = InferMiddlewareType<T, "Schema">;

/** The `contextSchema` of a middleware. */
export type InferMiddlewareContextSchema<T> = InferMiddlewareType<T, "ContextSchema">;

/** What the hooks of a middleware get as `runtime.context`: defaults filled in. */
export type InferMiddlewareFullContext<T> = InferMiddlewareType<T, "FullContext">;

/** The tools that a middleware brings. */
export type InferMiddlewareToolsFromConfig<T> = InferMiddlewareType<T, "Tools">;

/** The stream transformers that a middleware brings. */
export type InferMiddlewareStreamTransformersFromConfig<T> = InferMiddlewareType<T, "StreamTransformers">;

type MiddlewareList = readonly AnyAgentMiddleware[];

// by their keys, as not all are made by `createMiddleware`
type StateSchemaOf<M> = M extends { readonly stateSchema?: infer S } ? OrNone<S> : unknown;
type ContextSchemaOf<M> = M extends { readonly contextSchema?: infer S } ? OrNone<S> : unknown;
type OrNone<S> = [S] extends [undefined] ? unknown : S & {};
type EachState<M> = PublicKeys<SchemaState<StateSchemaOf<M>>>;
type EachUpdate<M> = PublicKeys<SchemaUpdate<StateSchemaOf<M>>>;
type EachContext<M> = SchemaContextInput<ContextSchemaOf<M>>;

// a union of functions, as one of `unknown` beside other types would be `unknown`
type TakesState<M> = M extends unknown ? (one: EachState<M>) => void : never;
type TakesUpdate<M> = M extends unknown ? (one: EachUpdate<M>) => void : never;
type TakesContext<M> = M extends unknown ? (one: EachContext<M>) => void : never;
type All<U> = [U] extends [(all: infer I) => void] ? I : never;

/** The public state of an agent's middleware; `unknown` of none, as `{}` would take anything. */
export type StateOf<L extends readonly unknown[]> = All<TakesState<L[number]>>;
export type UpdateOf<L extends readonly unknown[]> = All<TakesUpdate<L[number]>>;
export type ContextOf<L extends readonly unknown[]> = All<TakesContext<L[number]>>;

// oxlint-disable typescript/no-empty-object-type -- the keys of none
/**
 * The public state that a middleware brings to an agent; keys that begin with `_` are its own.
 *
 * @example
 * const State = z.object({ rounds: z.number().default(0), _began: z.number().optional() });
 * const counting = createMiddleware({ name: "counting", stateSchema: State });
 * type Counted = InferMiddlewareState<typeof counting>; // { rounds: number }
 */
export type InferMiddlewareState<M> = InferMiddlewareStates<readonly [M]>;

/** What an agent's callers may pass of it. */
export type InferMiddlewareInputState<M> = InferMiddlewareInputStates<readonly [M]>;

/** What an agent's callers pass as `context` for it. */
export type InferMiddlewareContext<M> = InferMiddlewareContexts<readonly [M]>;

/** The same as {@link InferMiddlewareContext}: what has a default may be missing. */
export type InferMiddlewareContextInput<M> = InferMiddlewareContext<M>;

/** The public state of several middleware. */
export type InferMiddlewareStates<L extends readonly unknown[]> = {} & StateOf<L>;

/** What an agent's callers may pass of it. */
export type InferMiddlewareInputStates<L extends readonly unknown[]> = {} & UpdateOf<L>;

/** What an agent's callers pass as `context` for several middleware. */
export type InferMiddlewareContexts<L extends readonly unknown[]> = {} & ContextOf<L>;
// oxlint-enable typescript/no-empty-object-type

/** The same as {@link InferMiddlewareContexts}: what has a default may be missing. */
export type InferMiddlewareContextInputs<L extends MiddlewareList> = InferMiddlewareContexts<L>;

/** The public state of several middleware, and what every agent has. */
export type InferMergedState<L extends MiddlewareList> = InferMiddlewareStates<L> & AgentBuiltInState;

/** What may be passed of it. */
export type InferMergedInputState<L extends MiddlewareList> = InferMiddlewareInputStates<L> &
  AgentBuiltInState;

/** What hooks of a middleware with this `stateSchema` read: its keys, private ones too, and what every agent has. */
export type InferSchemaValueType<S> = HookState<S>;

/** What hooks of a middleware with this `stateSchema` may write. */
export type InferSchemaUpdateType<S> = HookUpdate<S>;

/** Another name of {@link InferSchemaValueType}. */
export type NormalizedSchemaInput<S> = HookState<S>;

/** Another name of {@link InferSchemaUpdateType}. */
export type NormalizedSchemaUpdate<S> = HookUpdate<S>;

type Tools<M> = M extends { readonly tools?: infer T } ? NonNullable<T> : readonly [];
type Factories<M> = M extends { readonly streamTransformers?: infer F } ? NonNullable<F> : readonly [];
type ListOf<T, Item> = T extends readonly Item[] ? T : readonly Item[];

/** The tools that a middleware brings: a tuple where they are known, and none where it says nothing of them. */
export type InferMiddlewareTools<M> = ListOf<Tools<M>, AgentTool>;

/** The stream transformers that a middleware brings. */
export type InferMiddlewareStreamTransformers<M> = ListOf<Factories<M>, TransformerFactory>;

/** The tools that several middleware bring, in their order. */
export type InferMiddlewareToolsArray<L extends readonly unknown[]> = L extends readonly [
  infer First,
  ...infer Rest,
]
  ? readonly [...InferMiddlewareTools<First>, ...InferMiddlewareToolsArray<Rest>]
  : L extends readonly []
    ? readonly []
    : readonly AgentTool[];

/** The stream transformers that several middleware bring, in their order. */
export type InferMiddlewareStreamTransformersArray<L extends readonly unknown[]> = L extends readonly [
  infer First,
  ...infer Rest,
]
  ? readonly [...InferMiddlewareStreamTransformers<First>, ...InferMiddlewareStreamTransformersArray<Rest>]
  : readonly [];

/**
 * The tools of an agent: its own, then those of its middleware.
 *
 * @example
 * type Tools = CombineTools<readonly [typeof add], readonly [typeof counting]>;
 */
export type CombineTools<TTools extends readonly AgentTool[], L extends MiddlewareList> = readonly [
  ...TTools,
  ...InferMiddlewareToolsArray<L>,
];

/** The stream transformers of an agent: its own, then those of its middleware. */
export type CombineStreamTransformers<
  TFactories extends readonly TransformerFactory[],
  L extends MiddlewareList,
> = readonly [...TFactories, ...InferMiddlewareStreamTransformersArray<L>];
