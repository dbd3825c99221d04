import { setTimeout as pause } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const work = tool(
  async ({ ms }) => {
    await pause(ms);
    return "worked";
  },
  { name: "work", description: "Works", schema: z.object({ ms: z.number() }) },
);

/** What a turn of `takeTurns` leaves in a thread. */
export const turnOf = (name: string): string[] => [
  `human: ${name}`,
  "ai: ",
  "tool: worked",
  `ai: ${name} is done`,
];

/** Names of the turns of a thread. */
export const askedOf = (messages: readonly string[]): string[] =>
  messages.filter((text) => text.startsWith("human: ")).map((text) => text.slice("human: ".length));

/**
 * Turns one after another that take the thread from whoever runs it, each with a call of a tool.
 *
 * @returns names of those that were answered
 */
export async function takeTurns(
  saver: BaseCheckpointSaver,
  thread: string,
  names: readonly string[],
): Promise<string[]> {
  const answered: string[] = [];
  for (const [n, name] of names.entries()) {
    const model = new ScriptedModel(calls(["work", { ms: (n * 7) % 5 }, name]), `${name} is done`);
    const agent = createAgent({ model, tools: [work], checkpointer: saver, onBusy: "rollback" });
    try {
      await agent.invoke({ messages: name }, { configurable: { thread_id: thread }, durability: "sync" });
      answered.push(name);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "THREAD_CONFLICT") throw error;
    }
  }
  return answered;
}
