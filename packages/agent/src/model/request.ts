import type { BaseLanguageModelInput, LanguageModelOutput } from "@langchain/core/language_models/base";
import type { AIMessage, BaseMessage, SystemMessage } from "@langchain/core/messages";
import type { RunnableInterface } from "@langchain/core/runnables";
import type { ClientTool, ServerTool } from "@langchain/core/tools";
import type { ResponseFormatInput } from "../response/format.ts";
import type { AgentBuiltInState, HookRuntime } from "../runtime.ts";

/** A chat model, or a runnable around one. */
export type AgentLanguageModelLike = RunnableInterface<BaseLanguageModelInput, LanguageModelOutput>;

export type AgentTool = ClientTool | ServerTool;

export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { type: "function"; function: { name: string } }
  | (string & {});

/** One call of the model, as `wrapModelCall` sees it. Pass a changed copy to the handler. */
export interface ModelRequest<TState = Record<string, unknown>, TContext = unknown> {
  model: AgentLanguageModelLike;
  /** The context, without the system prompt. */
  messages: BaseMessage[];
  /** Text of {@link systemMessage}; change one of the two, not both. */
  systemPrompt: string;
  systemMessage: SystemMessage;
  toolChoice?: ToolChoice | undefined;
  /** Tools that the model is told of. */
  tools: AgentTool[];
  state: TState & AgentBuiltInState;
  runtime: HookRuntime<TContext>;
  /** What a structured response looks like. A wrap can set or change it for one call. */
  responseFormat?: ResponseFormatInput | undefined;
  /** Passed to `bindTools` beside the tools. */
  modelSettings?: Record<string, unknown> | undefined;
}

/** Calls the next wrap, and at the end the model. */
// oxlint-disable-next-line typescript/no-explicit-any -- by itself one that takes any request
export type ModelCallHandler<TState = any, TContext = any> = (
  request: Omit<ModelRequest<TState, TContext>, "systemPrompt" | "systemMessage"> & {
    systemPrompt?: string | undefined;
    systemMessage?: SystemMessage | undefined;
  },
) => Promise<AIMessage>;
