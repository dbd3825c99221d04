import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver as PlainSaver } from "@langchain/langgraph-checkpoint";
import { createAgent } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { textOf } from "@skein/context";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recallMiddleware } from "../src/recall/index.ts";
import { summarizationMiddleware, summaryDerivations, summaryInForce } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const SECRET = "My pet's name is Zorg.";
/** What a model makes of it: no quote of any length, and the name is shorter than one. */
const PARAPHRASE = "The user lives with an animal that answers to ZORG-the-pet.";
const thread = { configurable: { thread_id: "t" } };

let folder: string;
let saver: SqliteSaver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-erase-"));
  saver = SqliteSaver.fromConnString(join(folder, "t.db"));
});
afterEach(async () => {
  await saver.close();
  rmSync(folder, { recursive: true });
});

const onDisk = (): string =>
  ["t.db", "t.db-wal", "t.db-shm"]
    .map((file) => join(folder, file))
    .map((file) => (existsSync(file) ? readFileSync(file, "latin1") : ""))
    .join("");

/** Every summary says what the model made of the secret once it was covered; later ones take it over. */
function agent() {
  const summaries = new ScriptedModel((messages) => {
    const prompt = textOf(messages.at(-1) as BaseMessage);
    const knows = prompt.includes("Zorg") || prompt.includes("ZORG");
    return new AIMessage(`Orders were discussed. ${knows ? PARAPHRASE : "No pets."}`);
  });
  return createAgent({
    model: new ScriptedModel((messages) => new AIMessage(`Noted, answer ${messages.length}.`)),
    tools: [],
    middleware: [
      summarizationMiddleware({ model: summaries, trigger: { messages: 8 }, keep: { messages: 6 } }),
    ],
    checkpointer: saver,
  });
}

async function talk(turns: number, secretAt: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn += 1) {
    const content =
      turn === secretAt ? SECRET : `Where is order O${turn}, and could you tell me when it will arrive here?`;
    await agent().invoke({ messages: [new HumanMessage({ id: `u${turn}`, content })] }, thread);
  }
}

const summaryOf = async () => summaryInForce((await agent().getState(thread)).values as never);

describe("erasing a message that summaries cover (B9)", () => {
  it("leaves nothing of it in any version, write, copy or branch, and the thread goes on", async () => {
    await talk(8, 1);
    expect((await summaryOf())?.text).toContain("ZORG");
    await saver.copyThread("t", "copy");
    const report = await saver.eraseMessage(thread, "u1", { derived: summaryDerivations() });
    expect(report.threads.toSorted()).toEqual(["copy", "t"]);
    await saver.cleanUp();
    expect(onDisk()).not.toMatch(/zorg/i);
    const summary = await summaryOf();
    expect(summary).toMatchObject({ by: "extractive" });
    expect(summary?.text).toContain("O0");
    await talk(3, -1, 8);
    expect((await summaryOf())?.by).toBe("model");
    expect(onDisk()).not.toMatch(/zorg/i);
  });

  it("leaves summaries alone that do not cover it", async () => {
    await talk(8, 7);
    const before = await summaryOf();
    await saver.eraseMessage(thread, "u7", { derived: summaryDerivations() });
    expect(await summaryOf()).toEqual(before);
    expect(before?.text).toContain("No pets.");
  });

  it("a branch that never had the message keeps its own summaries", async () => {
    await talk(2, -1);
    const fork = (await agent().getState(thread)).config;
    await talk(6, 2, 2);
    const tip = (await agent().getState(thread)).config;
    for (let turn = 20; turn < 27; turn += 1) {
      const messages = [
        new HumanMessage({ id: `u${turn}`, content: `And what about order O${turn}, please?` }),
      ];
      await agent().invoke({ messages }, turn === 20 ? fork : thread);
    }
    const other = await summaryOf();
    expect(other).toMatchObject({ by: "model" });
    await saver.eraseMessage(thread, "u2", { derived: summaryDerivations() });
    expect(await summaryOf()).toEqual(other);
    const erased = (await agent().getState(tip)).values as never;
    expect(summaryInForce(erased)).toMatchObject({ by: "extractive" });
    await saver.cleanUp();
    expect(onDisk()).not.toMatch(/zorg/i);
  });

  it("takes a summarizer that writes the new ones, and changes nothing when it fails", async () => {
    await talk(8, 1);
    const failing = summaryDerivations({ summarizer: () => Promise.reject(new Error("no model")) });
    await expect(saver.eraseMessage(thread, "u1", { derived: failing })).rejects.toThrow("no model");
    expect((await summaryOf())?.text).toContain("ZORG");
    const asked: number[] = [];
    const derived = summaryDerivations({
      summarizer: ({ messages }) => {
        asked.push(messages.length);
        expect(messages.some(({ id }) => id === "u1")).toBe(false);
        return "Written anew.";
      },
    });
    await saver.eraseMessage(thread, "u1", { derived });
    expect(asked.length).toBeGreaterThan(0);
    expect((await summaryOf())?.text).toBe("Written anew.");
  });
});

const told = "My pet, an okapi, is called Zorg, and its chip has the number QX4711ZW.";

/** An agent that searches the history when it is asked about the pet. */
function recalling() {
  const model = new ScriptedModel((messages) => {
    const asksAgain = messages.at(-1)?.type === "human" && messages.at(-1)?.text === "What was my pet?";
    if (!asksAgain) return new AIMessage(`Noted, answer ${messages.length}.`);
    return new AIMessage({
      content: "",
      tool_calls: [{ id: "find", name: "search_history", args: { query: "okapi" } }],
    });
  });
  return createAgent({
    model,
    tools: [],
    middleware: [
      summarizationMiddleware({
        summarizer: ({ messages }) =>
          `Talked of ${messages.some(({ text }) => /zorg/iu.test(text)) ? PARAPHRASE : "orders"}.`,
        trigger: { messages: 8 },
        keep: { messages: 6 },
      }),
      recallMiddleware(),
    ],
    checkpointer: saver,
  });
}

describe("agent.eraseMessage (B9)", () => {
  it("leaves no copy: revisions, writes, checkpoints, summaries, recall outputs, search, the file and its log", async () => {
    const here = recalling();
    const say = (id: string, content: string, config: object = thread) =>
      here.invoke({ messages: [new HumanMessage({ id, content })] }, config);
    await say("u0", told);
    await here.reviseHistory(thread, { replace: [{ role: "user", id: "u0", content: `${told} Indeed.` }] });
    const fork = (await here.getState(thread)).config;
    for (let turn = 1; turn < 6; turn += 1)
      await say(`u${turn}`, `And order O${turn}, where would that be by now?`);
    await say("u6", "What was my pet?");
    await say("f1", "On another branch, what else is there to say?", fork);
    expect((await here.revisions(thread, "u0")).map(({ text }) => text)).toEqual([told, `${told} Indeed.`]);
    expect(onDisk().match(/zorg/giu)?.length).toBeGreaterThan(4);

    const report = await here.eraseMessage(thread, "u0", { texts: ["Zorg", "okapi"] });
    expect(report).toMatchObject({ threads: ["t"] });
    expect(onDisk()).not.toMatch(/zorg|okapi|QX4711ZW/iu);
    expect((await here.revisions(thread, "u0")).map(({ text }) => text)).toEqual(["[erased]", "[erased]"]);
    const { hits } = await saver.search(thread, "okapi");
    expect(hits).toEqual([]);
    const { messages } = await here.history(thread);
    expect(messages[0]).toMatchObject({ id: "u0", content: "[erased]" });
    await say("u7", "And what about order O7?");
    expect(onDisk()).not.toMatch(/zorg|okapi|QX4711ZW/iu);
  });

  it("says which savers can erase", async () => {
    const plain = createAgent({
      model: new ScriptedModel(() => new AIMessage("ok")),
      checkpointer: new PlainSaver(),
    });
    await plain.invoke({ messages: "hello" }, thread);
    await expect(plain.eraseMessage(thread, "x")).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
    await expect(agent().eraseMessage({ configurable: { thread_id: "none" } }, "x")).rejects.toMatchObject({
      code: "UNKNOWN_THREAD",
    });
  });
});
