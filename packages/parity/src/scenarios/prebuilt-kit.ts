import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { type Call, ScriptedModel } from "../agents/model.ts";
import type { Recorder } from "../recorder.ts";
import { late } from "./kit.ts";

export const call = (name: string, args: Record<string, unknown> = {}, id = `call-${name}`): Call => ({
  name,
  args,
  id,
});
export const asking = (...calls: readonly Call[]): AIMessage =>
  new AIMessage({
    id: "asking",
    content: "",
    tool_calls: calls.map((one) => ({ ...one, type: "tool_call" as const })),
  });

export const add = tool(({ a, b }) => `${a + b}`, {
  name: "add",
  description: "adds",
  schema: z.object({ a: z.number(), b: z.number() }),
});
export const report = tool(() => ({ ok: true, list: [1, null] }), {
  name: "report",
  description: "reports",
  schema: z.object({}),
});
export const broken = tool(
  () => {
    throw new Error("user: broken");
  },
  { name: "broken", description: "breaks", schema: z.object({}) },
);
export const slow = tool(
  async ({ ms }) => {
    await late(ms);
    return `after ${ms}`;
  },
  { name: "slow", description: "waits", schema: z.object({ ms: z.number() }) },
);

export const question = (text = "go"): { messages: HumanMessage[] } => ({
  messages: [new HumanMessage({ id: "question", content: text })],
});

export const answer = (id: string) => new ToolMessage({ id: `answer-${id}`, content: "?", tool_call_id: id });

export interface Streams {
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
}

/** What each step wrote; messages by what they say, because ids are made anew. */
export async function updates(
  t: Recorder,
  graph: Streams,
  input: unknown,
  config: object = {},
): Promise<void> {
  const seen: unknown[] = [];
  for await (const chunk of await graph.stream(input, { ...config, streamMode: "updates" })) {
    seen.push(
      Object.entries(chunk as Record<string, unknown>).map(([node, update]) => [node, spoken(update)]),
    );
  }
  t.note("updates", seen);
}

export function spoken(update: unknown): unknown {
  if (Array.isArray(update)) return update.map(spoken);
  if (typeof update !== "object" || update === null || !("messages" in update)) return update;
  const messages = (update as { messages: BaseMessage[] }).messages.map(said);
  return { ...update, messages };
}

export const said = (message: BaseMessage): unknown => [
  message.type,
  message.name,
  message.content,
  AIMessage.isInstance(message) ? message.tool_calls : undefined,
  ToolMessage.isInstance(message) ? [message.tool_call_id, message.status] : undefined,
];

/** Runs an agent and notes its messages, other keys, and what the model was asked. */
export async function talk(
  t: Recorder,
  agent: { invoke(input: never, config?: object): Promise<unknown> },
  model: ScriptedModel,
  config: object = {},
  input: object = question(),
): Promise<void> {
  const { messages, ...rest } = (await agent.invoke(input as never, config)) as { messages: BaseMessage[] };
  t.note("messages", messages.map(said));
  t.note("rest", rest);
  t.note("prompts", model.prompts);
}

export const oneCall = () => ScriptedModel.saying([call("add", { a: 1, b: 2 })], "three");

export const greeting = (state: { messages: BaseMessage[] }) => [
  new SystemMessage(`user is ${(state as unknown as { user: string }).user}`),
  ...state.messages,
];

export const refuse = (state: { messages: BaseMessage[] }) => {
  const last = state.messages.at(-1);
  if (!AIMessage.isInstance(last) || last.tool_calls?.length !== 1) return {};
  return { messages: [new ToolMessage({ id: "refused", content: "refused", tool_call_id: "no" })] };
};

export const bound = (...names: string[]) => {
  const tools = names.map((name) => ({ type: "function", function: { name, parameters: {} } }));
  return ScriptedModel.saying("hello").withConfig({ tools } as never) as never;
};
