import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  ReducedValue,
  StateSchema,
  StreamChannel,
  type StreamTransformer,
} from "@langchain/langgraph";
import type * as lc from "langchain";
import { createAgent, createMiddleware, toolStrategy } from "langchain";
import { z } from "zod";
import { add, type All, model, type Same, spell } from "./kit.ts";

const State = z.object({ user: z.string(), visits: z.number().default(0) });
const Caller = z.object({ session: z.string() });
const Counted = z.object({ rounds: z.number().default(0), _began: z.number().optional() });
const Speaker = z.object({ language: z.string().default("en") });
const Sum = z.object({ sum: z.number() });
const Seen = Annotation.Root({
  seen: Annotation<string[], string>({ reducer: (all, one) => [...all, one] }),
});
const notes = new ReducedValue(
  z.array(z.string()).default(() => []),
  { inputSchema: z.string(), reducer: (all: string[], one: string) => [...all, one] },
);
const chars = (): StreamTransformer<{ chars: StreamChannel<number> }> => ({
  init: () => ({ chars: StreamChannel.remote<number>("chars") }),
  process: () => true,
});
const counting = createMiddleware({
  name: "counting",
  stateSchema: Counted,
  contextSchema: Speaker,
  tools: [spell],
  streamTransformers: [chars],
});
const noting = createMiddleware({ name: "noting", stateSchema: new StateSchema({ notes }) });
const bare = createMiddleware({ name: "bare" });
const agent = createAgent({
  model,
  tools: [add],
  stateSchema: State,
  contextSchema: Caller,
  middleware: [counting, noting, bare],
  responseFormat: Sum,
  streamTransformers: [chars],
});
const plain = createAgent({ model });
const tooled = createAgent({ model, responseFormat: toolStrategy(Sum) });
export const made = { agent, plain, tooled, Seen };

type Agent = typeof agent;
type Plain = typeof plain;
type Counting = typeof counting;
type Spoken = { language?: string | undefined };
type Written = lc.AgentTypeConfig<
  { sum: number },
  typeof State,
  typeof Caller,
  readonly [Counting],
  readonly [typeof add],
  readonly []
>;

export type OfAgents = All<
  [
    Same<lc.InferAgentState<Agent>, { user: string; visits: number; rounds: number; notes: string[] }>,
    Same<lc.InferAgentState<Plain>, object & lc.InferAgentState<Plain>>,
    Same<lc.InferAgentContext<Agent>, { session: string } & Spoken>,
    Same<lc.InferAgentResponse<Agent>, { sum: number }>,
    Same<lc.InferAgentResponse<typeof tooled>, { sum: number }>,
    Same<lc.InferAgentResponse<Plain>, lc.ResponseFormatUndefined>,
    Same<lc.InferAgentStateSchema<Agent>, typeof State>,
    Same<lc.InferAgentStateSchema<Plain>, undefined>,
    Same<lc.InferAgentContextSchema<Agent>, typeof Caller>,
    Same<lc.InferAgentTools<Agent>[0], typeof add>,
    Same<lc.InferAgentTools<Agent>[1], typeof spell>,
    Same<lc.InferAgentMiddleware<Agent>, readonly [Counting, typeof noting, typeof bare]>,
    Same<lc.InferAgentStreamTransformers<Agent>, readonly [typeof chars, typeof chars]>,
    Same<lc.InferAgentType<Agent, "Response">, { sum: number }>,
    Same<lc.ResolveAgentTypeConfig<Agent>["State"], typeof State>,
    Same<lc.InferAgentState<Written>, { user: string; visits: number; rounds: number }>,
    Same<lc.InferAgentResponse<Written>, { sum: number }>,
    Same<lc.InferAgentTools<Written>, readonly [typeof add]>,
    Same<lc.InferAgentType<lc.DefaultAgentTypeConfig, "State">, undefined>,
    Same<lc.BuiltInState["messages"], BaseMessage[]>,
    Same<lc.UserInput<typeof State>["user"], string>,
  ]
>;

export type OfMiddleware = All<
  [
    Same<lc.InferMiddlewareState<Counting>, { rounds: number }>,
    Same<lc.InferMiddlewareInputState<Counting>, { rounds?: number | undefined }>,
    Same<lc.InferMiddlewareState<typeof noting>, { notes: string[] }>,
    Same<lc.InferMiddlewareStates<readonly [Counting, typeof noting]>, { rounds: number; notes: string[] }>,
    Same<lc.InferMiddlewareInputStates<readonly [Counting]>, { rounds?: number | undefined }>,
    Same<lc.InferMiddlewareContext<Counting>, Spoken>,
    Same<lc.InferMiddlewareContextInput<Counting>, Spoken>,
    Same<lc.InferMiddlewareContexts<readonly [Counting, typeof bare]>, Spoken>,
    Same<lc.InferMiddlewareContextInputs<readonly [Counting]>, Spoken>,
    Same<lc.InferMiddlewareSchema<Counting>, typeof Counted>,
    Same<lc.InferMiddlewareContextSchema<Counting>, typeof Speaker>,
    Same<lc.InferMiddlewareFullContext<Counting>, { language: string }>,
    Same<lc.InferMiddlewareToolsFromConfig<Counting>, readonly [typeof spell]>,
    Same<lc.InferMiddlewareStreamTransformersFromConfig<Counting>, readonly [typeof chars]>,
    Same<lc.InferMiddlewareType<Counting, "Schema">, typeof Counted>,
    Same<lc.ResolveMiddlewareTypeConfig<Counting>["Schema"], typeof Counted>,
    Same<lc.InferMiddlewareType<lc.MiddlewareTypeConfig<typeof Counted>, "Schema">, typeof Counted>,
    Same<lc.InferMergedState<readonly [Counting]>["messages"], BaseMessage[]>,
    Same<lc.InferMergedState<readonly [Counting]>["rounds"], number>,
    Same<lc.InferMergedInputState<readonly [Counting]>["rounds"], number | undefined>,
    Same<lc.InferMiddlewareTools<Counting>, readonly [typeof spell]>,
    Same<lc.InferMiddlewareToolsArray<readonly [Counting]>, readonly [typeof spell]>,
    Same<lc.InferMiddlewareStreamTransformers<Counting>, readonly [typeof chars]>,
    Same<
      lc.InferMiddlewareStreamTransformersArray<readonly [Counting, typeof bare]>,
      readonly [typeof chars]
    >,
    Same<lc.CombineTools<readonly [typeof add], readonly [Counting]>, readonly [typeof add, typeof spell]>,
    Same<lc.CombineStreamTransformers<readonly [], readonly [Counting]>, readonly [typeof chars]>,
  ]
>;

export type OfSchemas = All<
  [
    Same<lc.InferSchemaValue<typeof State>, { user: string; visits: number }>,
    Same<lc.InferSchemaInput<typeof State>, { user: string; visits?: number | undefined }>,
    Same<lc.InferSchemaValue<typeof Seen>["seen"], string[]>,
    Same<lc.InferContextInput<typeof Caller>, { session: string }>,
    Same<lc.InferChannelType<typeof State>["user"], string>,
    Same<lc.InferChannelType<typeof Seen>["seen"], string[]>,
    Same<lc.InferSchemaValueType<typeof Counted>["rounds"], number>,
    Same<lc.InferSchemaValueType<typeof Counted>["_began"], number | undefined>,
    Same<lc.InferSchemaUpdateType<typeof Counted>["rounds"], number | undefined>,
    Same<lc.NormalizedSchemaInput<typeof Counted>["messages"], BaseMessage[]>,
    Same<lc.NormalizedSchemaUpdate<typeof Counted>["rounds"], number | undefined>,
    Same<keyof lc.ToolsToMessageToolSet<readonly [typeof add, typeof spell]>, "add" | "spell">,
    Same<lc.ToolsToMessageToolSet<readonly [typeof add]>["add"]["input"], { a: number }>,
  ]
>;

/** What an agent returns, by its types. */
export const total = ({ rounds, structuredResponse }: Awaited<ReturnType<Agent["invoke"]>>): number =>
  rounds + structuredResponse.sum;
export const params: lc.CreateAgentParams<{ sum: number }, typeof State> = { model, stateSchema: State };
export const call: lc.ToolCall = { id: "1", name: "add", args: {} };
export const executed: lc.ExecutedToolCall = { name: "add", args: {}, tool_id: "1" };
export const result: lc.ToolResult = { id: "1", result: 3 };
export const target: lc.JumpTo = "tools";
export const question: lc.Interrupt<string> = { id: "1", value: "which?" };
