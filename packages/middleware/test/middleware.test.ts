import { AIMessage, SystemMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ModelRequest, Runtime } from "@skein/agent";
import { countOrphans, isMarkedSummary } from "@skein/context";
import { describe, expect, it } from "vitest";
import { summarizationMiddleware, summarizationNode, type Placement } from "../src/summarization/index.ts";
import { append, apply, assistant, newThread, user, type Thread } from "./harness.ts";

const options = {
  summarizer: "extractive",
  trigger: { messages: 8 },
  keep: { messages: 6 },
  now: () => 0,
} as const;
const middleware = summarizationMiddleware(options);
const runtime = { context: {} };

async function beforeModel(thread: Thread): Promise<void> {
  const hook = middleware.beforeModel;
  if (typeof hook !== "function") throw new Error("no hook");
  apply(thread, (await hook(thread as never, runtime)) as never);
}

/** The request that reaches the model. */
async function sent(
  messages: BaseMessage[],
  llmType?: string,
  systemMessage = new SystemMessage("be brief"),
  placement?: Placement,
): Promise<{ messages: BaseMessage[]; systemMessage?: SystemMessage }> {
  let seen: { messages: BaseMessage[]; systemMessage?: SystemMessage } | undefined;
  const request = {
    model: llmType === undefined ? {} : { _llmType: () => llmType },
    messages,
    systemPrompt: systemMessage.text,
    systemMessage,
    tools: [],
    state: { messages },
    runtime,
  } as unknown as ModelRequest;
  const chosen = placement === undefined ? middleware : summarizationMiddleware({ ...options, placement });
  await chosen.wrapModelCall?.(request as never, async (next) => {
    seen = next as typeof request;
    return new AIMessage("ok");
  });
  if (seen === undefined) throw new Error("the model was not called");
  return seen;
}

async function compacted(): Promise<Thread> {
  const thread = newThread();
  for (let turn = 0; turn < 6; turn++) {
    append(thread, user(`Where is order O${turn}?`));
    await beforeModel(thread);
    append(thread, assistant(`Order O${turn} is on its way and arrives on day ${turn}.`));
  }
  return thread;
}

describe("summarizationMiddleware", () => {
  it("has the shape of LangChain's middleware and brings private keys", () => {
    expect(middleware.name).toBe("SummarizationMiddleware");
    const keys = Object.keys(middleware.stateSchema?.shape ?? {});
    expect(keys.filter((key) => !key.startsWith("_"))).toEqual(["full_messages"]);
    expect(middleware.stateSchema?.parse({})).toEqual({
      _summary: [],
      _summaryStatus: null,
      _summaryAhead: null,
      _omitted: null,
      full_messages: [],
      _contextConfigurations: null,
    });
  });

  it("compacts before the model, and changes nothing when nothing is due", async () => {
    const thread = await compacted();
    expect(isMarkedSummary(thread.messages[0] as BaseMessage)).toBe(true);
    expect(thread._summary?.length).toBeGreaterThan(0);
    const hook = middleware.beforeModel as (state: unknown, runtime: Runtime) => Promise<unknown>;
    expect(
      await hook({ messages: thread.messages.slice(0, 3), _summary: thread._summary }, runtime),
    ).toBeUndefined();
  });

  it("never sends an orphan: dangling calls are answered, strays left out, the state untouched (C4)", async () => {
    const messages = [
      new ToolMessage({ content: "stray", tool_call_id: "gone", id: "t0" }),
      user("hi"),
      new AIMessage({ content: "", id: "a", tool_calls: [{ id: "x", name: "f", args: {} }] }),
      user("never mind"),
    ];
    const before = [...messages];
    const { messages: prompt } = await sent(messages);
    expect(prompt.map((message) => message.type)).toEqual(["human", "ai", "tool", "human"]);
    expect(countOrphans(prompt)).toBe(0);
    expect(messages).toEqual(before);
  });

  it("a valid prompt goes through as it is", async () => {
    const { messages } = await compacted();
    expect((await sent(messages, "openai")).messages).toBe(messages);
  });

  it("where a provider takes one system message, the summary joins the system prompt (C9)", async () => {
    const [summary] = (await compacted()).messages as [BaseMessage];
    const messages = [new SystemMessage("imported"), summary, user("next"), assistant("yes")];
    const { messages: prompt, systemMessage } = await sent(messages, "anthropic");
    expect(prompt).toEqual(messages.slice(2));
    expect(systemMessage?.content).toMatch(/^be brief\n\nimported\n\n<conversation_summary>\n/u);
  });

  it("placement `prompt` puts it at the end of the system prompt, for any provider (C9)", async () => {
    const messages = (await compacted()).messages;
    const imported = [new SystemMessage("imported"), ...messages];
    const { messages: prompt, systemMessage } = await sent(imported, "openai", undefined, "prompt");
    expect(prompt).toEqual([imported[0], ...messages.slice(1)]);
    expect(systemMessage?.content).toMatch(/^be brief\n\n<conversation_summary>\n/u);
    expect((await sent(messages.slice(1), "openai", undefined, "prompt")).messages).toEqual(
      messages.slice(1),
    );
  });

  it("a placement that there is not, and a node that is to change the system prompt, are refused", () => {
    const base = { summarizer: "extractive", trigger: { messages: 30 } } as const;
    expect(() => summarizationMiddleware({ ...base, placement: "top" as "user" })).toThrow(/placement/u);
    expect(() => summarizationNode({ ...base, placement: "prompt" })).toThrow(/does not see/u);
  });

  it("a cache mark on the system prompt survives that", async () => {
    const { messages } = await compacted();
    const block = { type: "text", text: "be brief", cache_control: { type: "ephemeral" } };
    const prompt = new SystemMessage({ content: [block] });
    const opened = [messages[0] as BaseMessage, user("next")];
    const { systemMessage } = await sent(opened, "anthropic", prompt);
    expect(systemMessage?.content).toEqual([
      block,
      { type: "text", text: expect.stringContaining("<conversation_summary>") as string },
    ]);
  });

  it("where such a provider would see an assistant message first, the summary is the user's (C4, C9)", async () => {
    const { messages } = await compacted();
    expect(messages[1]?.type).toBe("ai");
    const { messages: prompt, systemMessage } = await sent(messages, "google");
    expect(prompt.map((message) => message.type)).toEqual([
      "human",
      ...messages.slice(1).map(({ type }) => type),
    ]);
    expect(prompt[0]?.content).toBe(messages[0]?.content);
    expect(systemMessage?.content).toBe("be brief");
  });
});
