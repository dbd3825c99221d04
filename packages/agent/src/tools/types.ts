import type { MessageToolDefinition } from "@langchain/core/messages";
import type { DynamicStructuredTool, StructuredToolInterface } from "@langchain/core/tools";
import type { ToolCallStream } from "@skein/graph";
import type { AgentTool } from "../model/request.ts";

/** The name of a tool, where its type tells it. */
type NameOf<T> = T extends { readonly name: infer Name extends string } ? Name : string;

// oxlint-disable typescript/no-explicit-any -- what does not matter of a tool
/** What a tool takes and gives, where its type tells it: members `input` and `output`. */
type Described<T> =
  T extends DynamicStructuredTool<any, any, infer Input, infer Output, any, any>
    ? { input: Input; output: Output }
    : T extends StructuredToolInterface<any, infer Input, infer Output>
      ? { input: Input; output: Output }
      : { input: unknown; output: unknown };
// oxlint-enable typescript/no-explicit-any

/** What messages say of calls of these tools, by the name of the tool. */
export type ToolsToMessageToolSet<T extends readonly AgentTool[]> = {
  [Each in T[number] as NameOf<Each>]: MessageToolDefinition<
    Described<Each>["input"],
    Described<Each>["output"]
  >;
};

type StreamOf<T> = T extends unknown
  ? ToolCallStream<NameOf<T>, Described<T>["input"], Described<T>["output"]>
  : never;

/**
 * The calls of these tools, as a run shows them. Which one a call is of says its `name`.
 *
 * @example
 * type Calls = ToolCallStreamUnion<readonly [typeof search, typeof add]>;
 */
export type ToolCallStreamUnion<T extends readonly AgentTool[]> = [T[number]] extends [never]
  ? ToolCallStream
  : StreamOf<T[number]>;

/** What a program may note of a tool's call. The agent's messages tell the same. */
export interface ExecutedToolCall {
  name: string;
  args: Record<string, unknown>;
  /** The id of the call. */
  tool_id: string;
  result?: unknown;
}

// oxlint-disable typescript/no-explicit-any -- arguments and results of any tool
/** The same, with the id as messages have it, and why it failed. */
export interface ToolCall {
  id: string;
  name: string;
  args: Record<string, any>;
  result?: unknown;
  error?: string;
}

/** What a program may note of a call's end. */
export interface ToolResult {
  /** The id of the call. */
  id: string;
  result: any;
  error?: string;
}
// oxlint-enable typescript/no-explicit-any
