import { ToolMessage } from "@langchain/core/messages";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { Command, interrupt } from "@skein/graph";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { cancelled, said } from "./said.ts";
import { SAVERS } from "./savers.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const fields = { description: "", schema: z.object({}) };
const QUESTIONS = ["pay", "never mind", "and now?"];

it.each(SAVERS)(
  "an agent that is the memory of another one loses no result of calls that have ended, %s",
  async (_, make) => {
    const ran: string[] = [];
    const charge = tool(
      (_: unknown, { toolCallId }: ToolRuntime) => {
        ran.push("charge");
        const result = new ToolMessage({ content: "receipt 4711", tool_call_id: toolCallId });
        return new Command({ update: { paid: ran.length, messages: [result] } });
      },
      { name: "charge", ...fields },
    );
    const ask = tool(() => `answer ${String(interrupt("sure?"))}`, { name: "ask", ...fields });
    const model = new ScriptedModel(calls(["charge", {}, "c"], ["ask", {}, "a"]), "after", "later");
    const stateSchema = z.object({ paid: z.number().optional() });
    const clerk = createAgent({ model, tools: [charge, ask], stateSchema, checkpointer: true });
    const paid: unknown[] = [];
    const consult = tool(
      async ({ q }: { q: string }, runtime: ToolRuntime) => {
        const { messages, ...state } = await clerk.invoke({ messages: q }, runtime as never);
        paid.push(state.paid);
        return messages.at(-1)?.text ?? "";
      },
      { name: "consult", description: "", schema: z.object({ q: z.string() }) },
    );
    const asks = QUESTIONS.map((q) => calls(["consult", { q }, q]));
    const asking = new ScriptedModel(...asks.flatMap((ask, at) => (at === 0 ? [ask] : [ask, "so it is"])));
    const agent = createAgent({ model: asking, tools: [consult], checkpointer: make() });
    for (const q of QUESTIONS) await agent.invoke({ messages: q }, thread);
    const told = ["pay", "", "c: receipt 4711", cancelled, "never mind"];
    expect(said(model.sent[1] ?? [])).toEqual(told);
    expect(said(model.sent[2] ?? [])).toEqual([...told, "after", "and now?"]);
    expect([ran, paid]).toEqual([["charge"], [1, 1]]);
  },
);
