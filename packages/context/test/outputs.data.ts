import { readFileSync } from "node:fs";
import path from "node:path";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  countOrphans,
  createTokenCounter,
  fromJsonLines,
  planClearing,
  planCompression,
  planOffloading,
  shortenedMark,
  type Shortened,
} from "../src/index.ts";

const FOLDER = process.env["SKEIN_DATA"] ?? path.resolve(import.meta.dirname, "../../../../shared/data");
const SETS = ["tau_airline", "taskmaster4"] as const;

const counter = createTokenCounter();
const memo = new WeakMap<BaseMessage, ToolMessage | null>();
const PLANS: Readonly<Record<string, (messages: readonly BaseMessage[]) => Shortened>> = {
  "compression above 200 tokens, five turns kept": (messages) =>
    planCompression(messages, { limit: 200, keepTurns: 5, saveAtLeast: 2_000, counter, memo }),
  "offloading above 400 tokens": (messages) => planOffloading(messages, { limit: 400, keep: 100, counter }),
  "clearing above 4,000 tokens": (messages) =>
    counter.messages(messages) < 4_000
      ? { replace: [], savedTokens: 0 }
      : planClearing(messages, {
          keep: { messages: 3 },
          placeholder: "[cleared]",
          clearToolInputs: false,
          saveAtLeast: 1_000,
          counter,
        }),
};

/** A thread as it grows, message by message, its context shortened before each call of the model. */
function grow(messages: readonly BaseMessage[], plan: (messages: readonly BaseMessage[]) => Shortened) {
  let context: BaseMessage[] = [];
  let [edits, saved] = [0, 0];
  for (const message of messages) {
    context.push(message);
    if (message.type === "ai") continue;
    const before = context;
    const { replace, savedTokens } = plan(context);
    if (replace.length === 0) continue;
    const by = new Map(replace.map((one) => [one.id, one]));
    context = context.map((one) => by.get(one.id) ?? one);
    edits++;
    saved += savedTokens;
    expect(countOrphans(context)).toBe(countOrphans(before));
    // nothing that stands shortened is taken back, and nothing is shortened twice
    const changed = before.filter((one, at) => shortenedMark(one) !== undefined && context[at] !== one);
    expect(changed).toEqual([]);
  }
  return { context, edits, saved };
}

describe.each(SETS)("%s: shortening tool outputs (C12, C13)", (name) => {
  const threads = fromJsonLines(readFileSync(path.join(FOLDER, `${name}.jsonl`), "utf8"));
  for (const { id, messages } of threads)
    for (const [at, message] of messages.entries()) message.id = `${id}:${at}`;
  const joined = threads.flatMap(({ messages }) => messages).slice(0, 1_500);

  it.each(Object.entries(PLANS))("%s: each thread and all joined", (what, plan) => {
    for (const messages of [...threads.map((thread) => thread.messages), joined]) {
      const { context, edits, saved } = grow(messages, plan);
      expect(context.map(({ id, type }) => [id, type])).toEqual(messages.map(({ id, type }) => [id, type]));
      expect(counter.messages(context)).toBe(counter.messages(messages) - saved);
      expect(messages.filter((message) => shortenedMark(message) !== undefined)).toEqual([]);
      if (messages !== joined) continue;
      console.log(
        `${name} joined, ${what}: ${counter.messages(messages)} -> ${counter.messages(context)} tokens in ${edits} edits of ${messages.length} messages`,
      );
    }
  });
});
