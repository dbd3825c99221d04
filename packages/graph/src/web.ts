export type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
  GetOperation,
  Item,
  ListNamespacesOperation,
  MatchCondition,
  NameSpacePath,
  NamespaceMatchType,
  Operation,
  OperationResults,
  PutOperation,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
export {
  AsyncBatchedStore,
  BaseCheckpointSaver,
  BaseStore,
  copyCheckpoint,
  emptyCheckpoint,
  InMemoryStore,
  MemorySaver,
} from "@skein/checkpointer/base";
export { GraphError } from "@skein/errors";
export {
  EmptyChannelError,
  EmptyInputError,
  GraphRecursionError,
  GraphValueError,
  InvalidUpdateError,
  isNodeTimeoutError,
  MultipleSubgraphsError,
  NodeTimeoutError,
  RemoteException,
  StateGraphInputError,
  UnreachableNodeError,
} from "./errors/errors.ts";
export { BaseLangGraphError, type LangGraphErrorFields as BaseLangGraphErrorFields } from "./errors/base.ts";
export { isNodeError, NodeError } from "./errors/node-error.ts";
export {
  GraphBubbleUp,
  GraphDrained,
  GraphInterrupt,
  type Interrupt,
  isGraphBubbleUp,
  isGraphDrained,
  isGraphInterrupt,
  NodeInterrupt,
} from "./errors/signals.ts";
export { isParentCommand, ParentCommand } from "./program/parent-command.ts";
export { leadsOn } from "./ids/leads-on.ts";
export { END, INTERRUPT, START } from "./ids/names.ts";
export { AnyValue } from "./channels/any-value.ts";
export { ArchiveChannel, type ArchiveOptions } from "./channels/archive.ts";
export { NamedBarrierValue } from "./channels/barrier.ts";
export { DeltaChannel, type DeltaReducer } from "./channels/delta.ts";
export { messagesDeltaReducer } from "./channels/messages-delta-reducer.ts";
export { BaseChannel, type ChannelSpec, type WriteOrigin } from "./channels/base.ts";
export { type BinaryOperator, BinaryOperatorAggregate } from "./channels/binop.ts";
export { EphemeralValue } from "./channels/ephemeral.ts";
export { CHANNEL_FIELD, type ChannelField, channelField, isChannelField } from "./channels/field.ts";
export { LastValue } from "./channels/last-value.ts";
export { MessagesChannel } from "./channels/messages.ts";
export {
  type Merged,
  type Messages,
  messagesStateReducer,
  messagesStateReducer as addMessages,
  REMOVE_ALL_MESSAGES,
} from "./channels/messages-reducer.ts";
export { Overwrite, type OverwriteValue } from "./channels/overwrite.ts";
export { DynamicBarrierValue, type WaitForNames } from "./channels/dynamic-barrier.ts";
export { Topic } from "./channels/topic.ts";
export { UntrackedValueChannel } from "./channels/untracked.ts";
export {
  Annotation,
  AnnotationRoot,
  type NodeType,
  type SingleReducer,
  type StateDefinition,
  type StateType,
  type UpdateType,
} from "./state/annotation.ts";
export { type StateDefinitionInit, type StateOf, type UpdateOf } from "./state/definition.ts";
export {
  MessagesAnnotation,
  MessagesDeltaValue,
  MessagesValue,
  MessagesZodMeta,
  MessagesZodState,
} from "./state/messages.ts";
export {
  type AnyStateSchema,
  type StateSchemaFieldsToStateDefinition,
  type StateSchemaFieldToChannel,
  StateSchema,
  type StateSchemaField,
  type StateSchemaFields,
  type StateSchemaState as InferStateSchemaValue,
  type StateSchemaUpdate as InferStateSchemaUpdate,
} from "./state/schema.ts";
export {
  isSerializableSchema,
  type JsonSchema,
  jsonSchemaOf as getJsonSchemaFromSchema,
} from "./state/json-schema.ts";
export { type DeepPartial, reducers } from "./state/reducers.ts";
export {
  absentOf as getSchemaDefaultGetter,
  isStandardSchema,
  type StandardSchema,
} from "./state/standard.ts";
export {
  DeltaValue,
  type DeltaValueInit,
  ReducedValue,
  type ReducedValueInit,
  UntrackedValue,
  type UntrackedValueInit,
} from "./state/values.ts";
export { schemaMetaRegistry } from "./state/zod/registry.ts";
export {
  Command,
  CommandInstance,
  type CommandParams,
  COMMAND_SYMBOL,
  isCommand,
} from "./program/command.ts";
export type { CachePolicy, RetryPolicy } from "./program/program.ts";
export { isSend, Send, type SendOptions } from "./program/send.ts";
export type { TimeoutPolicy } from "./program/timeout-policy.ts";
export type { DrawOptions } from "./drawing/draw.ts";
export { DrawableGraph } from "./drawing/drawable-graph.ts";
export {
  getConfig,
  getArchive,
  getCurrentState,
  getCurrentTaskInput,
  getStore,
  getWriter,
  writer,
} from "./task/accessors.ts";
export type {
  ExecutionInfo,
  InterruptOptions,
  LangGraphRunnableConfig,
  NodeConfig,
  Runtime,
  ServerInfo,
} from "./task/config.ts";
export type {
  InferInterruptInputType,
  InferInterruptResumeType,
  InferWriterType,
} from "./task/declared-types.ts";
export {
  GraphCallbackHandler,
  type GraphInterruptEvent,
  type GraphLifecycleEvent,
  type GraphLifecycleStatus,
  type GraphResumeEvent,
} from "./task/graph-callbacks.ts";
export { pushMessage } from "./task/push-message.ts";
export { RunControl } from "./task/run-control.ts";
export { interrupt, isInterrupted } from "./task/interrupt.ts";
export { decodeStoredWrite } from "./run/codec.ts";
export type { Durability } from "./run/journal.ts";
export type { OnConflict } from "./run/storage.ts";
export type { StreamMode } from "./stream/modes.ts";
export { ChatModelStream as ChatModelStreamImpl } from "@langchain/core/language_models/stream";
export {
  type EventStreamOptions,
  isStreamChannel,
  StreamChannel,
  StreamChannel as EventLog,
} from "./stream/events/channel.ts";
export {
  type ConvertToProtocolEventOptions,
  convertToProtocolEvent,
  isCheckpointEnvelope,
  STREAM_EVENTS_V3_MODES,
} from "./stream/events/convert.ts";
export { readerMayLeave } from "./stream/leaving.ts";
export { holding, whileHeld } from "./compiled/held.ts";
export { isStateful, parentNamespace } from "./ids/namespace.ts";
export { withAdmission } from "./run/admission.ts";
export { ambiguousAnswer, answersById } from "./run/answers.ts";
export { isSameQuestion, type WaitingQuestion, waitingQuestions } from "./run/waiting.ts";
export { changeSetsOf } from "./run/change-set-session.ts";
export { heeding } from "./remote/heed.ts";
export { createGraphRunStream, type CreateGraphRunStreamOptions } from "./stream/events/create.ts";
export {
  createLifecycleTransformer,
  filterLifecycleEntries,
  type LifecycleProjection,
  type LifecycleTransformerOptions,
} from "./stream/events/lifecycle.ts";
export { createMessagesTransformer, type LocatedMessageStream } from "./stream/events/messages.ts";
export type {
  AgentStatus,
  InterruptPayload,
  LifecycleCause,
  LifecycleData,
  LifecycleEntry,
  MessagesEventData,
  Namespace,
  ProtocolEvent,
  ToolsEventData,
  UpdatesEventData,
  UsageInfo,
} from "./stream/events/protocol.ts";
export { type ChatModelStream, GraphRunStream, SubgraphRunStream } from "./stream/events/run-stream.ts";
export {
  createSubgraphDiscoveryTransformer,
  filterSubgraphHandles,
  type SubgraphDiscoveryProjection,
  type SubgraphDiscoveryTransformerOptions,
} from "./stream/events/subgraphs.ts";
export type { ToolCallStatus, ToolCallStream } from "./stream/events/tool-calls.ts";
export {
  type InferExtensions,
  isNativeTransformer,
  type NativeStreamTransformer,
  type StreamEmitter,
  type StreamTransformer,
  type TransformerFactory,
} from "./stream/events/transformer.ts";
export { createValuesTransformer } from "./stream/events/values.ts";
export { CompiledGraph } from "./compiled/compiled.ts";
export type { GetStateOptions } from "./compiled/read-state.ts";
export type { CallOptions, StreamOptions } from "./compiled/options.ts";
export type { StateSnapshot } from "./compiled/state-snapshot.ts";
export { CompiledStateGraph } from "./graph/compiled-state-graph.ts";
export type { CompiledGraphType, StreamOutputMap, ToStateDefinition } from "./graph/named-types.ts";
export { StateGraph } from "./graph/state-graph.ts";
export type { CompileOptions } from "./graph/compile-options.ts";
export type { NodeSpec, NodeSpec as StateGraphNodeSpec } from "./graph/compile.ts";
export type {
  GraphInit as StateGraphInit,
  StateGraphArgs,
  StateGraphArgsWithInputOutputSchemas,
  StateGraphArgsWithStateSchema,
  StateGraphOptions,
} from "./graph/init.ts";
export type {
  AddNodeOptions,
  ErrorHandler,
  NodeOptions,
  NodeOptions as StateGraphAddNodeOptions,
  NodePolicyOptions,
} from "./graph/builder-types.ts";
export type {
  ConditionalEdgeRouter,
  ConditionalEdgeRouterTypes,
  ContextSchemaInit,
  ExtractStateType,
  ExtractUpdateType,
  GraphNode,
  GraphNodeReturnValue,
  GraphNodeTypes,
} from "./graph/node-types.ts";
export { CompiledEntrypoint, type EntrypointInput } from "./func/compiled-entrypoint.ts";
export { entrypoint, type EntrypointOptions } from "./func/entrypoint.ts";
export type { EntrypointFinal } from "./func/final.ts";
export { getPreviousState } from "./func/previous.ts";
export { task, type TaskOptions } from "./func/task.ts";
export type {
  MultipleChannelSubscriptionOptions,
  SingleChannelSubscriptionOptions,
} from "./pregel/channel.ts";
export type { PregelOptions, PregelParams } from "./pregel/params.ts";
export type { Pregel, PregelNode } from "./pregel/types.ts";
