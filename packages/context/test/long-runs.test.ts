import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { createTokenCounter, extractiveSummarizer, frameText } from "../src/index.ts";

/** What a search that begins anew at each character would look at a hundred thousand million times. */
const LENGTH = 300_000;
const RUNS = ["x", "a.", "a/", "a@", "-", ".", "1,", " ", "? ", "\n", "漢。", "< ", "www."];

it.each(RUNS)("a text of %j without end is summarized as soon as any other of its length", async (run) => {
  const text = run.repeat(LENGTH / run.length);
  const summarize = extractiveSummarizer(createTokenCounter());
  const messages = [
    new HumanMessage({ id: "1", content: "Which file is it?" }),
    new AIMessage({ id: "2", content: "", tool_calls: [{ id: "c", name: "read", args: { text } }] }),
    new ToolMessage({ id: "3", tool_call_id: "c", name: "read", content: text }),
    new AIMessage({ id: "4", content: text }),
  ];
  const summary = await summarize({ messages, maxTokens: 300 });
  expect(summary).toContain("Which file is it?");
  expect(createTokenCounter().text(summary)).toBeLessThanOrEqual(300);
});

it("a tag that is opened before a run of blanks is none", () => {
  const text = `<${" ".repeat(LENGTH)}x < / message> <${" ".repeat(20)}/${" ".repeat(20)}tool_call>`;
  expect(frameText(text)).toContain(`<${" ".repeat(LENGTH)}x`);
  expect(frameText(text)).not.toContain("< / message>");
});
