import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { compactMessages, createAgent, createMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter, isRecallOutput } from "@skein/context";
import * as fc from "fast-check";
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
function setup(
  options: RecallOptions = {},
  middleware: readonly object[] = [forgetful],
  checkpointer = new MemorySaver(),
) {
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
    checkpointer,
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
    const { call } = setup({ maxTokens: 64, hitTokens: 60 });
    const whole = (await call("read", { size: 100 })).text;
    let [offset, joined, pages] = [0, "", 0];
    for (;;) {
      const page = await text(call("recall_tool_call", { call_id: "call_read", offset }));
      expect(createTokenCounter().text(page)).toBeLessThanOrEqual(64);
      const [, content = page, next] =
        /^(.*)\n\[characters \d+ to \d+ of \d+; more: offset (\d+)\]$/su.exec(page) ?? [];
      expect(content).not.toMatch(/\p{Surrogate}/u);
      joined += content;
      pages++;
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(pages).toBeGreaterThan(5);
    expect(joined).toBe(`read({"size":100}) returned:\n${whole}`);
    expect(await text(call("recall_tool_call", { call_id: "call_read", offset: 9_999 }))).toBe(
      `There are ${joined.length} characters; the offset is behind the last one.`,
    );
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

/** Sentences of a few words and ids as long as no provider makes them. */
const said = fc.record({
  text: fc.string({
    unit: fc.constantFrom("heron ", "so. ", "北京", "🎉", "x".repeat(40), "\n"),
    maxLength: 90,
  }),
  id: fc.constantFrom(undefined, "call_1", "a-long-id-".repeat(60)),
});
const limits = fc
  .record({
    maxTokens: fc.integer({ min: 64, max: 300 }),
    share: fc.double({ min: 0.3, max: 1, noNaN: true }),
  })
  .map(({ maxTokens, share }) => ({ maxTokens, hitTokens: Math.max(16, Math.floor(maxTokens * share)) }));
const counters = [
  createTokenCounter(),
  createTokenCounter({ tokenizer: { name: "thirds", count: (all) => Math.ceil(all.length / 3) } }),
];

it("property: all that a page holds is within its tokens, and the pages leave nothing out (D5, D6)", async () => {
  const history = fc.array(said, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(history, limits, fc.constantFrom(...counters), async (all, limit, tokenCounter) => {
      const messages = all.flatMap(({ text, id }): BaseMessage[] =>
        id === undefined
          ? [new HumanMessage(text)]
          : [
              new AIMessage({ content: "", tool_calls: [{ id, name: "look", args: {} }] }),
              new ToolMessage({ content: text, tool_call_id: id, name: "look" }),
            ],
      );
      const pages = async (name: string, first: Record<string, unknown>, next: RegExp): Promise<string[]> => {
        const texts: string[] = [];
        const model = new ScriptedModel((prompt) => {
          const last = prompt.at(-1) as BaseMessage;
          if (last.type === "tool") texts.push(last.text);
          const [, key, value] = last.type === "tool" ? (next.exec(last.text) ?? []) : [];
          if (last.type === "tool" && value === undefined) return new AIMessage("Seen.");
          const args =
            value === undefined
              ? first
              : { ...first, [key as string]: key === "offset" ? Number(value) : value };
          return new AIMessage({ content: "", tool_calls: [{ id: `r${texts.length}`, name, args }] });
        });
        const middleware = [recallMiddleware({ ...limit, tokenCounter, hits: 3 })];
        const agent = createAgent({ model, tools: [], middleware, maxIterations: 500 });
        await agent.invoke({ messages: [...messages, new HumanMessage("?")] }, { recursionLimit: 2_000 });
        for (const page of texts) expect(tokenCounter.text(page)).toBeLessThanOrEqual(limit.maxTokens);
        return texts;
      };
      const found = await pages("search_history", { query: "heron 北京 so" }, /(cursor) "(\d+)"\.$/u);
      const numbers = found.flatMap((page) =>
        [...page.matchAll(/^\[(\d+)\] /gmu)].map(([, at]) => Number(at)),
      );
      const total = Number(/^\d+/u.exec(found[0] as string)?.[0] ?? 0);
      expect(numbers).toEqual(Array.from({ length: total }, (_, at) => at + 1));
      const recalled = await pages("recall_tool_call", { call_id: "call_1" }, /more: (offset) (\d+)\]$/u);
      const joined = recalled.map((page) => page.replace(/\n\[characters[^\n]*\]$/u, "")).join("");
      const wanted = all.filter(({ id }) => id === "call_1");
      expect(wanted.filter(({ text }) => !joined.includes(text))).toEqual([]);
      await pages("recall_tool_call", { call_id: "no such id ".repeat(99) }, /$^/u);
    }),
    { numRuns: 15 },
  );
});

it("a thread reads its own history only, whatever the model asks for", async () => {
  const { say, call } = setup();
  await say("The secret of the other thread is heron.", "other");
  const args = { query: "secret heron", thread_id: "other", configurable: { thread_id: "other" } };
  expect(await text(call("search_history", args))).toBe(
    "No message holds a word of the query. Try other words.",
  );
});

it("the prompt says that there is more, and a thread that is taken up again is read from storage (D4, D5)", async () => {
  const saver = new MemorySaver();
  const before = setup({}, [forgetful], saver);
  await before.call("read", { size: 2 });
  await before.say("My name is Michael.");
  const [system] = before.model.prompts.at(-1) as BaseMessage[];
  expect(system?.type).toBe("system");
  for (const name of ["recall_tool_call", "search_history"]) expect(system?.text).toContain(`\`${name}\``);
  const { call } = setup({}, [forgetful], saver);
  expect(await text(call("recall_tool_call", { call_id: "call_read" }))).toContain("output 1 🎉");
  expect(await text(call("search_history", { query: "name Michael" }))).toContain("My name is Michael.");
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
