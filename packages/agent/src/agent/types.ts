import type { BaseMessage, MessageStructure } from "@langchain/core/messages";
import type { END, Interrupt as GraphInterrupt, TransformerFactory } from "@skein/graph";
import type { ContextOf, InferMiddlewareStates, StateOf, UpdateOf } from "../middleware/infer.ts";
import type {
  AnyAnnotationRoot,
  ContextSchemaLike,
  InferSchemaInput,
  InferSchemaValue,
  IsAny,
  PublicKeys,
  SchemaContextInput,
  SchemaState,
  SchemaUpdate,
  StateSchemaLike,
} from "../middleware/schema.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { AgentTool } from "../model/request.ts";
import type { ResponseFormatUndefined } from "../response/format.ts";
import type { MessagesUpdate } from "../messages/update.ts";
import type { JumpToTarget } from "../runtime.ts";
import type { ToolsToMessageToolSet } from "../tools/types.ts";

// oxlint-disable typescript/no-explicit-any -- responses are objects of any keys
/**
 * All types of an agent in one. Those of an agent that exists are read with {@link InferAgentType} and its
 * likes; who has none yet writes them out.
 *
 * @example
 * type Weather = AgentTypeConfig<{ celsius: number }, typeof State>;
 * async function report(agent: ReactAgent<Weather>): Promise<number> {
 *   const { structuredResponse } = await agent.invoke({ messages: "How warm is it?" });
 *   return structuredResponse.celsius;
 * }
 */
export interface AgentTypeConfig<
  TResponse extends Record<string, any> | ResponseFormatUndefined =
    | Record<string, any>
    | ResponseFormatUndefined,
  TState extends StateSchemaLike | undefined = StateSchemaLike | undefined,
  TContext extends ContextSchemaLike = ContextSchemaLike,
  TMiddleware extends readonly AnyAgentMiddleware[] = readonly AnyAgentMiddleware[],
  TTools extends readonly AgentTool[] = readonly AgentTool[],
  TStreamTransformers extends readonly TransformerFactory[] = readonly TransformerFactory[],
> {
  /** The structured response; {@link ResponseFormatUndefined} without a response format. */
  Response: TResponse;
  /** The `stateSchema`; undefined without one. */
  State: TState;
  /** The `contextSchema`; {@link AnyAnnotationRoot} without one. */
  Context: TContext;
  Middleware: TMiddleware;
  /** The agent's own tools, then those of its middleware. */
  Tools: TTools;
  /** The agent's own stream transformers, then those of its middleware. */
  StreamTransformers: TStreamTransformers;
}

/** The types of an agent of which nothing is known. */
export interface DefaultAgentTypeConfig extends AgentTypeConfig {
  Response: Record<string, any>;
  State: undefined;
  Context: AnyAnnotationRoot;
  StreamTransformers: readonly [];
}
// oxlint-enable typescript/no-explicit-any

/** The types of an agent, or such types themselves. */
export type ResolveAgentTypeConfig<T> = T extends { readonly "~agentTypes": infer Types }
  ? Extract<Types, AgentTypeConfig>
  : T extends AgentTypeConfig
    ? T
    : never;

/**
 * One of the types of an agent.
 *
 * @example
 * const agent = createAgent({ model, tools: [search, add] });
 * type Tools = InferAgentType<typeof agent, "Tools">; // readonly [typeof search, typeof add]
 */
export type InferAgentType<T, K extends keyof AgentTypeConfig> = ResolveAgentTypeConfig<T>[K];

/**
 * What an agent's `structuredResponse` is.
 *
 * @example
 * const agent = createAgent({ model, responseFormat: z.object({ celsius: z.number() }) });
 * type Answer = InferAgentResponse<typeof agent>; // { celsius: number }
 */
export type InferAgentResponse<T> = InferAgentType<T, "Response">;

/** The `stateSchema` of an agent. What its state is says {@link InferAgentState}. */
export type InferAgentStateSchema<T> = InferAgentType<T, "State">;

/**
 * The state that an agent's own schema and its middleware declare.
 *
 * @example
 * const agent = createAgent({ model, stateSchema: z.object({ user: z.string() }), middleware: [counting] });
 * type State = InferAgentState<typeof agent>; // { user: string; rounds: number }
 */
export type InferAgentState<T> = InferSchemaValue<InferAgentType<T, "State">> &
  InferMiddlewareStates<InferAgentType<T, "Middleware">>;

/** The `contextSchema` of an agent. What callers pass says {@link InferAgentContext}. */
export type InferAgentContextSchema<T> = InferAgentType<T, "Context">;

/** What an agent's callers pass as `context`: for the agent and for its middleware. */
export type InferAgentContext<T> = AgentContextOf<ResolveAgentTypeConfig<T>>;

/** The middleware of an agent. */
export type InferAgentMiddleware<T> = InferAgentType<T, "Middleware">;

/** The tools of an agent, those of its middleware included. */
export type InferAgentTools<T> = InferAgentType<T, "Tools">;

/** The stream transformers of an agent, those of its middleware included. */
export type InferAgentStreamTransformers<T> = InferAgentType<T, "StreamTransformers">;

// oxlint-disable typescript/no-explicit-any -- whoever is asked knows what
/**
 * What an agent that waits asks of its caller.
 *
 * @example
 * const { __interrupt__: asked = [] } = await agent.invoke(input, config);
 * for (const { id, value } of asked as Interrupt<HITLRequest>[]) show(id, value.actionRequests);
 */
export interface Interrupt<Value = any> extends GraphInterrupt<Value> {
  id: string;
  value: Value;
}
// oxlint-enable typescript/no-explicit-any

/** What every agent has in its state, and returns when it waits. */
export interface BuiltInState<TMessages extends MessageStructure = MessageStructure> {
  /** What the model sees: the context, not the complete history. */
  messages: BaseMessage<TMessages>[];
  /** What the run waits for. */
  __interrupt__?: Interrupt[];
  jumpTo?: JumpToTarget;
}

/** What an agent returns: the context and the public keys of its schema and its middleware. */
export type AgentState<
  TSchema extends StateSchemaLike | undefined,
  TMiddleware extends readonly AnyAgentMiddleware[],
  TTools extends readonly AgentTool[] = readonly AgentTool[],
> = Omit<BuiltInState<StructureOf<TTools>>, "jumpTo"> &
  OwnKeys<TSchema, SchemaState<TSchema>> &
  StateOf<TMiddleware>;

/** What is said by messages with calls of these tools; of none that are known, calls of any. */
type StructureOf<TTools extends readonly AgentTool[]> = [TTools[number]] extends [never]
  ? MessageStructure
  : MessageStructure<ToolsToMessageToolSet<TTools>>;

// oxlint-disable typescript/no-explicit-any -- of an agent of which nothing is known
/** Keys that an agent's own schema declares; of one that is not known it may be any. */
type OwnKeys<TSchema, S> = IsAny<TSchema> extends true ? Record<string, any> : PublicKeys<S>;
// oxlint-enable typescript/no-explicit-any

/** The same, with the structured response. */
export type AgentResult<Types extends AgentTypeConfig> = AgentState<
  Types["State"],
  Types["Middleware"],
  Types["Tools"]
> &
  ResponsePart<Types["Response"]>;

// oxlint-disable typescript/no-explicit-any -- it may be there, of an agent of which nothing is known
type ResponsePart<T> =
  IsAny<T> extends true
    ? { structuredResponse?: any }
    : T extends ResponseFormatUndefined
      ? unknown
      : { structuredResponse: T };
// oxlint-enable typescript/no-explicit-any

/** What an agent is invoked with. All keys may be missing: a thread may have them. */
export type AgentInput<
  TSchema extends StateSchemaLike | undefined,
  TMiddleware extends readonly AnyAgentMiddleware[],
> = { messages?: MessagesUpdate } & Optional<OwnKeys<TSchema, SchemaUpdate<TSchema>>> &
  Optional<UpdateOf<TMiddleware>>;

/** Of no keys `unknown`: beside `{}` a text would do as well. */
type Optional<T> = unknown extends T ? unknown : Partial<T>;

export type AgentInputOf<Types extends AgentTypeConfig> = AgentInput<Types["State"], Types["Middleware"]>;

/** What an agent's callers pass as `context`. */
export type AgentContext<
  TContextSchema extends ContextSchemaLike,
  TMiddleware extends readonly AnyAgentMiddleware[],
> = OwnContext<TContextSchema> & ContextOf<TMiddleware>;

/** Without a schema whatever its callers like. */
type OwnContext<S> = S extends { readonly spec: infer Spec }
  ? IsAny<Spec> extends true
    ? Record<string, unknown>
    : SchemaContextInput<S>
  : SchemaContextInput<S>;

export type AgentContextOf<Types extends AgentTypeConfig> = AgentContext<
  Types["Context"],
  Types["Middleware"]
>;

/** The messages and the keys of an agent's schema, as its callers pass them. */
export type UserInput<TSchema extends StateSchemaLike | undefined = undefined> = InferSchemaInput<TSchema> & {
  messages: MessagesUpdate;
};

/** Names of nodes, to which a hook's `jumpTo` leads. */
export type JumpTo = "model_request" | "tools" | typeof END;
