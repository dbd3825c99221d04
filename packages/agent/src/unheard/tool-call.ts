import { isDirectToolOutput, ToolMessage, type ToolMessageFields } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { interopParseAsync, isInteropZodSchema, type InteropZodType } from "@langchain/core/utils/types";
import { isHeardAround } from "./listening.ts";
import { overrides } from "./overrides.ts";
import { withinNode } from "./within-node.ts";

/** A tool of `tool()` with a Zod schema, of whose calls nobody hears. */
export type PlainTool = DynamicStructuredTool<InteropZodType>;

const hasOwnCalls = overrides(DynamicStructuredTool.prototype, ["invoke", "call", "_call"]);

/** Whether {@link callTool} can run a tool in the place of `invoke()`. */
export function isPlainTool(tool: unknown, { callbacks }: RunnableConfig): tool is PlainTool {
  return (
    tool instanceof DynamicStructuredTool &&
    callbacks === undefined &&
    tool.callbacks === undefined &&
    !tool.verbose &&
    tool.defaultConfig === undefined &&
    tool.responseFormat === "content" &&
    isInteropZodSchema(tool.schema) &&
    !hasOwnCalls(tool) &&
    !isHeardAround()
  );
}

/**
 * What `invoke()` of LangChain's tools makes of a call that nobody hears of: see `generate` of `model-call.ts`.
 *
 * @param call - whose arguments are checked; those that do not fit are left to `invoke()`, which says why
 * @param config - belongs to the call
 */
export async function callTool(tool: PlainTool, call: ToolCall, config: RunnableConfig): Promise<unknown> {
  let input: unknown;
  try {
    input = await interopParseAsync(tool.schema, call.args);
  } catch {
    return tool.invoke(call, config);
  }
  // what a tool changes there is its own
  config.configurable = { ...config.configurable };
  if (config.runId !== undefined) delete config.runId;
  const returned: unknown = await withinNode(() => tool.func(input, undefined, config) as unknown);
  const content = isGenerator(returned) ? await endOf(returned) : returned;
  return call.id && !isDirectToolOutput(content) ? resultOf(tool, call.id, content) : content;
}

function resultOf({ name, metadata }: PlainTool, tool_call_id: string, returned: unknown): ToolMessage {
  const content = typeof returned === "string" || isBlocks(returned) ? returned : textOf(returned);
  // LangChain's messages keep what they were made with, members without a value included
  const fields = { status: "success", content, artifact: undefined, tool_call_id, name, metadata };
  return new ToolMessage(fields as ToolMessageFields);
}

function isBlocks(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one: unknown) => typeof one === "object" && one !== null && "type" in one)
  );
}

function textOf(value: unknown): string {
  try {
    return (JSON.stringify(value) as string | undefined) ?? "";
  } catch {
    return String(value);
  }
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof (value as Partial<AsyncGenerator> | null | undefined)?.next === "function";
}

/** What a generator returns, when everything was taken that it gives before: progress, which nobody hears of. */
async function endOf(generator: AsyncGenerator): Promise<unknown> {
  try {
    let next = await generator.next();
    while (next.done !== true) next = await generator.next();
    return next.value;
  } finally {
    await (generator as Partial<AsyncGenerator>).return?.(undefined);
  }
}
