import type { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { AgentTool } from "../model/request.ts";
import type { AgentBuiltInState, HookRuntime } from "../runtime.ts";
import type { Command } from "@skein/graph";

/** One call of a tool, as `wrapToolCall` sees it. Pass a changed copy to the handler. */
export interface ToolCallRequest<TState = Record<string, unknown>, TContext = unknown> {
  toolCall: ToolCall;
  /** Undefined when the model named a tool that the agent does not have. */
  tool: AgentTool | undefined;
  state: TState & AgentBuiltInState;
  runtime: HookRuntime<TContext>;
}

/** Calls the next wrap, and at the end the tool. A tool's own error is thrown, so that a wrap can retry. */
// oxlint-disable-next-line typescript/no-explicit-any -- by itself one that takes any request
export type ToolCallHandler<TState = any, TContext = any> = (
  request: ToolCallRequest<TState, TContext>,
) => Promise<ToolMessage | Command>;
