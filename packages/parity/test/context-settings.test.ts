import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, contextEditingMiddleware } from "@skein/middleware/context-editing";
import { recallMiddleware } from "@skein/middleware/recall";
import { runLoopsMiddleware } from "@skein/middleware/run-loops";
import { summarizationMiddleware, type CompactionEvent } from "@skein/middleware/summarization";
import { toolOutputCompressionMiddleware } from "@skein/middleware/tool-output-compression";
import { toolOutputOffloadingMiddleware } from "@skein/middleware/tool-output-offloading";
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

const OUTPUT = "row after row of data\n".repeat(40);
const history = () => [
  new HumanMessage({ id: "u1", content: "Read it" }),
  new AIMessage({ id: "c1", content: "", tool_calls: [{ id: "call_1", name: "read", args: {} }] }),
  new ToolMessage({ id: "t1", tool_call_id: "call_1", content: OUTPUT }),
  new AIMessage({ id: "a1", content: "Done" }),
  new HumanMessage({ id: "u2", content: "Thanks" }),
];
const WHOLE = ["human: Read it", "ai:  read({})", `tool: ${OUTPUT}`, "ai: Done", "human: Thanks"];

it.each([
  ["compression", () => toolOutputCompressionMiddleware({ limit: 20, keepTurns: 0, saveAtLeast: 1 })],
  ["offloading", () => toolOutputOffloadingMiddleware({ limit: 50 })],
  [
    "clearing",
    () =>
      contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 0 }, saveAtLeast: 1 })],
      }),
  ],
  ["the view of loops", () => runLoopsMiddleware({ loops: 0 })],
  ["recall", () => recallMiddleware()],
])("inside langchain's agent the switch turns %s off for one user and not for the next", async (_, make) => {
  const model = ScriptedModel.saying("one", "two", "three");
  const agent = createAgent({ model, middleware: [make() as unknown as AgentMiddleware] });
  const asked = async (enabled?: boolean) => {
    const context = enabled === undefined ? {} : { contextOptimization: { enabled } };
    const { messages, full_messages: full } = (await agent.invoke(
      { messages: history() },
      { context },
    )) as unknown as Record<"messages" | "full_messages", { text: string }[] | undefined>;
    return { prompt: model.prompts.at(-1), kept: [...(messages ?? []), ...(full ?? [])] };
  };
  const off = await asked(false);
  expect(off.prompt).toEqual({ messages: WHOLE, tools: [] });
  for (const enabled of [true, undefined]) {
    const on = await asked(enabled);
    expect(on.prompt).not.toEqual(off.prompt);
    expect(on.kept.some(({ text }) => text === OUTPUT)).toBe(true);
  }
});
