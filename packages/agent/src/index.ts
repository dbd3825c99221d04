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
export { isPartial } from "./model/partial.ts";
export type { FailurePolicy, MiddlewareFailure } from "./middleware/failure-policy.ts";
export type { ToolPolicy } from "./tools/policy.ts";
export type { AgentContext, AgentInput, AgentState } from "./agent/types.ts";
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
export type { ResponseFormatInput, ResponseOf } from "./response/format.ts";
export type { JsonSchemaFormat, ResponseSchema, SchemaOutput } from "./response/schema.ts";
export {
  ProviderStrategy,
  providerStrategy,
  ToolStrategy,
  toolStrategy,
  type ResponseTool,
  type ToolStrategyError,
  type ToolStrategyOptions,
  type TypedToolStrategy,
} from "./response/strategies.ts";
export { createMiddleware, MIDDLEWARE_BRAND, type MiddlewareInit } from "./middleware/create-middleware.ts";
export type { SchemaContext, SchemaState, SchemaUpdate, StateSchemaLike } from "./middleware/schema.ts";
export type {
  AgentMiddleware,
  AnyAgentMiddleware,
  AnyHook,
  AnyHookDefinition,
  HookDefinition,
  MiddlewareHooks,
  MiddlewareResult,
  NodeHook,
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
export { GraphError } from "@skein/errors";
export type { AgentRunStream } from "./stream/run.ts";
export type { SubagentRunStream } from "./stream/subagents.ts";
