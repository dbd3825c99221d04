import { readFileSync } from "node:fs";
import path from "node:path";
import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  fromAnthropic,
  fromGrouped,
  fromJsonLines,
  fromOpenAI,
  planLoopView,
  createTokenCounter,
  countOrphans,
  repair,
  runLoops,
  separateSystem,
  toAnthropic,
  toGrouped,
  toJsonLines,
  toOpenAI,
  toolResults,
} from "../src/index.ts";

const FOLDER = process.env["SKEIN_DATA"] ?? path.resolve(import.meta.dirname, "../../../../shared/data");
const SETS = ["tau_airline", "taskmaster4", "bfcl_memory", "kdconv_zh"] as const;

const facts = (messages: readonly BaseMessage[], names = true) =>
  messages.map((one) => [
    one.type,
    one.content,
    ((one as AIMessage).tool_calls ?? []).map(({ id, name, args }) => [id, name, args]),
    (one as ToolMessage).tool_call_id,
    ...(names ? [one.name] : []),
  ]);

const parsed = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

describe.each(SETS)("%s (B8)", (name) => {
  const text = readFileSync(path.join(FOLDER, `${name}.jsonl`), "utf8");
  const threads = fromJsonLines(text);

  it("every format gives back what it was given", () => {
    let messages = 0;
    for (const thread of threads) {
      const said = facts(thread.messages);
      expect(facts(fromOpenAI(toOpenAI(thread.messages)))).toEqual(said);
      expect(facts(fromGrouped(toGrouped(thread.messages)))).toEqual(said);
      const openai = toOpenAI(thread.messages);
      expect(toOpenAI(fromOpenAI(openai))).toEqual(openai);
      const anthropic = toAnthropic(thread.messages);
      const back = fromAnthropic(anthropic);
      // names of results are those of their calls there
      expect(facts(back, false)).toEqual(facts(thread.messages, false));
      expect(toAnthropic(back)).toEqual(anthropic);
      messages += thread.messages.length;
    }
    expect(parsed(toJsonLines(threads))).toEqual(parsed(text));
    console.log(
      `${name}: ${threads.length} threads, ${messages} messages survive OpenAI, Anthropic, grouped, JSON Lines`,
    );
  });

  it("system messages leave a conversation, stay first or stay, and nothing else does (B5)", () => {
    for (const { messages } of threads) {
      const spoken = messages.filter(({ type }) => type !== "system");
      const texts = messages
        .filter(({ type, text: said }) => type === "system" && said !== "")
        .map((one) => one.text);
      const external = separateSystem(messages);
      expect(external.messages).toEqual(spoken);
      expect(external.prompts.map((prompt) => prompt.text).join("\n\n")).toBe(texts.join("\n\n"));
      const first = separateSystem(messages, "keep-first").messages;
      expect(first).toEqual(messages[0]?.type === "system" ? [messages[0], ...spoken] : spoken);
      expect(separateSystem(messages, "keep-in-place").messages).toEqual(messages);
    }
  });

  it("every prefix: loops are the list, their view is valid and keeps the loop under way (D1, D2)", () => {
    const counter = createTokenCounter();
    const rule = { loops: 2, characters: 80, maxAge: Infinity, now: 0, counter };
    for (const { id, messages } of threads) {
      for (const [at, message] of messages.entries()) message.id = `${id}:${at}`;
      for (let length = 1; length <= messages.length; length++) {
        const prefix = messages.slice(0, length);
        const { before, loops } = runLoops(prefix);
        expect(before.length + loops.reduce((sum, loop) => sum + loop.messages.length, 0)).toBe(length);
        const view = planLoopView(prefix, rule);
        const gone = new Set(view.remove);
        const by = new Map(view.replace.map((one) => [one.id, one]));
        const shown = prefix.filter((one) => !gone.has(one.id as string)).map((one) => by.get(one.id) ?? one);
        expect(countOrphans(repair(shown).messages)).toBe(0);
        expect(shown.slice(shown.length - (loops.at(-1)?.messages.length ?? 0))).toEqual(
          loops.at(-1)?.messages ?? [],
        );
        expect(new Set(toolResults(prefix).map(({ index }) => index)).size).toBe(toolResults(prefix).length);
      }
    }
  });
});
