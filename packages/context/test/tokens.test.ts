import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import {
  createTokenCounter,
  estimateTokens,
  estimateTokenizer,
  IMAGE_TOKENS,
  loadTiktoken,
  MESSAGE_OVERHEAD,
  textOf,
  type Tokenizer,
} from "../src/index.ts";
import { transcriptOf } from "../src/summary/transcript.ts";
import { assistant, user } from "./threads.ts";

const call = (amount: unknown) =>
  new AIMessage({ content: "", id: "a", tool_calls: [{ id: "x", name: "pay", args: { amount } }] });

/** Counts how often it is asked. */
function counting(): { tokenizer: Tokenizer; calls: () => number } {
  let calls = 0;
  const count = (text: string): number => {
    calls++;
    return estimateTokens(text);
  };
  return { tokenizer: { name: "counting", count }, calls: () => calls };
}

describe("the estimate of a text", () => {
  it.each([
    ["small words", "ab ", 96],
    ["letters beyond the seventh", "internationalization ", 304],
    ["words of capitals", "HELLO ", 126],
    ["a capital in a word begins another", "fooBar ", 191],
    ["accents", "é ", 168],
    ["groups of digits, and a space before one", "1234 ", 357],
    ["runs of spaces", "a   ", 226],
    ["lines", "a\n\n", 111],
    ["runs of signs", "a... ", 203],
    ["Chinese", "中", 83],
    ["Japanese", "か", 68],
    ["Korean", "한", 70],
    ["their punctuation", "。", 60],
    ["emoji", "😀", 200],
    ["other alphabets", "ж", 27],
  ])("%s, a hundred times: %j", (_kind, text, tokens) => {
    expect(estimateTokens(text.repeat(100))).toBe(tokens);
  });
});

describe("token counting (C10)", () => {
  it("counts tool-call names and arguments, and the overhead of message and conversation", () => {
    const counter = createTokenCounter();
    const args = { city: "Berlin", days: 3 };
    const call = new AIMessage({ content: "", tool_calls: [{ id: "x", name: "forecast", args }] });
    expect(counter.message(call)).toBe(
      MESSAGE_OVERHEAD + estimateTokens("forecast") + estimateTokens(JSON.stringify(args)),
    );
    expect(counter.messages([call])).toBe(counter.message(call) + 3);
    expect(counter.messages([])).toBe(3);
  });

  it("arguments that JSON does not know count as their digits, and are shown to who summarizes", () => {
    const counter = createTokenCounter();
    expect(counter.message(call(12345678901n))).toBe(counter.message(call("12345678901")));
    expect(transcriptOf(call(12345678901n))).toContain("12345678901");
  });

  it("null content and tool calls without arguments count as overhead, not as an error", () => {
    const counter = createTokenCounter();
    const message = new AIMessage("");
    (message as { content: unknown }).content = null;
    expect(counter.message(message)).toBe(MESSAGE_OVERHEAD);
  });

  it("an image counts as a constant, never by its base64", () => {
    const counter = createTokenCounter();
    const data = "A".repeat(200_000);
    for (const block of [
      { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      { type: "image", data, mimeType: "image/png" },
    ]) {
      expect(counter.message(new HumanMessage({ content: [block] }))).toBe(MESSAGE_OVERHEAD + IMAGE_TOKENS);
    }
    const unknown = new HumanMessage({ content: [{ type: "something", blob: data }] });
    expect(counter.message(unknown)).toBeLessThan(40);
  });

  it("reasoning counts, for it is sent again, and is no text of the message", () => {
    const content = [
      { type: "thinking", thinking: "Let me see what they want", signature: "x" },
      { type: "text", text: "Done" },
    ];
    const message = new AIMessage({ content });
    const tokens = estimateTokens("Let me see what they want") + estimateTokens("Done");
    expect(createTokenCounter().message(message)).toBe(MESSAGE_OVERHEAD + tokens);
    expect(textOf(message)).toBe("Done");
  });

  it("calls that a content repeats as blocks count once; results inside blocks count", () => {
    const counter = createTokenCounter();
    const calls = [{ id: "x", name: "find", args: { q: "yarn" } }];
    const plain = new AIMessage({ content: [{ type: "text", text: "ok" }], tool_calls: calls });
    const doubled = new AIMessage({
      content: [
        { type: "text", text: "ok" },
        { type: "tool_use", id: "x", name: "find", input: { q: "yarn" } },
      ],
      tool_calls: calls,
    });
    expect(counter.message(doubled)).toBe(counter.message(plain));
    const nested = new ToolMessage({ tool_call_id: "x", content: [{ type: "text", text: "found it here" }] });
    expect(counter.message(nested)).toBe(MESSAGE_OVERHEAD + estimateTokens("found it here"));
  });

  it("counts the schema of a tool, whatever its form, once", () => {
    const { tokenizer, calls } = counting();
    const counter = createTokenCounter({ tokenizer });
    const lookup = tool(() => "", {
      name: "lookup",
      description: "Looks up a customer by the number on the invoice",
      schema: { type: "object", properties: { number: { type: "string" } } },
    });
    const first = counter.tools([lookup]);
    expect(first).toBeGreaterThan(15);
    expect(counter.tools([lookup])).toBe(first);
    expect(calls()).toBe(1);
  });

  it("a tool whose schema has no JSON form counts by name and description", () => {
    const odd: Record<string, unknown> = { name: "odd", description: "Takes itself" };
    odd["schema"] = odd;
    expect(createTokenCounter().tools([odd])).toBe(estimateTokens("odd Takes itself"));
  });

  it("counts each message once in its life, also when the list grows or forks", () => {
    const { tokenizer, calls } = counting();
    const counter = createTokenCounter({ tokenizer });
    const list = Array.from({ length: 50 }, (_, index) => user(`message ${index}`));
    for (let length = 1; length <= 50; length++) counter.totals(list.slice(0, length));
    counter.totals([...list.slice(0, 20), assistant("a fork")]);
    counter.totals(list);
    expect(calls()).toBe(51);
  });

  it("totals are those of the list they were taken of, though another fork was counted since", () => {
    const counter = createTokenCounter();
    const base = [user("a"), user("b b"), user("c c c")];
    const totals = counter.totals(base);
    const before = [totals.tokens, totals.turns, totals.between(1, 3)];
    counter.totals([base[0] as HumanMessage, assistant("something else entirely, and longer"), user("x")]);
    counter.totals([base[0] as HumanMessage]);
    expect([totals.tokens, totals.turns, totals.between(1, 3)]).toEqual(before);
    expect(totals.tokens).toBe(base.reduce((sum, message) => sum + counter.message(message), 0));
  });

  it("notices edits: another content, more tool calls, one more block", () => {
    const counter = createTokenCounter();
    const message = new AIMessage({ content: "short", tool_calls: [] });
    const list = [user("q"), message];
    const before = counter.totals(list).tokens;
    message.content = "a much longer text than it was before";
    const longer = counter.totals(list).tokens;
    expect(longer).toBeGreaterThan(before);
    message.tool_calls?.push({ id: "x", name: "search", args: { q: "yarn" } });
    expect(counter.totals(list).tokens).toBeGreaterThan(longer);
    const blocks = new HumanMessage({ content: [{ type: "text", text: "one" }] });
    const one = counter.message(blocks);
    (blocks.content as unknown[]).push({ type: "text", text: "two" });
    expect(counter.message(blocks)).toBeGreaterThan(one);
  });

  it.each([
    ["NaN", () => Number.NaN],
    ["a promise", (async () => 3) as unknown as () => number],
    ["less than nothing", () => -1],
  ])("a count of the caller's that is %s is refused when it is made", (_what, countMessage) => {
    expect(() => createTokenCounter({ countMessage }).message(new HumanMessage("x"))).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  });

  it("takes a count of the caller's", () => {
    const counter = createTokenCounter({ countMessage: () => 10 });
    expect(counter.messages([user("x"), user("y")])).toBe(23);
  });

  it("estimate: nothing is 0, anything is at least 1, Chinese is not a quarter of its characters", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens(" ")).toBe(1);
    const chinese = "我想预订五月二十日从北京到上海的航班";
    expect(estimateTokens(chinese)).toBeGreaterThan(chinese.length * 0.6);
    expect(estimateTokens(chinese)).toBeLessThan(chinese.length * 1.1);
    expect(estimateTokenizer.name).toBe("estimate");
  });

  it("a tokenizer that is not there is an error that says what to do", async () => {
    await expect(loadTiktoken("p50k_base" as "o200k_base")).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
      message: expect.stringContaining('count with "estimate"') as string,
    });
  });

  it("js-tiktoken is exact on text and linear on runs without white space", async () => {
    const { count, name } = await loadTiktoken();
    expect(name).toBe("o200k_base");
    expect(count("")).toBe(0);
    expect(count("Hello, world!")).toBe(4);
    expect(count("<|endoftext|>")).toBeGreaterThan(1);
    // Unbounded, js-tiktoken takes minutes for this one.
    expect(count("a".repeat(40_000))).toBeGreaterThan(4_000);
  });
});
