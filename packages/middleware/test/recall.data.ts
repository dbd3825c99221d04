import { readFileSync } from "node:fs";
import path from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter, fromRecorded } from "@skein/context";
import { expect, it } from "vitest";
import { recallMiddleware } from "../src/recall/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const FOLDER = process.env["SKEIN_DATA"] ?? path.resolve(import.meta.dirname, "../../../../shared/data");
const linesOf = (name: string): string[] =>
  readFileSync(path.join(FOLDER, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "");

interface Question {
  readonly question: string;
  readonly answers: readonly string[];
}
const QUESTIONS = linesOf("bfcl_memory_questions").map((line) => JSON.parse(line) as Question);
const THREADS = linesOf("bfcl_memory").map((line) => fromRecorded(line));

const plain = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

/** Some questions want a time as "06:30 AM", which the text writes as "6:30", "6:30 AM" or, at eight, "8 A.M.". */
function spellings(answer: string): string[] {
  const [, hour, minute, half] = /^0?(\d+):(\d\d) ([AP])M$/u.exec(answer) ?? [];
  if (hour === undefined) return [answer];
  const times = minute === "00" ? [hour, `${hour}:00`] : [`${hour}:${minute}`];
  const bare = minute === "00" ? [] : times;
  return [answer, ...bare, ...times.flatMap((time) => [`${time} ${half}M`, `${time} ${half}.M.`])];
}

/** Whether a text holds an answer literally, as whole words; a plural counts. */
function holds(text: string, answers: readonly string[]): boolean {
  const words = plain(text);
  return answers.flatMap(spellings).some((answer) => {
    const wanted = plain(answer).trimEnd();
    return words.includes(`${wanted} `) || (/\p{L}$/u.test(wanted) && words.includes(`${wanted}s `));
  });
}

const AT = [1, 5, 10] as const;
const share = (found: readonly number[], k: number): number =>
  found.filter((rank) => rank >= 0 && rank < k).length / found.length;
const inWords = (found: readonly number[]): string =>
  AT.map((k) => `recall@${k} ${share(found, k).toFixed(3)}`).join(", ");

/** Where the first text that holds the answer stands among the hits; -1 if none does. */
const rankOf = (texts: readonly string[], answers: readonly string[]): number =>
  texts.findIndex((text) => holds(text, answers));

/** A plain search: messages that hold most of the question's words somewhere, the newest first. */
function likeSearch(messages: readonly BaseMessage[], question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return messages
    .map(({ text }, at) => ({
      text,
      at,
      n: words.filter((word) => text.toLowerCase().includes(word)).length,
    }))
    .filter(({ n }) => n > 0)
    .toSorted((a, b) => b.n - a.n || b.at - a.at)
    .slice(0, 10)
    .map(({ text }) => text);
}

it("search_history finds what was compacted away: all threads joined into one (D6)", async () => {
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    if (last.type !== "human" || !last.text.startsWith("?")) return new AIMessage("Seen.");
    const args = { query: last.text.slice(1) };
    return new AIMessage({ content: "", tool_calls: [{ id: "1", name: "search_history", args }] });
  });
  const counter = createTokenCounter();
  const agent = createAgent({
    model,
    tools: [],
    checkpointer: new MemorySaver(),
    middleware: [
      summarizationMiddleware({ summarizer: "extractive", trigger: { messages: 10 }, keep: { messages: 1 } }),
      recallMiddleware({ hits: 10, maxTokens: 10 * 512 }),
    ],
  });
  const thread = { configurable: { thread_id: "joined" } };
  const joined = THREADS.flatMap(({ messages }) => messages);
  await agent.updateState(thread, { messages: joined });
  // one more turn compacts
  await agent.invoke({ messages: ["Hello again."] }, thread);
  const state = await agent.getState(thread);
  const context = (state.values as { messages: BaseMessage[] }).messages;
  expect(context.length).toBeLessThan(5);
  expect((state.values.full_messages as BaseMessage[]).length).toBe(joined.length + 2);

  const [ours, like]: [number[], number[]] = [[], []];
  for (const { question, answers } of QUESTIONS) {
    // every question on a branch of its own: none finds another
    const { messages } = await agent.invoke({ messages: [new HumanMessage(`?${question}`)] }, state.config);
    const output = (messages as BaseMessage[]).findLast(({ type }) => type === "tool") as BaseMessage;
    const hits = output.text
      .split(/^\[\d+\] .*\n/mu)
      .slice(1)
      .map((hit) => hit.replaceAll(/^ {2}(?:before|after): .*$/gmu, "").trim());
    expect(hits.length).toBeLessThanOrEqual(10);
    for (const hit of hits) expect(counter.text(hit)).toBeLessThanOrEqual(520);
    ours.push(rankOf(hits, answers));
    like.push(rankOf(likeSearch(joined, question), answers));
  }
  console.log(`bfcl_memory joined, ${joined.length} messages, ${QUESTIONS.length} questions`);
  console.log(`search_history: ${inWords(ours)}`);
  console.log(`plain LIKE:     ${inWords(like)}`);
  expect(share(ours, 5)).toBeGreaterThanOrEqual(0.9);
  expect(share(ours, 5)).toBeGreaterThan(share(like, 5));
});
