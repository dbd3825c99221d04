import * as ours from "@skein/middleware";
import { expect } from "vitest";
import { call, flaky, looking } from "./kit.ts";
import { ScriptedModel } from "./model.ts";
import type { Program } from "./programs.ts";

const atOnce = { initialDelayMs: 0, jitter: false };
const busy = new Error("user: busy");
const look = () => [looking("look", () => "looked"), looking("find", () => "found")];
const broken = () => [
  looking("look", () => {
    throw new Error("user: broken");
  }),
];
const looks = [call("look", {}, "c1")];
const inWords = (error: Error): string => `in words: ${error.message}`;
const isBroken = (error: Error): boolean => error.message.includes("broken");
const TYPES = ["email", "credit_card", "ip", "mac_address", "url"];
const MASKED = ["email", "credit_card", "ip"];
const masked = { strategy: "mask" as const };
const key = { ...masked, detector: /KEY-\d+/g };
const resultsOnly = { applyToInput: false, applyToToolResults: true };

export const calling: Readonly<Record<string, Program>> = {
  "model retry": {
    replies: [busy, "fine"],
    ours: () => [ours.modelRetryMiddleware(atOnce)],
    theirs: (lc) => [lc.modelRetryMiddleware(atOnce)],
    expected: ({ lines }) => expect(lines).toEqual(["human: go", "ai: fine"]),
  },
  "tool retry": {
    replies: [[call("flaky", {}, "c1")], "done"],
    tools: () => [flaky(2)],
    ours: () => [ours.toolRetryMiddleware(atOnce)],
    theirs: (lc) => [lc.toolRetryMiddleware(atOnce)],
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  flaky({})", "tool: worked", "ai: done"]),
  },
  "tool retry: a tool's question is no failure": {
    replies: [looks, "done"],
    tools: () => [looking("look", (_text, { interrupt }) => `looked ${String(interrupt?.("where?"))}`)],
    ours: () => [ours.toolRetryMiddleware(atOnce)],
    resume: "there",
    expected: ({ asked, lines }) => {
      expect(asked).toBe("where?");
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool: looked there", "ai: done"]);
    },
  },
  "model fallback": {
    replies: [busy],
    ours: () => [ours.modelFallbackMiddleware(ScriptedModel.saying(busy), ScriptedModel.saying("third"))],
    theirs: (lc) => [lc.modelFallbackMiddleware(ScriptedModel.saying(busy), ScriptedModel.saying("third"))],
    expected: ({ lines }) => expect(lines).toEqual(["human: go", "ai: third"]),
  },
  PII: {
    replies: ["bob@example.com"],
    text: "I am ann@example.com",
    ours: () => [
      ours.piiMiddleware("email", { strategy: "mask", applyToOutput: true }),
      ours.piiMiddleware("credit_card"),
    ],
    theirs: (lc) => [
      lc.piiMiddleware("email", { strategy: "mask", applyToOutput: true }),
      lc.piiMiddleware("credit_card", {}),
    ],
    expected: ({ lines, prompts }) => {
      expect(prompts[0]?.messages).toEqual(["human: I am a***@example.com"]);
      expect(lines).toEqual(["human: I am a***@example.com", "ai: b***@example.com"]);
    },
  },
  "to-do list": {
    replies: [[call("write_todos", { todos: [{ content: "x", status: "pending" }] }, "c1")], "done"],
    ours: () => [ours.todoListMiddleware()],
    theirs: (lc) => [lc.todoListMiddleware()],
    expected: ({ state, prompts, lines }) => {
      expect(state["todos"]).toEqual([{ content: "x", status: "pending" }]);
      expect(prompts[0]?.tools).toEqual(["write_todos"]);
      expect(prompts[0]?.messages[0]).toContain("write_todos");
      expect(lines.at(-1)).toBe("ai: done");
    },
  },
  "tool selector": {
    replies: ["done"],
    tools: look,
    structured: { tools: ["find"] },
    ours: () => [ours.llmToolSelectorMiddleware({ maxTools: 1 })],
    theirs: (lc) => [lc.llmToolSelectorMiddleware({ maxTools: 1 })],
    expected: ({ prompts }) => expect(prompts.map(({ tools }) => tools)).toEqual([["find"]]),
  },
  "dynamic system prompt": {
    replies: ["done"],
    ours: () => [ours.dynamicSystemPromptMiddleware(({ messages }) => `${messages.length} said`)],
    theirs: (lc) => [lc.dynamicSystemPromptMiddleware(({ messages }) => `${messages.length} said`)],
    expected: ({ prompts }) => expect(prompts[0]?.messages).toEqual(["system: 1 said", "human: go"]),
  },
  "tool emulator": {
    replies: [looks, "done"],
    tools: broken,
    ours: () => [ours.toolEmulatorMiddleware({ model: ScriptedModel.saying("made up") })],
    theirs: (lc) => [lc.toolEmulatorMiddleware({ model: ScriptedModel.saying("made up") })],
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool: made up", "ai: done"]),
  },
  "model retry: a class of errors that is not meant, and words of one's own": {
    replies: [busy, "never"],
    ours: () => [ours.modelRetryMiddleware({ ...atOnce, retryOn: [TypeError], onFailure: inWords })],
    theirs: (lc) => [lc.modelRetryMiddleware({ ...atOnce, retryOn: [TypeError], onFailure: inWords })],
    expected: ({ lines, prompts }) => {
      expect(prompts).toHaveLength(1);
      expect(lines).toEqual(["human: go", "ai: in words: user: busy"]);
    },
  },
  "model retry: two attempts after the first by default, then a message": {
    replies: [busy, busy, busy, "never"],
    ours: () => [ours.modelRetryMiddleware(atOnce)],
    theirs: (lc) => [lc.modelRetryMiddleware(atOnce)],
    expected: ({ lines, prompts }) => {
      expect(prompts).toHaveLength(3);
      expect(lines.at(-1)).toMatch(/^ai: .*3.*user: busy/u);
    },
  },
  "tool retry: only the tools that are named, by a test, with words of one's own": {
    replies: [[call("look", {}, "c1")], "done"],
    tools: broken,
    ours: () => [
      ours.toolRetryMiddleware({ ...atOnce, tools: ["look"], retryOn: isBroken, onFailure: inWords }),
    ],
    theirs: (lc) => [
      lc.toolRetryMiddleware({ ...atOnce, tools: ["look"], retryOn: isBroken, onFailure: inWords }),
    ],
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool!: in words: user: broken", "ai: done"]),
  },
  "PII: every type, redacted": {
    replies: ["done"],
    text: "ann@example.com 4242 4242 4242 4242 10.0.0.1 00:1B:44:11:3A:B7 https://example.com/a?b=c",
    ours: () => TYPES.map((type) => ours.piiMiddleware(type)),
    theirs: (lc) => TYPES.map((type) => lc.piiMiddleware(type, {})),
    expected: ({ prompts }) =>
      expect(prompts[0]?.messages).toEqual([
        "human: [REDACTED_EMAIL] [REDACTED_CREDIT_CARD] [REDACTED_IP] [REDACTED_MAC_ADDRESS] [REDACTED_URL]",
      ]),
  },
  "PII: masks": {
    replies: ["done"],
    text: "ann@example.com 4242-4242-4242-4242 10.20.30.40 KEY-12345678",
    ours: () => [...MASKED.map((type) => ours.piiMiddleware(type, masked)), ours.piiMiddleware("key", key)],
    theirs: (lc) => [...MASKED.map((type) => lc.piiMiddleware(type, masked)), lc.piiMiddleware("key", key)],
    expected: ({ prompts }) =>
      expect(prompts[0]?.messages).toEqual([
        "human: a***@example.com ****-****-****-4242 *******0.40 ********5678",
      ]),
  },
  "PII: results of tools, and not the input": {
    replies: [looks, "done"],
    text: "I am ann@example.com",
    tools: () => [looking("look", () => "bob@example.com")],
    ours: () => [ours.piiMiddleware("email", resultsOnly)],
    theirs: (lc) => [lc.piiMiddleware("email", resultsOnly)],
    expected: ({ lines, prompts }) => {
      expect(prompts[1]?.messages).toEqual([
        "human: I am ann@example.com",
        "ai:  look({})",
        "tool: [REDACTED_EMAIL]",
      ]);
      expect(lines[2]).toBe("tool: [REDACTED_EMAIL]");
    },
  },
  "to-do list: texts of one's own": {
    replies: ["done"],
    ours: () => [ours.todoListMiddleware({ systemPrompt: "Plan.", toolDescription: "Lists." })],
    theirs: (lc) => [lc.todoListMiddleware({ systemPrompt: "Plan.", toolDescription: "Lists." })],
    expected: ({ prompts }) => expect(prompts[0]?.messages[0]).toMatch(/^system: \s*Plan\.$/u),
  },
  "tool selector: what is always offered is not asked about": {
    replies: ["done"],
    tools: () => [...look(), looking("help", () => "helped")],
    structured: { tools: ["find", "look"] },
    ours: () => [ours.llmToolSelectorMiddleware({ maxTools: 1, alwaysInclude: ["help"] })],
    theirs: (lc) => [lc.llmToolSelectorMiddleware({ maxTools: 1, alwaysInclude: ["help"] })],
    expected: ({ prompts }) => expect(prompts.map(({ tools }) => tools)).toEqual([["find", "help"]]),
  },
  "tool emulator: only the tools that are named": {
    replies: [[call("look", {}, "c1"), call("find", {}, "c2")], "done"],
    tools: look,
    ours: () => [ours.toolEmulatorMiddleware({ tools: ["look"], model: ScriptedModel.saying("made up") })],
    theirs: (lc) => [lc.toolEmulatorMiddleware({ tools: ["look"], model: ScriptedModel.saying("made up") })],
    expected: ({ lines }) => expect(lines.slice(2, 4)).toEqual(["tool: made up", "tool: found"]),
  },
};
