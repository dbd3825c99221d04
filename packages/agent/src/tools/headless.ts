import { type DynamicStructuredTool, tool as toolOfCore } from "@langchain/core/tools";
import type {
  InferInteropZodInput,
  InferInteropZodOutput,
  InteropZodObject,
} from "@langchain/core/utils/types";
import { GraphError } from "@skein/errors";
import { interrupt } from "@skein/graph";
import type { HookRuntime } from "../runtime.ts";

/** A tool without a body, as the model is told of it. */
export interface HeadlessToolFields<TSchema extends InteropZodObject, TName extends string = string> {
  readonly name: TName;
  readonly description: string;
  readonly schema: TSchema;
}

/** A tool without a body, and what the client runs for it. */
export interface HeadlessToolImplementation<
  TSchema extends InteropZodObject = InteropZodObject,
  TOutput = unknown,
  TName extends string = string,
> {
  readonly tool: HeadlessTool<TSchema, TName>;
  readonly execute: (args: InferInteropZodOutput<TSchema>) => Promise<TOutput>;
}

/** A tool whose calls stop the run, for the client to answer them. Made by {@link tool}. */
export type HeadlessTool<
  TSchema extends InteropZodObject = InteropZodObject,
  TName extends string = string,
> = DynamicStructuredTool<
  TSchema,
  InferInteropZodOutput<TSchema>,
  InferInteropZodInput<TSchema>,
  unknown,
  unknown,
  TName
> & {
  /** Pairs the tool with what the client runs for it, as `useStream({ tools })` takes it. */
  implement<TOutput>(
    execute: (args: InferInteropZodOutput<TSchema>) => Promise<TOutput>,
  ): HeadlessToolImplementation<TSchema, TOutput, TName>;
};

type MakeHeadless = <TSchema extends InteropZodObject, TName extends string>(
  fields: HeadlessToolFields<TSchema, TName>,
) => HeadlessTool<TSchema, TName>;

/**
 * LangChain's `tool`, which also takes a tool without a body: a call of it stops the run with
 * `{type: "tool", toolCall}` as the question, and what the run is resumed with is its result. For what
 * only the client can do, such as to tell where it is. The agent needs a checkpointer.
 *
 * @example
 * const add = tool(({ a, b }) => a + b, { name: "add", description: "Adds", schema: Numbers });
 * const where = tool({ name: "where", description: "Tells where the user is", schema: z.object({}) });
 */
export const tool: MakeHeadless & typeof toolOfCore = ((body: unknown, fields?: unknown) =>
  typeof body === "function"
    ? toolOfCore(body as never, fields as never)
    : headless(body as HeadlessToolFields<InteropZodObject>)) as never;

function headless(fields: HeadlessToolFields<InteropZodObject>): HeadlessTool {
  const { name, description, schema } = required(fields);
  const ask = (args: unknown, config: unknown): unknown => {
    // a page has no storage that follows calls; the agent's tools are given the node's own
    const { toolCall, interrupt: ofNode } = config as Asking;
    return (ofNode ?? interrupt)({ type: "tool", toolCall: { id: toolCall?.id, name, args } });
  };
  const metadata = { headlessTool: true };
  const made = toolOfCore(ask as never, { name, description, schema, metadata }) as unknown as HeadlessTool;
  return Object.assign(made, {
    implement: (execute: HeadlessToolImplementation["execute"]) => ({ tool: made, execute }),
  }) as HeadlessTool;
}

/** @throws GraphError INVALID_CONFIGURATION for a tool that no model could call */
function required(fields: HeadlessToolFields<InteropZodObject>): typeof fields {
  const { name, schema } = ((fields as unknown) ?? {}) as { name?: unknown; schema?: unknown };
  if (typeof name === "string" && name !== "" && typeof schema === "object" && schema !== null) return fields;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "tool() takes a function and what it is called by, or what a tool without a body is called by: {name, description, schema}.",
  );
}

type Asking = Pick<HookRuntime<unknown>, "interrupt"> & { readonly toolCall?: { readonly id?: string } };
