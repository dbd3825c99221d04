import { RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, isCommand, REMOVE_ALL_MESSAGES } from "@skein/graph";
import type { ToolsInput } from "../agent/routes.ts";
import { readTurn } from "../agent/turn.ts";
import { runtimeOf } from "../middleware/runtime-reader.ts";
import type { AgentTool } from "../model/request.ts";
import type { AgentBuiltInState } from "../runtime.ts";
import type { ToolCaller } from "./call.ts";
import { isClientTool, type ToolResult } from "./run-tool.ts";

export interface ToolsNodeOptions {
  readonly call: ToolCaller;
  readonly tools: readonly AgentTool[];
  /** The state as the tasks of this step see it: a `Send` hands a task its call only. */
  readonly stateOf: (config: RunnableConfig) => AgentBuiltInState;
}

type ToolsNodeResult = Record<string, unknown> | (Record<string, unknown> | Command)[];

/**
 * The node that runs tools, one call a task. Sent there without a call (`Command({goto: "tools"})`),
 * it runs all calls that wait for a result.
 */
export function toolsNode(
  options: ToolsNodeOptions,
): (input: ToolsInput | AgentBuiltInState, config: RunnableConfig) => Promise<ToolsNodeResult> {
  const byName = new Map(options.tools.filter(isClientTool).map((tool) => [tool.name, tool]));
  return async (input, config) => {
    const sent = "lg_tool_call" in input;
    const state = sent ? options.stateOf(config) : input;
    const run = (toolCall: ToolCall): Promise<ToolResult> => {
      const request = { toolCall, tool: byName.get(toolCall.name), state, runtime: runtimeOf(config) };
      return options.call(request, config);
    };
    const results = sent ? [await run(input.lg_tool_call)] : await Promise.all(waitingCalls(state).map(run));
    if (!results.some(isCommand)) return { messages: results };
    return results.flatMap((result) =>
      isCommand(result) ? asOrdinaryWrites(result) : { messages: [result] },
    );
  };
}

function waitingCalls(state: AgentBuiltInState): readonly ToolCall[] {
  const turn = readTurn(state.messages);
  return turn.state === "calling" ? turn.calls : [];
}

/**
 * A tool's command, with a remove-all in a write of its own: so what follows it, be it marked as a
 * summary, is ordinary. Tools pass on what they read somewhere; only the agent's own nodes may put
 * something into the context that the history does not show.
 */
function asOrdinaryWrites(command: Command): (Command | Record<string, unknown>)[] {
  const { update } = command;
  const messages = Array.isArray(update)
    ? update.find(([key]) => key === "messages")?.[1]
    : (update as Record<string, unknown> | undefined)?.["messages"];
  if (!Array.isArray(messages)) return [command];
  const clear = (messages as BaseMessage[]).findLastIndex(
    (message) => RemoveMessage.isInstance(message) && message.id === REMOVE_ALL_MESSAGES,
  );
  if (clear < 0) return [command];
  const rest = Array.isArray(update) ? Object.fromEntries(update) : update;
  const first = new Command({
    goto: command.goto,
    update: { ...rest, messages: messages.slice(0, clear + 1) },
    ...(command.graph === undefined ? {} : { graph: command.graph }),
    ...(command.resume === undefined ? {} : { resume: command.resume }),
  });
  return [first, { messages: messages.slice(clear + 1) }];
}
