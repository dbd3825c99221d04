export {
  compactMessages,
  isCompaction,
  type Compaction,
  type CompactionInit,
} from "./messages/compaction.ts";
export type { MessagesUpdate } from "./messages/update.ts";
export { createAgent } from "./agent/create-agent.ts";
export type { CreateAgentParams } from "./agent/params.ts";
export type { HistoryOptions, HistoryPage } from "./agent/history.ts";
export { ReactAgent } from "./agent/react-agent.ts";
export type { AgentGraph } from "./agent/agent-graph.ts";
export type { OnBusy } from "./agent/busy.ts";
export type { OnStop } from "./agent/heal.ts";
export type { BusyOptions } from "./agent/calls.ts";
export type { Healed } from "./agent/heal.ts";
export type { ImportedMessages, ImportMessagesOptions } from "./agent/import.ts";
export type { ErasedReport, EraseMessageOptions } from "./agent/erase.ts";
export type { Admit } from "./middleware/admit.ts";
export type { Around } from "./middleware/around.ts";
export type { Derivations, ErasedMessage } from "./middleware/derivations.ts";
export { isRemoved, type HistoryRevision } from "./messages/revise.ts";
export { SessionManager } from "./sessions/manager.ts";
export type {
  Beginning,
  CreateSessionOptions,
  EndReason,
  Handoff,
  ListSessionsOptions,
  Session,
  SessionFailure,
  SessionManagerOptions,
  SessionMetadata,
  SessionPage,
  SweptSessions,
} from "./sessions/types.ts";
export { isAgentToken } from "./model/own-call.ts";
export { isPartial } from "./model/run-progress.ts";
export type { FailurePolicy, MiddlewareFailure } from "./middleware/failure-policy.ts";
export type { ToolPolicy } from "./tools/policy.ts";
export type {
  AgentContext,
  AgentInput,
  AgentResult,
  AgentState,
  AgentTypeConfig,
  BuiltInState,
  DefaultAgentTypeConfig,
  InferAgentContext,
  InferAgentContextSchema,
  InferAgentMiddleware,
  InferAgentResponse,
  InferAgentState,
  InferAgentStateSchema,
  InferAgentStreamTransformers,
  InferAgentTools,
  InferAgentType,
  Interrupt,
  JumpTo,
  ResolveAgentTypeConfig,
  UserInput,
} from "./agent/types.ts";
export {
  dualTrackMessages,
  fullMessages,
  type DualTrackFields,
  type DualTrackState,
} from "./messages/dual-track.ts";
export { threadHistory } from "./messages/thread-history.ts";
export {
  MiddlewareError,
  MultipleStructuredOutputsError,
  MultipleToolsBoundError,
  StructuredOutputParsingError,
  ToolInvocationError,
} from "./errors.ts";
export type { ResponseFormatInput, ResponseFormatUndefined, ResponseOf } from "./response/format.ts";
export type {
  ExtractZodArrayTypes,
  JsonSchemaFormat,
  ResponseSchema,
  SchemaOutput,
} from "./response/schema.ts";
export {
  ProviderStrategy,
  providerStrategy,
  ToolStrategy,
  toolStrategy,
  type ResponseFormat,
  type ResponseTool,
  type ToolStrategyError,
  type ToolStrategyOptions,
  type TypedToolStrategy,
} from "./response/strategies.ts";
export { createMiddleware, MIDDLEWARE_BRAND, type MiddlewareInit } from "./middleware/create-middleware.ts";
export type {
  CombineStreamTransformers,
  CombineTools,
  DefaultMiddlewareTypeConfig,
  InferMergedInputState,
  InferMergedState,
  InferMiddlewareContext,
  InferMiddlewareContextInput,
  InferMiddlewareContextInputs,
  InferMiddlewareContexts,
  InferMiddlewareContextSchema,
  InferMiddlewareFullContext,
  InferMiddlewareInputState,
  InferMiddlewareInputStates,
  InferMiddlewareSchema,
  InferMiddlewareState,
  InferMiddlewareStates,
  InferMiddlewareStreamTransformers,
  InferMiddlewareStreamTransformersArray,
  InferMiddlewareStreamTransformersFromConfig,
  InferMiddlewareTools,
  InferMiddlewareToolsArray,
  InferMiddlewareToolsFromConfig,
  InferMiddlewareType,
  InferSchemaUpdateType,
  InferSchemaValueType,
  NormalizedSchemaInput,
  NormalizedSchemaUpdate,
  ResolveMiddlewareTypeConfig,
} from "./middleware/infer.ts";
export type { MiddlewareTypeConfig } from "./middleware/type-config.ts";
export type {
  AnyAnnotationRoot,
  ContextSchemaLike,
  InferChannelType,
  InferContextInput,
  InferSchemaInput,
  InferSchemaValue,
  SchemaContext,
  SchemaState,
  SchemaUpdate,
  StateSchemaLike,
} from "./middleware/schema.ts";
export type {
  AfterAgentHook,
  AfterModelHook,
  AgentMiddleware,
  AnyAgentMiddleware,
  AnyHook,
  AnyHookDefinition,
  BeforeAgentHook,
  BeforeModelHook,
  HookDefinition,
  MiddlewareHooks,
  MiddlewareResult,
  NodeHook,
  SharedMiddleware,
  WrapModelCallHandler,
  WrapModelCallHook,
  WrapToolCallHook,
} from "./middleware/types.ts";
export type {
  AgentLanguageModelLike,
  AgentTool,
  ModelCallHandler,
  ModelRequest,
  ToolChoice,
} from "./model/request.ts";
export { modelResolver } from "./model/resolve.ts";
export { modelWindow } from "./model/window.ts";
export {
  JUMP_TO_TARGETS,
  type AgentBuiltInState,
  type AgentBuiltInUpdate,
  type AgentPrompt,
  type ContextSource,
  type JumpToTarget,
  type Restore,
  type Runtime,
} from "./runtime.ts";
export type { ToolCallHandler, ToolCallRequest } from "./tools/request.ts";
export {
  tool,
  type HeadlessTool,
  type HeadlessToolFields,
  type HeadlessToolImplementation,
} from "./tools/headless.ts";
export type {
  ExecutedToolCall,
  ToolCall,
  ToolCallStreamUnion,
  ToolResult,
  ToolsToMessageToolSet,
} from "./tools/types.ts";
export { GraphError } from "@skein/errors";
export type { AgentRunStream } from "./stream/run.ts";
export { createSubagentTransformer, type SubagentRunStream } from "./stream/subagents.ts";
export { createToolCallTransformer } from "./stream/tool-calls.ts";
