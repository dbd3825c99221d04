import { HumanMessage } from "@langchain/core/messages";
import { summarizationMiddleware, type CompactionEvent } from "@skein/middleware/summarization";
import { createAgent, type AgentMiddleware } from "langchain";
import { expect, it } from "vitest";
import { ScriptedModel } from "../src/agents/model.ts";

it("inside langchain's agent a user's switch comes with the context of a call, as in ours", async () => {
  const events: CompactionEvent[] = [];
  const middleware = summarizationMiddleware({
    summarize: false,
    trigger: { messages: 8 },
    keep: { messages: 4 },
    onEvent: (event) => events.push(event),
  });
  const agent = createAgent({
    model: new ScriptedModel({ replies: ["one", "two"], prompts: [], said: 0 }),
    middleware: [middleware as unknown as AgentMiddleware],
  });
  const messages = Array.from({ length: 9 }, (_, index) => new HumanMessage(`message ${index}`));
  await agent.invoke({ messages }, { context: { contextOptimization: { enabled: false } } });
  expect(events).toEqual([]);
  const { messages: context } = await agent.invoke({ messages });
  expect(events.map(({ type }) => type)).toEqual(["compaction-omit"]);
  expect(context).toHaveLength(5);
});
