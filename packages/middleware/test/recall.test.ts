import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { compactMessages, createAgent, createMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter, isRecallOutput } from "@skein/context";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { recallMiddleware, type RecallOptions } from "../src/recall/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

type Call = { name: string; args: Record<string, unknown>; id: string };

/** Hides everything before the newest user message, so that only recall can find it. */
const forgetful = createMiddleware({
  name: "forgetful",
  beforeAgent: ({ messages }) => ({
    messages: compactMessages({ remove: messages.slice(0, -1).map(({ id }) => id as string) }),
  }),
});

/** An agent whose model says what the newest user message tells it to: a text, or a call as JSON. */
function setup(options: RecallOptions = {}, middleware: readonly object[] = [forgetful]) {
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    if (last.type === "tool") return new AIMessage("Seen.");
    if (!last.text.startsWith("{")) return new AIMessage(`Noted: ${last.text.slice(0, 40)}`);
    return new AIMessage({ content: "", tool_calls: [JSON.parse(last.text) as Call] });
  });
  let read = 0;
  const agent = createAgent({
    model,
    tools: [
      tool(({ size }: { size: number }) => `output ${++read} ${"🎉 all is well. ".repeat(size)}end`, {
        name: "read",
        description: "Reads",
        schema: z.object({ size: z.number() }),
      }),
    ],
    checkpointer: new MemorySaver(),
    middleware: [...middleware, recallMiddleware(options)] as never,
  });
  const say = async (text: string, threadId = "t"): Promise<BaseMessage[]> =>
    (await agent.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id: threadId } }))[
      "messages"
    ] as BaseMessage[];
  return {
    agent,
    model,
    say,
    /** What a tool answers when it is called in a turn of its own. */
    call: async (name: string, args: Record<string, unknown>, threadId?: string) => {
      const messages = await say(JSON.stringify({ name, args, id: `call_${name}` }), threadId);
      return messages.findLast(({ type }) => type === "tool") as BaseMessage;
    },
  };
}

const text = async (message: Promise<BaseMessage>): Promise<string> => (await message).text;

describe("recall_tool_call (D5)", () => {
  it("returns the original result, also where an id was used again: all, the newest first", async () => {
    const { call } = setup();
    await call("read", { size: 1 });
    await call("read", { size: 2 });
    expect(await text(call("recall_tool_call", { call_id: "call_read" }))).toBe(
      'read({"size":2}) (1 of 2 calls with this id, newest first) returned:\noutput 2 🎉 all is well. 🎉 all is well. end\n\n' +
        'read({"size":1}) (2 of 2 calls with this id, newest first) returned:\noutput 1 🎉 all is well. end',
    );
  });
  it("says when there is none", async () => {
    const { call } = setup();
    expect(await text(call("recall_tool_call", { call_id: "call_9" }))).toBe(
      '{"error":"Tool call result not found","callId":"call_9"}',
    );
  });
  it("pages by characters, never above the cap of tokens, and the pages are the whole", async () => {
    const { call } = setup({ maxTokens: 60, hitTokens: 60 });
    const whole = (await call("read", { size: 100 })).text;
    let [offset, joined, pages] = [0, "", 0];
    for (;;) {
      const page = await text(call("recall_tool_call", { call_id: "call_read", offset }));
      const [, content = page, next] =
        /^(.*)\n\[characters \d+ to \d+ of \d+; more: offset (\d+)\]$/su.exec(page) ?? [];
      expect(createTokenCounter().text(content)).toBeLessThanOrEqual(60);
      expect(content).not.toMatch(/\p{Surrogate}/u);
      joined += content;
      pages++;
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(pages).toBeGreaterThan(5);
    expect(joined).toBe(`read({"size":100}) returned:\n${whole}`);
  });
  it("finds what was offloaded in the same turn, and what it returns is not offloaded again", async () => {
    const offloading = toolOutputOffloadingMiddleware({ limit: 100, keep: 20 });
    const { call, agent } = setup({}, [offloading]);
    const shown = (await call("read", { size: 200 })).text;
    expect(shown).toContain('kept under call id "call_read"');
    const recalled = await text(call("recall_tool_call", { call_id: "call_read" }));
    expect(recalled.length).toBeGreaterThan(200 * "🎉 all is well. ".length);
    const { messages } = (await agent.getState({ configurable: { thread_id: "t" } })).values as {
      messages: BaseMessage[];
    };
    expect(messages.find(isRecallOutput)?.text).toBe(recalled);
  });
});

describe("search_history (D6)", () => {
  it("finds what the context no longer shows, the best first, with what stands around it", async () => {
    const { say, call } = setup();
    await say("My name is Michael and I live in Seattle.");
    await say("My sister bought a yellow bicycle.");
    const found = await text(call("search_history", { query: "Where do I live?" }));
    expect(found).toContain("My name is Michael and I live in Seattle.");
    expect(found).toMatch(/^\d messages hold words of the query; the best first\.\n\n\[1\] user, \d{4}-/u);
    expect(found).toContain("  after: assistant: Noted: My name is Michael and I live in Seattl");
    // the question itself is in the turn under way
    expect(found).not.toContain("Where do I live");
  });
  it.each([
    ["我想预订五月二十日从北京到上海的航班", "北京航班"],
    ["東京都に住んでいます", "東京"],
    ["저는 서울에서 일합니다", "서울"],
  ])("finds %s", async (said, query) => {
    const { say, call } = setup();
    await say(said);
    await say("Something else.");
    expect(await text(call("search_history", { query }))).toContain(`\n${said}`);
  });
  it("pages with a cursor, each hit once", async () => {
    const { say, call } = setup({ hits: 2 });
    for (let day = 1; day <= 5; day++) await say(`On day ${day} it rained.`);
    const days: string[] = [];
    let cursor = "";
    do {
      const page = await text(call("search_history", { query: "rained", cursor }));
      days.push(...[...page.matchAll(/^On day (\d)/gmu)].map(([, day]) => day as string));
      cursor = /cursor "(\d+)"/u.exec(page)?.[1] ?? "";
    } while (cursor !== "");
    expect(days.toSorted()).toEqual(["1", "2", "3", "4", "5"]);
  });
  it("shows of a long message the part that answers, within its tokens", async () => {
    const { say, call } = setup({ hitTokens: 64 });
    const filler = "It was a quiet day and nobody came. ".repeat(60);
    await say(`${filler}The steam wand of the espresso machine is bent. ${filler}`);
    const found = await text(call("search_history", { query: "Which part of the machine is bent?" }));
    expect(found).toContain("The steam wand of the espresso machine is bent.");
    const hit = found.split("\n").find((line) => line.startsWith("[...] ")) as string;
    expect(createTokenCounter().text(hit)).toBeLessThanOrEqual(64);
  });
  it("does not find what was only recalled", async () => {
    const { say, call } = setup();
    await say("The code word is heron.");
    await call("search_history", { query: "code word" });
    const again = await text(call("search_history", { query: "heron" }));
    expect(again).toMatch(/^2 messages hold words/u);
    expect(
      again
        .match(/^\[\d\] (\w+)/gmu)
        ?.map((line) => line.slice(4))
        .toSorted(),
    ).toEqual(["assistant", "user"]);
  });
});

it("a thread reads its own history only, whatever the model asks for", async () => {
  const { say, call } = setup();
  await say("The secret of the other thread is heron.", "other");
  const args = { query: "secret heron", thread_id: "other", configurable: { thread_id: "other" } };
  expect(await text(call("search_history", args))).toBe(
    "No message holds a word of the query. Try other words.",
  );
});

it("what was recalled stays out of later summaries (D6)", async () => {
  const { say, call, agent } = setup({}, [
    summarizationMiddleware({ summarizer: "extractive", trigger: { messages: 12 }, keep: { messages: 4 } }),
  ]);
  await say("The code word is heron.");
  await call("search_history", { query: "code word" });
  for (let turn = 0; turn < 6; turn++) await say(`Turn ${turn}`);
  const { messages } = (await agent.getState({ configurable: { thread_id: "t" } })).values as {
    messages: BaseMessage[];
  };
  const summary = messages[0] as BaseMessage;
  expect(summary.text).toContain("heron");
  expect(summary.text).not.toContain("hold words of the query");
});

it("without a checkpointer the run's own messages can be recalled", async () => {
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    const tool_calls = [{ name: "search_history", args: { query: "heron" }, id: "1" }];
    return new AIMessage(last.type === "tool" ? last.text : { content: "", tool_calls });
  });
  const agent = createAgent({ model, tools: [], middleware: [recallMiddleware()] });
  const { messages } = await agent.invoke({ messages: ["I saw a heron.", "What did I see?"] });
  expect((messages as BaseMessage[]).at(-1)?.text).toContain("I saw a heron.");
});

it.each([
  ["no tokens", { maxTokens: 0 }],
  ["hits longer than a page", { maxTokens: 100, hitTokens: 200 }],
])("refuses %s", (_what, options) => {
  expect(() => recallMiddleware(options)).toThrow(expect.objectContaining({ code: "INVALID_CONFIGURATION" }));
});
