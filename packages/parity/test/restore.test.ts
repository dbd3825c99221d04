import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { fullMessages } from "@skein/agent";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import { createAgent, type AgentMiddleware } from "langchain";
import { expect, it } from "vitest";
import { ScriptedModel } from "../src/agents/model.ts";

const thread = { configurable: { thread_id: "t" } };

function setup() {
  const checkpointer = new MemorySaver();
  const script = {
    replies: Array.from({ length: 12 }, (_, n) => `Noted, answer ${n}.`),
    prompts: [],
    said: 0,
  };
  const agentOf = (trigger: number, keep: number, restore?: "exact") => {
    const middleware = summarizationMiddleware({
      summarizer: "extractive",
      trigger: { messages: trigger },
      keep: { messages: keep },
      ...(restore === undefined ? {} : { restore }),
    });
    return createAgent({
      model: new ScriptedModel(script),
      middleware: [middleware as unknown as AgentMiddleware],
      checkpointer,
    });
  };
  return {
    agentOf,
    say: async (agent: ReturnType<typeof agentOf>, n: number) => {
      const { messages } = await agent.invoke({ messages: [new HumanMessage(`question ${n}`)] }, thread);
      return messages.slice(0, -1).flatMap(({ text }) => (/^question \d+$/u.test(text) ? [text] : []));
    },
  };
}

const questions = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `question ${from + at}`);

it("inside langchain's agent a context is rebuilt where it was configured anew, or taken exactly (B6)", async () => {
  const { agentOf, say } = setup();
  for (let n = 0; n < 8; n += 1) await say(agentOf(6, 4), n);
  const saved = await say(agentOf(6, 4), 8);
  expect(saved.length).toBeLessThan(4);
  const agent = agentOf(40, 20);
  expect(await say(agentOf(40, 20, "exact"), 9)).toEqual([...saved, "question 9"]);
  expect(await say(agentOf(41, 20), 10)).toEqual(questions(0, 10));
  expect(await say(agentOf(8, 6), 11)).toEqual(questions(9, 11));
  const { values } = await agent.getState(thread);
  expect(fullMessages(values).filter(({ type }) => type === "human")).toHaveLength(12);
});

it("inside langchain's agent an edit of what a summary covers survives a rebuilt context (B4, B6)", async () => {
  const { agentOf, say } = setup();
  for (let n = 0; n < 8; n += 1) await say(agentOf(6, 4), n);
  const { values: before } = await agentOf(6, 4).getState(thread);
  const covered = fullMessages(before).find(({ text }) => text === "question 1");
  const edited = new HumanMessage({ id: covered?.id as string, content: "question 99" });
  await agentOf(40, 20).invoke({ messages: [edited] }, thread);
  const { values } = await agentOf(40, 20).getState(thread);
  const asked = fullMessages(values).flatMap(({ type, text }) => (type === "human" ? [text] : []));
  expect(asked).toEqual(["question 0", "question 99", ...questions(2, 7)]);
});
