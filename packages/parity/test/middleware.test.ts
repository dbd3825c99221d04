import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { calling } from "../src/agents/calling-programs.ts";
import { guarding } from "../src/agents/guarding-programs.ts";
import { type AgentEngine, here, there } from "../src/agents/langchains.ts";
import { ScriptedModel } from "../src/agents/model.ts";
import type { Facts, Program } from "../src/agents/programs.ts";
import { thread } from "../src/scenarios/kit.ts";

interface Runs {
  invoke(input: unknown, config: object): Promise<Record<string, unknown>>;
}

async function facts(
  program: Program,
  middleware: readonly object[],
  { make, resumed }: House,
): Promise<Facts> {
  // ids of replies differ, as a provider's do
  const model = new ScriptedModel({ replies: program.replies, prompts: [], said: 0 }, program.structured);
  const agent = make({
    model,
    tools: program.tools?.() ?? [],
    checkpointer: new MemorySaver(),
    middleware,
  });
  let state = await agent.invoke({ messages: [new HumanMessage(program.text ?? "go")] }, thread("1"));
  const [question] = (state["__interrupt__"] ?? []) as { value: unknown }[];
  if (program.resume !== undefined) state = await agent.invoke(resumed(program.resume), thread("1"));
  const lines = (state["messages"] as BaseMessage[]).map(inLine);
  return { lines, prompts: model.prompts, state, asked: question?.value };
}

function inLine(message: BaseMessage): string {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const failed = (message as { status?: unknown }).status === "error" ? "!" : "";
  return `${message.type}${failed}: ${message.text}${calls.map(({ name, args }) => ` ${name}(${JSON.stringify(args)})`).join("")}`;
}

/** An agent's house: how it makes agents and resumes them. */
interface House {
  readonly make: (options: object) => Runs;
  readonly resumed: (resume: unknown) => unknown;
}

const skein: House = {
  make: (options) => createAgent(options as Parameters<typeof createAgent>[0]) as never,
  resumed: (resume) => new Command({ resume }),
};
const langchainOf = ({ lc, lg }: AgentEngine): House => ({
  make: (options) => lc.createAgent(options) as never,
  resumed: (resume) => new lg.Command({ resume }),
});

const each = Object.entries({ ...guarding, ...calling });
const both = each.filter(([, program]) => program.theirs !== undefined);

describe.each([
  ["ours in our agent", skein],
  ["ours in langchain on LangGraph", langchainOf(there)],
  ["ours in langchain on Skein", langchainOf(here)],
])("middleware of one house under the agent of the other: %s", (_where, house) => {
  it.each(each)("%s", async (_name, program) => {
    expect.hasAssertions();
    program.expected(await facts(program, program.ours(), house));
  });
});

describe.each([
  ["theirs in our agent", skein, here],
  ["theirs in theirs, to know that the programs are right", langchainOf(there), there],
])("middleware of one house under the agent of the other: %s", (_where, house, { lc }) => {
  it.each(both)("%s", async (_name, program) => {
    expect.hasAssertions();
    program.expected(await facts(program, program.theirs?.(lc) ?? [], house));
  });
});
