import { isDirectToolOutput, ToolMessage, type ToolMessageFields } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import { DynamicStructuredTool, StructuredTool, tool as toolOf } from "@langchain/core/tools";
import { interopParseAsync, isInteropZodSchema, type InteropZodType } from "@langchain/core/utils/types";
import { isHeardAround } from "./listening.ts";
import { overrides } from "./overrides.ts";
import { withinNode } from "./within-node.ts";

/** A tool of `tool()` with a Zod schema, of whose calls nobody hears. */
export type PlainTool = DynamicStructuredTool<InteropZodType>;

const hasOwnCalls = overrides(DynamicStructuredTool.prototype, ["invoke", "call", "_call"]);
const isPatched = overrides(StructuredTool.prototype, ["call"]);

/** `tool()` puts the same around each function: that completes the config, which others get as it is. */
let around: string | undefined;

/** To make a tool takes half a millisecond: who imports agents and runs none does not pay for it. */
function isByTool({ func }: DynamicStructuredTool): boolean {
  around ??= sourceOf(toolOf(() => "", { name: "any", description: "", schema: { type: "object" } }).func);
  return sourceOf(func) === around;
}

/** Whether {@link callTool} can run a tool in the place of `invoke()`. */
export function isPlainTool(tool: unknown, call: ToolCall, { callbacks }: RunnableConfig): tool is PlainTool {
  return (
    tool instanceof DynamicStructuredTool &&
    callbacks === undefined &&
    tool.callbacks === undefined &&
    !tool.verbose &&
    tool.defaultConfig === undefined &&
    tool.responseFormat === "content" &&
    isInteropZodSchema(tool.schema) &&
    !hasOwnCalls(tool) &&
    !isPatched(StructuredTool.prototype) &&
    isByTool(tool) &&
    !isCall(call.args) &&
    !isHeardAround()
  );
}

function sourceOf(func: unknown): string | undefined {
  return typeof func === "function" ? Function.prototype.toString.call(func) : undefined;
}

/** LangChain takes arguments that look like a call for one, with arguments of its own. */
function isCall(args: { readonly type?: unknown } | undefined): boolean {
  return args?.type === "tool_call";
}

/**
 * What `invoke()` of LangChain's tools makes of a call that nobody hears of: see `generate` of `model-call.ts`.
 *
 * @param config - belongs to the call
 */
export async function callTool(tool: PlainTool, call: ToolCall, config: RunnableConfig): Promise<unknown> {
  const { id } = call;
  let input: unknown;
  try {
    input = await interopParseAsync(tool.schema, call.args);
  } catch (error) {
    return refused(tool, error).invoke(call, config);
  }
  complete(config);
  const returned: unknown = await withinNode(() => tool.func(input, undefined, config) as unknown);
  const content = isGenerator(returned) ? await endOf(returned) : returned;
  const isAnswer = typeof id === "string" && id !== "" && !isDirectToolOutput(content);
  return isAnswer ? resultOf(tool, id, content) : content;
}

/** A tool that LangChain finds the same amiss with: the schema, which may look elsewhere, is not asked again. */
function refused(tool: PlainTool, error: unknown): PlainTool {
  const parseAsync = (): Promise<never> => Promise.reject(error as Error);
  const schema = { _def: { typeName: "" }, parseAsync };
  return Object.create(tool, { schema: { value: schema } }) as PlainTool;
}

/** As LangChain hands it to a tool: what that changes there is its own, and null is as good as missing. */
function complete(config: RunnableConfig): void {
  const members = config as Record<string, unknown>;
  for (const key of Object.keys(members)) if (members[key] === null) members[key] = undefined;
  config.configurable = { ...config.configurable };
  config.tags = [...new Set(config.tags)];
  if (config.runId !== undefined) delete config.runId;
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
    return `${value as string}`;
  }
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && typeof (value as Partial<AsyncGenerator> | null)?.next === "function";
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
