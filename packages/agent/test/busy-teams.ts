import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { createAgent, type OnBusy } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

type AgentTools = NonNullable<Parameters<typeof createAgent>[0]["tools"]>;

/**
 * An agent whose tool asks another agent, which is a subgraph of its thread.
 *
 * @param question - what the other agent is asked
 * @param inner - what the other agent says
 * @param memory - whether the other agent keeps a thread of its own from call to call
 */
export function team(
  checkpointer: BaseCheckpointSaver,
  {
    question,
    inner,
    tools = [],
    memory = false,
    onBusy = "error",
    reply = "done",
  }: {
    readonly question: string;
    readonly inner: ConstructorParameters<typeof ScriptedModel>;
    readonly tools?: AgentTools;
    readonly memory?: boolean;
    readonly onBusy?: OnBusy;
    readonly reply?: string;
  },
) {
  const model = new ScriptedModel(...inner);
  const helper = createAgent({ model, tools, ...(memory ? { checkpointer: true } : {}) });
  const ask = tool(
    async ({ text }: { text: string }) => (await helper.invoke({ messages: text })).messages.at(-1)?.text,
    { name: "ask", description: "Asks", schema: z.object({ text: z.string() }) },
  );
  const agent = createAgent({
    model: new ScriptedModel(calls(["ask", { text: question }, `call of ${question}`]), reply),
    tools: [ask],
    checkpointer,
    onBusy,
  });
  return { agent, helper: model };
}

/** Texts in all checkpoints of a thread, those of its subgraphs included. */
export async function textsOf(saver: BaseCheckpointSaver, threadId: string): Promise<Set<string>> {
  const texts = new Set<string>();
  for await (const { checkpoint } of saver.list({ configurable: { thread_id: threadId } })) {
    const { messages = [] } = checkpoint.channel_values as { messages?: { text: string }[] };
    for (const { text } of messages) if (text !== "") texts.add(text);
  }
  return texts;
}
