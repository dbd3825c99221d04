import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { toRecorded } from "@skein/context";
import { expect, it } from "vitest";
import { z } from "zod";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const now = () => 0;

const STYLES: readonly [name: string, make: () => AnyAgentMiddleware[]][] = [
  ["run loops", () => [runLoopsMiddleware({ loops: 2, characters: 40, now })]],
  [
    "summaries",
    () => [
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { messages: 10 },
        keep: { messages: 4 },
        now,
      }),
    ],
  ],
  [
    "a sliding window",
    () => [
      summarizationMiddleware({ summarize: false, trigger: { messages: 10 }, keep: { messages: 4 }, now }),
    ],
  ],
  [
    "compressed outputs",
    () => [toolOutputCompressionMiddleware({ limit: 50, keepTurns: 1, saveAtLeast: 1 })],
  ],
  ["offloaded outputs", () => [toolOutputOffloadingMiddleware({ limit: 100 })]],
];

/** A thread of questions, each answered with a tool; what is posted with a question decides the caller. */
function conversation(middleware: AnyAgentMiddleware[]) {
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    if (last.type === "tool")
      return new AIMessage(`Found for ${messages.length} messages. ${"It is long. ".repeat(9)}`);
    return new AIMessage({ content: "", tool_calls: [{ id: "c", name: "look", args: { what: last.text } }] });
  });
  const look = tool(({ what }: { what: string }) => `${what}: ${"something to be found. ".repeat(40)}`, {
    name: "look",
    description: "",
    schema: z.object({ what: z.string() }),
  });
  const agent = createAgent({ model, tools: [look], middleware, checkpointer: new MemorySaver(), now });
  return {
    post: (...messages: unknown[]) => agent.invoke({ messages } as never, thread),
    page: async () => (await agent.history(thread, { limit: 1_000 })).messages,
    said: () =>
      model.prompts.map((prompt) => prompt.map((message) => ({ ...toRecorded(message), id: undefined }))),
  };
}

it.each(STYLES)(
  "%s: a client that posts its whole page gets the very prompts of one that posts news",
  async (_, make) => {
    const whole = conversation(make());
    const news = conversation(make());
    for (let turn = 0; turn < 8; turn += 1) {
      const question = () => new HumanMessage({ id: `q${turn}`, content: `Question ${turn}` });
      await news.post(question());
      await whole.post(...(turn === 0 ? [] : await whole.page()), question());
    }
    expect(await whole.page()).toHaveLength(32);
    expect(whole.said()).toEqual(news.said());
  },
);
