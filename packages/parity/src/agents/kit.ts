import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { Call } from "./model.ts";

export const says = (text: string, id = text): { messages: HumanMessage[] } => ({
  messages: [new HumanMessage({ id, content: text })],
});

export const call = (name: string, args: Record<string, unknown>, id = `call-${name}`): Call => ({
  name,
  args,
  id,
});

/** What a tool gets beside its input. */
export type Runtime = LangGraphRunnableConfig<{ user: string }> & {
  readonly state: unknown;
  readonly toolCall: { readonly id: string };
};

/** A tool of one text that reads what else it is given. */
export function looking(name: string, look: (text: string, runtime: Runtime) => unknown) {
  const schema = z.object({ text: z.string().default("") });
  // langchain's type of the second argument has neither state nor store
  const run = ({ text }: { text: string }, runtime: unknown) => look(text, runtime as Runtime);
  return tool(run as (input: { text: string }) => unknown, { name, description: name, schema });
}

/** With an id of its own: ids that engines make up stand in a saved write only here. */
const result = (content: string, { toolCall }: { toolCall?: { id?: string } }): ToolMessage =>
  new ToolMessage({ id: `result of ${toolCall?.id}`, content, tool_call_id: toolCall?.id ?? "" });

/** Adds two numbers. */
export const add = tool(({ a, b }, config) => result(String(a + b), config), {
  name: "add",
  description: "Adds two numbers",
  schema: z.object({ a: z.number(), b: z.number() }),
});

/** Says a text back. */
export const echo = tool(({ text }, config) => result(`echo: ${text}`, config), {
  name: "echo",
  description: "Says a text back",
  schema: z.object({ text: z.string() }),
});

/** Fails as often as told, then works. */
export function flaky(failures: number) {
  let left = failures;
  return tool(
    () => {
      left -= 1;
      if (left >= 0) throw new Error("user: flaky");
      return "worked";
    },
    { name: "flaky", description: "Fails at first", schema: z.object({}) },
  );
}
