import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import { DynamicStructuredTool, DynamicTool, ToolInputParsingException } from "@langchain/core/tools";
import { GraphError, thrownMessage } from "@skein/errors";
import { isCommand, isGraphBubbleUp, type Command } from "@skein/graph";
import { ToolInvocationError } from "../errors.ts";
import type { AgentTool } from "../model/request.ts";
import type { Runtime } from "../runtime.ts";
import { withinTool } from "../model/own-call.ts";
import { callTool, isPlainTool } from "../unheard/tool-call.ts";
import { policyOf } from "./policy.ts";
import type { ToolCallRequest } from "./request.ts";
import { within } from "./timeout.ts";

/** What one call of a tool ends in. */
export type ToolResult = ToolMessage | Command;

/** Belongs to one call; reaches every wrap and the tool. */
export interface ToolCallScope {
  readonly config: RunnableConfig;
  /** Milliseconds that a call may take if its tool says nothing of it; undefined for no limit. */
  readonly timeoutMs: number | undefined;
  /** Errors that came out of the tool itself, as opposed to out of a wrap around it. */
  readonly toolErrors: unknown[];
}

interface Invocable {
  readonly name: string;
  invoke(input: unknown, config: RunnableConfig): Promise<unknown>;
}

/** Whether the agent itself can run a tool; others are run by the model's provider. */
export function isClientTool(tool: AgentTool): tool is AgentTool & Invocable {
  return typeof (tool as Partial<Invocable>).invoke === "function";
}

/**
 * The innermost link of a tool call: runs the tool. A tool that does not exist is an answer for the
 * model; an error of the tool is thrown, so that wraps can retry it, and remembered as the tool's.
 */
export async function runTool(
  request: ToolCallRequest,
  scope: ToolCallScope,
  known: ReadonlyMap<string, AgentTool>,
): Promise<ToolResult> {
  const { toolCall } = request;
  // a wrap may have called another one by its name
  const tool = request.tool ?? known.get(toolCall.name);
  if (tool === undefined || !isClientTool(tool)) return unknownTool(toolCall, [...known.keys()]);
  // LangChain's tools begin although they were told to stop, and a wrap may have taken its time
  scope.config.signal?.throwIfAborted();
  try {
    const call = { ...toolCall };
    call.type = "tool_call";
    const config = toolConfig(request, tool, scope.config, call);
    const timeoutMs = policyOf(tool).timeoutMs ?? scope.timeoutMs;
    if (timeoutMs === undefined) return toResult(await act(tool, call, config), toolCall);
    const run = (signal: AbortSignal): Promise<unknown> => act(tool, call, { ...config, signal });
    const late = (): Error => new Error(`It did not finish within ${timeoutMs} ms.`);
    return toResult(await within(timeoutMs, scope.config.signal, run, late), toolCall);
  } catch (thrown) {
    const error =
      thrown instanceof ToolInputParsingException ? new ToolInvocationError(thrown, toolCall) : thrown;
    scope.toolErrors.push(error);
    throw error;
  }
}

/** Calls a tool, without LangChain's way of telling whoever listens where nobody does. */
function act(tool: Invocable, call: ToolCall, config: RunnableConfig): Promise<unknown> {
  return isPlainTool(tool, call, config) ? callTool(tool, call, config) : tool.invoke(call, config);
}

/**
 * What a tool is given as its second argument: the node's config and LangChain's `ToolRuntime`.
 *
 * @param call - what the tool is called with
 */
function toolConfig(
  { state, toolCall }: ToolCallRequest,
  tool: Invocable,
  config: RunnableConfig & Partial<Runtime>,
  call: ToolCall,
): RunnableConfig {
  // new members behind a spread cost 14 us: see docs/decisions/2026-11-22-garbage-of-a-run.md
  const own: Record<string, unknown> = {
    config: undefined,
    state: undefined,
    toolCallId: undefined,
    context: undefined,
    store: undefined,
    writer: undefined,
    toolCall: undefined,
    runName: undefined,
    ...config,
  };
  if (addsToConfig(tool)) {
    own["toolCall"] = call;
    own["runName"] ??= tool.name;
  }
  own["metadata"] = withinTool(config.metadata);
  own["config"] = config;
  own["state"] = state;
  own["toolCallId"] = toolCall.id;
  // the run's: a wrap's runtime has the context that its own schema made
  own["store"] = config.store ?? null;
  own["writer"] = config.writer ?? null;
  return own;
}

/**
 * Whether a tool is one of LangChain's, which add these two to whatever config they get. An object that
 * gets members after it was copied costs V8 a hidden class for each: here they stand in it from the start.
 */
function addsToConfig(tool: unknown): tool is DynamicTool | DynamicStructuredTool {
  const isDynamic = tool instanceof DynamicStructuredTool || tool instanceof DynamicTool;
  // a default would win over a name that was not given
  return isDynamic && tool.defaultConfig === undefined;
}

function toResult(output: unknown, call: ToolCall): ToolResult {
  if (isCommand(output) || isToolMessage(output)) return output;
  return new ToolMessage({
    content: typeof output === "string" ? output : (JSON.stringify(output) ?? String(output)),
    tool_call_id: call.id as string,
    name: call.name,
  });
}

function isToolMessage(value: unknown): value is ToolMessage {
  return ToolMessage.isInstance(value);
}

/**
 * Whether an error must leave the node: control flow of the engine, the end of the run, or a question
 * that nobody is asked, which no model could answer.
 */
export function mustPropagate(error: unknown, config: RunnableConfig): boolean {
  if (isGraphBubbleUp(error) || config.signal?.aborted === true) return true;
  return GraphError.is(error, "OUTSIDE_RUN") || codeOf(error) === "MISSING_CHECKPOINTER";
}

/**
 * The error itself, or one that says what is wrong: LangGraph's `interrupt` finds no checkpointer in a run of
 * this engine, whether or not there is one.
 */
export function explained(error: unknown, { name }: ToolCall): unknown {
  if (GraphError.is(error) || codeOf(error) !== "MISSING_CHECKPOINTER") return error;
  return new GraphError(
    "OUTSIDE_RUN",
    `The tool "${name}" called an interrupt() that is not this engine's, and nobody was asked. Import it from @skein/graph; for a package that imports @langchain/langgraph itself, give that name to @skein/graph as an alias (docs/migration.md).`,
    { cause: error, details: { tool: name } },
  );
}

const codeOf = (error: unknown): unknown =>
  (error as { readonly lc_error_code?: unknown } | null | undefined)?.lc_error_code;

/** An error of a tool, as the model sees it (E1). */
export function failedTool(call: ToolCall, error: unknown): ToolMessage {
  return errorResult(
    call,
    `Tool "${call.name}" failed: ${thrownMessage(error)}\nCheck the arguments, or go on without it.`,
  );
}

function unknownTool(call: ToolCall, known: readonly string[]): ToolMessage {
  const choice = known.length === 0 ? "There are no tools." : `Available tools: ${known.join(", ")}.`;
  return errorResult(call, `There is no tool named "${call.name}". ${choice}`);
}

function errorResult(call: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: call.id as string, name: call.name, status: "error" });
}
