import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { Command, TransformerFactory } from "@skein/graph";
import type { AgentTool, ModelCallHandler, ModelRequest } from "../model/request.ts";
import type { AgentBuiltInState, AgentBuiltInUpdate, JumpToTarget, HookRuntime } from "../runtime.ts";
import type { ToolCallHandler, ToolCallRequest } from "../tools/request.ts";
import type { Admit } from "./admit.ts";
import type { Around } from "./around.ts";
import type { Derivations } from "./derivations.ts";
import type { FailurePolicy } from "./failure-policy.ts";
import type { ContextSchemaLike, SchemaState, SchemaUpdate, StateSchemaLike } from "./schema.ts";
import type { MiddlewareTypeConfig } from "./type-config.ts";

type PromiseOrValue<T> = T | Promise<T>;

/** What hooks of a middleware with this `stateSchema` read. */
export type HookState<TSchema> = SchemaState<TSchema> & AgentBuiltInState;

/** What they may write. Of a middleware without a schema that is nothing of its own: `{}` would take a text, too. */
export type HookUpdate<TSchema> = AgentBuiltInUpdate &
  (unknown extends SchemaUpdate<TSchema> ? unknown : Partial<Omit<SchemaUpdate<TSchema>, "messages">>);

/** The keys to merge into the state, and where to go next. Nothing at all changes nothing. */
export type MiddlewareResult<TUpdate> = (TUpdate & { jumpTo?: JumpToTarget | undefined }) | undefined | void;

/** A hook that stands before or after something. It becomes a node of the graph. */
export type NodeHook<TSchema = undefined, TContext = unknown> = (
  state: HookState<TSchema>,
  runtime: HookRuntime<TContext>,
) => PromiseOrValue<MiddlewareResult<HookUpdate<TSchema>>>;

/** A hook, or one that may jump: only to the targets it names. */
export type HookDefinition<TSchema = undefined, TContext = unknown> =
  | NodeHook<TSchema, TContext>
  | { hook: NodeHook<TSchema, TContext>; canJumpTo?: readonly JumpToTarget[] };

/** Before the first call of the model, once a run. */
export type BeforeAgentHook<TSchema = undefined, TContext = unknown> = HookDefinition<TSchema, TContext>;

/**
 * Before every call of the model.
 *
 * @example
 * const State = z.object({ rounds: z.number().default(0) });
 * const count: BeforeModelHook<typeof State> = ({ rounds }) => ({ rounds: rounds + 1 });
 */
export type BeforeModelHook<TSchema = undefined, TContext = unknown> = HookDefinition<TSchema, TContext>;

/** After every call of the model, before the tools. */
export type AfterModelHook<TSchema = undefined, TContext = unknown> = HookDefinition<TSchema, TContext>;

/** After the last call of the model, once a run. */
export type AfterAgentHook<TSchema = undefined, TContext = unknown> = HookDefinition<TSchema, TContext>;

/** What `wrapModelCall` is given to call the next wrap with, and at the end the model. */
export type WrapModelCallHandler<TSchema = undefined, TContext = unknown> = ModelCallHandler<
  HookState<TSchema>,
  TContext
>;

/** Stands around every call of the model. */
export type WrapModelCallHook<TSchema = undefined, TContext = unknown> = (
  request: ModelRequest<HookState<TSchema>, TContext>,
  handler: WrapModelCallHandler<TSchema, TContext>,
) => PromiseOrValue<AIMessage | Command>;

/** Stands around every call of a tool. */
export type WrapToolCallHook<TSchema = undefined, TContext = unknown> = (
  request: ToolCallRequest<HookState<TSchema>, TContext>,
  handler: ToolCallHandler<HookState<TSchema>, TContext>,
) => PromiseOrValue<ToolMessage | Command>;

/** What a middleware is made of. Everything but the name is optional. */
export interface MiddlewareHooks<TSchema = undefined, TContext = unknown> {
  /** Before the first call of the model, once a run. */
  beforeAgent?: BeforeAgentHook<TSchema, TContext> | undefined;
  /** Before every call of the model. */
  beforeModel?: BeforeModelHook<TSchema, TContext> | undefined;
  /** After every call of the model, before the tools. */
  afterModel?: AfterModelHook<TSchema, TContext> | undefined;
  /** After the last call, once a run, also when a hook jumped to the end. */
  afterAgent?: AfterAgentHook<TSchema, TContext> | undefined;
  wrapModelCall?: WrapModelCallHook<TSchema, TContext> | undefined;
  wrapToolCall?: WrapToolCallHook<TSchema, TContext> | undefined;
}

// oxlint-disable typescript/no-explicit-any -- the bare name means any middleware
/** A middleware, by the types of its schemas. What {@link createMiddleware} makes is a {@link SharedMiddleware}. */
export interface AgentMiddleware<
  TSchema extends StateSchemaLike | undefined = any,
  TContextSchema extends ContextSchemaLike | undefined = any,
  TContext = any,
  TTools extends readonly AgentTool[] = readonly AgentTool[],
  TTransformers extends readonly TransformerFactory[] = readonly TransformerFactory[],
>
  extends MiddlewareHooks<TSchema, TContext>, FailurePolicy {
  /** Never there: its type tells what {@link InferMiddlewareType} reads. */
  readonly "~middlewareTypes"?:
    | MiddlewareTypeConfig<TSchema, TContextSchema, TContext, TTools, TTransformers>
    | undefined;
  /** Unique in an agent; the first part of its nodes' names. */
  readonly name: string;
  /** Keys of the state that this middleware brings. Keys that begin with `_` are private. */
  readonly stateSchema?: TSchema | undefined;
  /** What it expects of the caller's `context`. */
  readonly contextSchema?: TContextSchema | undefined;
  /** Tools that it brings. */
  readonly tools?: TTools | undefined;
  /** Views of a run's events that it brings, for `streamEvents` with version "v3". */
  readonly streamTransformers?: TTransformers | undefined;
  /** Of middleware that shapes the context: names its configuration, so that a change of it is seen. */
  readonly contextConfiguration?: string | undefined;
  /** What it makes of messages in other words, to be followed when one is erased. */
  readonly derivations?: Derivations | undefined;
  /** Handlers that hear of every run of the agent. LangChain's agent does not know them. */
  readonly callbacks?: readonly BaseCallbackHandler[] | undefined;
  /** Asked before a run begins on a stored thread. LangChain's agent does not know it. */
  readonly admit?: Admit | undefined;
  /** Makes every call of the agent's model and tools within something. LangChain's agent does not know it. */
  readonly around?: Around | undefined;
}
// oxlint-enable typescript/no-explicit-any

// oxlint-disable typescript/no-explicit-any -- agents of two packages say differently what they pass
/** A hook of any agent. Its own types come first, so that they hold where it is called. */
type Shared<THook> = NonNullable<THook> & ((...args: any[]) => any);

/** What {@link createMiddleware} makes: a middleware for agents of this package and of `langchain`. */
export interface SharedMiddleware<
  TSchema extends StateSchemaLike | undefined = any,
  TContextSchema extends ContextSchemaLike | undefined = any,
  TContext = any,
  TTools extends readonly AgentTool[] = readonly AgentTool[],
  TTransformers extends readonly TransformerFactory[] = readonly TransformerFactory[],
> extends AgentMiddleware<TSchema, TContextSchema, TContext, TTools, TTransformers> {
  readonly "~middlewareTypes"?: MiddlewareTypeConfig<
    TSchema,
    TContextSchema,
    TContext,
    TTools,
    TTransformers
  >;
  readonly stateSchema?: TSchema;
  readonly contextSchema?: TContextSchema;
  readonly tools?: TTools;
  readonly streamTransformers?: TTransformers;
  beforeAgent?: Shared<BeforeAgentHook<TSchema, TContext>>;
  beforeModel?: Shared<BeforeModelHook<TSchema, TContext>>;
  afterModel?: Shared<AfterModelHook<TSchema, TContext>>;
  afterAgent?: Shared<AfterAgentHook<TSchema, TContext>>;
  wrapModelCall?: Shared<WrapModelCallHook<TSchema, TContext>>;
  wrapToolCall?: Shared<WrapToolCallHook<TSchema, TContext>>;
}
// oxlint-enable typescript/no-explicit-any

/** A hook whose types are not known. Nothing can call it without saying what it passes. */
export type AnyHook = (...args: never[]) => unknown;

export type AnyHookDefinition = AnyHook | { hook: AnyHook; canJumpTo?: readonly JumpToTarget[] };

/** Any middleware, of this package or of `langchain`. */
export interface AnyAgentMiddleware extends FailurePolicy {
  readonly name: string;
  readonly stateSchema?: unknown;
  readonly contextSchema?: unknown;
  readonly tools?: readonly AgentTool[] | undefined;
  readonly streamTransformers?: readonly TransformerFactory[] | undefined;
  readonly contextConfiguration?: string | undefined;
  readonly derivations?: Derivations | undefined;
  readonly callbacks?: readonly BaseCallbackHandler[] | undefined;
  readonly admit?: Admit | undefined;
  readonly around?: Around | undefined;
  readonly beforeAgent?: AnyHookDefinition | undefined;
  readonly beforeModel?: AnyHookDefinition | undefined;
  readonly afterModel?: AnyHookDefinition | undefined;
  readonly afterAgent?: AnyHookDefinition | undefined;
  readonly wrapModelCall?: AnyHook | undefined;
  readonly wrapToolCall?: AnyHook | undefined;
}
