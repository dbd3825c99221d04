import { AIMessage, type BaseMessage, type MessageContent } from "@langchain/core/messages";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { withCalls, withContent, withKwargs } from "../src/shared/messages.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const TURNS = 20;

describe("the history keeps every reply of a server that gives few ids", () => {
  const summarizing = { summarizer: "extractive", trigger: { messages: 6 }, keep: { messages: 2 } } as const;
  const CASES: readonly [string, () => AnyAgentMiddleware][] = [
    ["summaries", () => summarizationMiddleware(summarizing)],
    ["run loops", () => runLoopsMiddleware({ loops: 2 })],
  ];
  it.each(CASES)("%s", async (_, make) => {
    const replies = Array.from(
      { length: TURNS },
      (_line, n) => new AIMessage({ id: `chatcmpl-${(n * 5) % 8}`, content: `Reply ${n}` }),
    );
    let told = 0;
    const model = new ScriptedModel(() => replies[told++] as AIMessage);
    const agent = createAgent({ model, tools: [], middleware: [make()], checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "t" } };
    for (let turn = 0; turn < TURNS; turn += 1) await agent.invoke({ messages: `Question ${turn}` }, thread);
    const said = (await agent.history(thread)).messages.map((message: BaseMessage) => message.text);
    expect(said).toEqual(replies.flatMap((_reply, n) => [`Question ${n}`, `Reply ${n}`]));
  });
});

const block = (id: string, name: string) => ({ type: "tool_call", id, name, args: {} });

const call = (id: string, name: string) => ({ type: "tool_call" as const, id, name, args: {} });

/** Its content tells of a call that its list has not, or not any more. */
const make = () => {
  const content = [{ type: "text", text: "I pay." }, block("a", "pay"), block("b", "mail")];
  const message = new AIMessage({
    content: content as unknown as MessageContent,
    response_metadata: { output_version: "v1" },
  });
  message.tool_calls = [call("a", "pay")];
  return message;
};

describe("copies of messages in LangChain's standard form", () => {
  it.each([
    ["with more kwargs", (message: AIMessage) => withKwargs(message, { seen: true })],
    ["with its content", (message: AIMessage) => withContent(message, message.content)],
    ["with another call", (message: AIMessage) => withCalls(message, [call("a", "transfer")])],
  ])("have the calls of the list, and no others: %s", (_, copy) => {
    const message = make();
    const { tool_calls, content } = copy(message) as AIMessage;
    expect(tool_calls?.map(({ id }) => id)).toEqual(["a"]);
    const blocks = (content as { type: string; id?: string; name?: string }[]).filter(
      ({ type }) => type === "tool_call",
    );
    expect(blocks.map(({ id, name }) => [id, name])).toEqual([["a", tool_calls?.[0]?.name]]);
    expect(message.content).toHaveLength(3);
  });
});
