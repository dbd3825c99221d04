import { type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromOpenAI, separateSystem, SYSTEM_POLICIES } from "../src/index.ts";
import { thread } from "./threads.ts";

const shown = (list: readonly BaseMessage[]) => list.map(({ text }) => text);

/** Texts of messages that left, those side by side together. */
function groups(all: readonly BaseMessage[], left: readonly BaseMessage[]): string[][] {
  const found: string[][] = [];
  for (const [at, message] of all.entries()) {
    if (!left.includes(message)) continue;
    if (left.includes(all[at - 1] as BaseMessage)) found.at(-1)?.push(message.text);
    else found.push([message.text]);
  }
  return found;
}

describe("system messages of imported conversations (B5)", () => {
  const conversation = fromOpenAI([
    { role: "system", content: "Be brief." },
    { role: "developer", content: "Be kind." },
    { role: "user", content: "hi" },
    { role: "system", content: "Be silent." },
    { role: "assistant", content: "ho" },
    { role: "system", content: "" },
  ]);

  it("external: they leave, side by side they are one prompt, and an empty one is none", () => {
    const { messages, prompts, systemPrompt } = separateSystem(conversation);
    expect(shown(messages)).toEqual(["hi", "ho"]);
    expect(prompts).toEqual([
      { before: 0, text: "Be brief.\n\nBe kind." },
      { before: 1, text: "Be silent." },
      { before: 2, text: "" },
    ]);
    expect(systemPrompt).toBeUndefined();
    expect(separateSystem(conversation.slice(0, 5)).systemPrompt).toBe("Be silent.");
  });
  it("keep-first: the one at the beginning stays", () => {
    const { messages, systemPrompt } = separateSystem(conversation.slice(0, 5), "keep-first");
    expect(shown(messages)).toEqual(["Be brief.", "hi", "ho"]);
    expect(systemPrompt).toBe("Be silent.");
    expect(shown(separateSystem(conversation.slice(2, 5), "keep-first").messages)).toEqual(["hi", "ho"]);
  });
  it("keep-in-place: nothing changes", () => {
    const separated = separateSystem(conversation, "keep-in-place");
    expect(separated).toEqual({ messages: conversation, prompts: [], systemPrompt: undefined });
  });
  it("refuses another policy", () =>
    expect(() => separateSystem([], "drop" as never)).toThrow(/external, keep-first, keep-in-place/u));

  it.each(SYSTEM_POLICIES)("%s: of any thread every message stays as it is or is a prompt", (policy) =>
    fc.assert(
      fc.property(thread, (messages) => {
        const { messages: kept, prompts, systemPrompt } = separateSystem(messages, policy);
        expect(kept.filter(({ type }) => type !== "system")).toEqual(
          messages.filter(({ type }) => type !== "system"),
        );
        const allowed = { external: 0, "keep-first": 1, "keep-in-place": Number.POSITIVE_INFINITY }[policy];
        expect(kept.filter(({ type }) => type === "system").length).toBeLessThanOrEqual(allowed);
        const left = messages.filter((message) => !kept.includes(message));
        expect(prompts.map(({ text }) => text).join("")).toBe(
          groups(messages, left)
            .map((texts) => texts.filter((text) => text !== "").join("\n\n"))
            .join(""),
        );
        expect(systemPrompt ?? "").toBe(prompts.at(-1)?.text ?? "");
        expect(separateSystem(kept, policy).messages).toEqual(kept);
      }),
      { numRuns: 200 },
    ),
  );
});
