import type { BaseMessage } from "@langchain/core/messages";
import type { ToolCallStream } from "@langchain/langgraph";
import * as onLangGraph from "langchain";
import * as onSkein from "langchain?on-skein";
import { type Engine, oracle, ours } from "../engines.ts";
import type { Plain } from "../normalise.ts";
import type { Stateful } from "../recorder.ts";
import type { Run } from "../scenarios/event-streams-kit.ts";
import { type PackageScenario, recordWith } from "../scenario.ts";

/**
 * What the scenarios use of the `langchain` package. Its own types do not compile under
 * `exactOptionalPropertyTypes`; the behaviour is what is compared here.
 */
export interface LangChain {
  createAgent(options: object): Agent;
  createMiddleware(middleware: Hooks): object;
  toolStrategy(schema: unknown, options?: object): object;
  providerStrategy(schema: unknown): object;
  summarizationMiddleware(options: object): object;
  humanInTheLoopMiddleware(options: object): object;
  modelCallLimitMiddleware(options: object): object;
  toolCallLimitMiddleware(options: object): object;
  modelRetryMiddleware(options: object): object;
  toolRetryMiddleware(options: object): object;
  toolErrorMiddleware(options: { onError(error: Error): string }): object;
  modelFallbackMiddleware(...models: readonly object[]): object;
  piiMiddleware(kind: string, options: object): object;
  todoListMiddleware(options?: object): object;
  contextEditingMiddleware(options: object): object;
  ClearToolUsesEdit: new (options: object) => object;
  llmToolSelectorMiddleware(options: object): object;
  toolEmulatorMiddleware(options: object): object;
  dynamicSystemPromptMiddleware(prompt: (state: State) => string): object;
  tool(fields: { name: string; description: string; schema: object }): object;
  createToolCallTransformer(path: readonly string[]): object;
  createSubagentTransformer(scope?: readonly string[]): object;
}

/** A run stream of an agent. */
export interface AgentRun extends Run {
  readonly toolCalls: AsyncIterable<ToolCallStream>;
  readonly subagents: AsyncIterable<Subagent>;
}

export interface Subagent {
  readonly name: string;
  readonly cause?: unknown;
  readonly output: Promise<unknown>;
  readonly messages: Run["messages"];
  readonly toolCalls: AsyncIterable<ToolCallStream>;
  readonly subagents: AsyncIterable<Subagent>;
}

export interface Agent extends Stateful {
  stream(input: unknown, config?: object): Promise<AsyncIterable<[BaseMessage, Record<string, unknown>]>>;
  streamEvents(input: unknown, config: { version: "v3" } & object): Promise<AgentRun>;
  streamEvents(input: unknown, config: object): AsyncIterable<{ event: string; name: string }>;
  withConfig(config: object): Agent;
  readonly options: Readonly<Record<string, unknown>>;
  drawMermaid(): Promise<string>;
  readonly graph: Stateful & {
    updateState(config: object, values: object, asNode?: string): Promise<unknown>;
  };
}

export type State = Record<string, unknown> & { messages: BaseMessage[] };

/** What a middleware hears of a call of a model or a tool, and may change. */
export interface Request {
  readonly model: object;
  readonly messages: BaseMessage[];
  readonly systemPrompt: string;
  readonly systemMessage: BaseMessage;
  readonly tools: readonly object[];
  readonly tool?: object;
  readonly toolCall: { name: string; id?: string; args: Record<string, unknown> };
  readonly state: State;
  readonly runtime: HookRuntime;
}
/** What a hook is told of the run. */
export interface HookRuntime {
  context: Record<string, unknown>;
}
type Hook = (state: State, runtime: HookRuntime) => object | undefined;
/** A handler takes what a wrap leaves of its request. */
type Wrap = (request: Request, handler: (request: object) => unknown) => unknown;
interface Hooks {
  name: string;
  stateSchema?: object;
  contextSchema?: object;
  streamTransformers?: readonly unknown[];
  beforeAgent?: Hook | { canJumpTo: string[]; hook: Hook };
  beforeModel?: Hook | { canJumpTo: string[]; hook: Hook };
  afterModel?: Hook | { canJumpTo: string[]; hook: Hook };
  afterAgent?: Hook | { canJumpTo: string[]; hook: Hook };
  wrapModelCall?: Wrap;
  wrapToolCall?: Wrap;
}

export interface AgentEngine extends Engine {
  readonly lc: LangChain;
}

/** `langchain` on the engine that it was written for. */
export const there: AgentEngine = { ...oracle, lc: onLangGraph as unknown as LangChain };
/** The same files with `@langchain/langgraph` resolved to ours. */
export const here: AgentEngine = { ...ours, lc: onSkein as unknown as LangChain };

/** A program that uses `langchain`. */
export type AgentScenario = PackageScenario<LangChain>;

export const scenario = (name: string, run: AgentScenario["run"]): AgentScenario => ({ name, run });

export const recordAgent = (scenario: AgentScenario, engine: AgentEngine): Promise<Plain> =>
  recordWith(engine.lc, scenario, engine);
