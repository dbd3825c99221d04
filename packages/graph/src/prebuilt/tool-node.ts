import { AIMessage, type BaseMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { ensureConfig, mergeConfigs, Runnable, type RunnableToolLike } from "@langchain/core/runnables";
import type { DynamicTool, StructuredToolInterface } from "@langchain/core/tools";
import { GraphError, shown, thrownMessage } from "@skein/errors";
import { isGraphBubbleUp } from "../errors/signals.ts";
import { Command, isCommand, targetsOf, updatesOf } from "../program/command.ts";
import { withConfig } from "../task/ambient.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";

export type Tool = StructuredToolInterface | DynamicTool | RunnableToolLike;

export interface ToolNodeOptions {
  name?: string;
  /** Added to the tags of what the tools run. */
  tags?: string[];
  /**
   * Whether a tool that throws gives the model an error message instead of failing the node. Signals,
   * such as interrupts, always pass. Default: true.
   */
  handleToolErrors?: boolean;
}

/**
 * A node that runs the tools which the last AI message asks for, all at once, and returns a message
 * for each in the order of the calls. Calls that were answered already are left out. Takes a state
 * with `messages`, a list of messages, or one call as `{...state, lg_tool_call}`.
 *
 * A tool gets the node's config as its second argument, with `state` and `toolCallId` added. It may
 * return text, anything that becomes JSON, a ToolMessage or a Command.
 *
 * @example
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("agent", callModel)
 *   .addNode("tools", new ToolNode([getWeather]))
 *   .addEdge(START, "agent")
 *   .addConditionalEdges("agent", toolsCondition, ["tools", END])
 *   .addEdge("tools", "agent")
 *   .compile();
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the state of any graph, as in LangGraph
export class ToolNode<T = any> extends Runnable<T, T> {
  lc_namespace = ["langgraph"];
  tools: Tool[];
  handleToolErrors: boolean;
  readonly tags: string[] | undefined;

  /** @throws GraphError INVALID_CONFIGURATION for what is no list of tools */
  constructor(tools: Tool[], options?: ToolNodeOptions | null) {
    super();
    if (!Array.isArray(tools)) {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `new ToolNode() takes a list of tools, not ${shown(tools)}.`,
      );
    }
    this.name = options?.name ?? "tools";
    this.tags = options?.tags;
    this.tools = tools;
    this.handleToolErrors = options?.handleToolErrors ?? true;
  }
  /** @throws GraphError INVALID_INPUT when there is no AI message in the input */
  override async invoke(input: T, options?: LangGraphRunnableConfig): Promise<T> {
    const given = ensureConfig(options as never) as LangGraphRunnableConfig;
    given.configurable ??= {};
    const tagged = this.tags === undefined ? given : mergeConfigs({ tags: this.tags }, given as never);
    const config = tagged as LangGraphRunnableConfig;
    return withConfig(config, () => this.run(input, config));
  }
  protected async run(input: unknown, config: LangGraphRunnableConfig): Promise<T> {
    // a tool of LangChain's that is called with an aborted signal never ends
    config.signal?.throwIfAborted();
    const single = singleCall(input);
    const outputs =
      single === undefined
        ? await Promise.all(openCalls(messagesOf(input)).map((call) => this.runTool(call, config, input)))
        : [await this.runTool(single.call, config, single.state)];
    return combine(outputs, Array.isArray(input)) as T;
  }
  protected async runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    try {
      const tool = this.tools.find(({ name }) => name === call.name);
      if (tool === undefined) throw new Error(`Tool "${call.name}" not found.`);
      const runtime = {
        ...config,
        state,
        toolCallId: call.id ?? "",
        config,
        context: config.context,
        store: config.store ?? null,
        writer: config.writer ?? null,
      };
      const output: unknown = await tool.invoke({ ...call, type: "tool_call" }, runtime as never);
      if (isCommand(output) || ToolMessage.isInstance(output)) return output;
      const content = typeof output === "string" ? output : JSON.stringify(output);
      return new ToolMessage({
        status: "success",
        name: tool.name,
        content,
        tool_call_id: call.id as string,
      });
    } catch (error) {
      if (!this.handleToolErrors || isGraphBubbleUp(error)) throw error;
      const what = thrownMessage(error);
      return new ToolMessage({
        status: "error",
        content: `Error: ${what}\n Please fix your mistakes.`,
        name: call.name,
        tool_call_id: call.id ?? "",
      });
    }
  }
}

/** A call on its own, as a Send brings it, and the state that came with it. */
function singleCall(input: unknown): { call: ToolCall; state: unknown } | undefined {
  if (typeof input !== "object" || input === null || !("lg_tool_call" in input)) return undefined;
  const { lg_tool_call: call, ...state } = input;
  return { call: call as ToolCall, state };
}

function messagesOf(input: unknown): readonly BaseMessage[] {
  const messages = Array.isArray(input) ? input : (input as { messages?: unknown } | null)?.messages;
  if (Array.isArray(messages) && messages.every(isBaseMessage)) return messages;
  throw new GraphError(
    "INVALID_INPUT",
    "A ToolNode takes a list of messages, or a state with such a list under the key messages.",
  );
}

/** What the last AI message asks for and nobody has answered. */
function openCalls(messages: readonly BaseMessage[]): ToolCall[] {
  const asking = messages.findLast((message) => AIMessage.isInstance(message)) as AIMessage | undefined;
  if (asking === undefined) {
    throw new GraphError("INVALID_INPUT", "A ToolNode needs an AI message among the messages.");
  }
  const answered = new Set(
    messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.tool_call_id),
  );
  return (asking.tool_calls ?? []).filter(({ id }) => id === undefined || id === null || !answered.has(id));
}

/** Messages as the input had them; with commands among them, a list in which each stands by itself. */
function combine(outputs: readonly (ToolMessage | Command)[], isList: boolean): unknown {
  if (!outputs.some(isCommand)) return isList ? outputs : { messages: outputs };
  const combined: unknown[] = [];
  const forParent: Command[] = [];
  for (const output of outputs) {
    if (!isCommand(output)) combined.push(isList ? [output] : { messages: [output] });
    else if (output.graph === Command.PARENT) forParent.push(output);
    else combined.push(output);
  }
  if (forParent.length > 0) combined.push(together(forParent));
  return combined;
}

/** Only one command can leave a graph: those of several tools become one. */
function together(commands: readonly Command[]): Command {
  if (commands.length === 1) return commands[0] as Command;
  const update = commands.flatMap(updatesOf);
  return new Command({
    graph: Command.PARENT,
    goto: commands.flatMap(targetsOf),
    ...(update.length === 0 ? {} : { update: update.map(([key, value]): [string, unknown] => [key, value]) }),
  });
}
