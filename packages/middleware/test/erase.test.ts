import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { textOf } from "@skein/context";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
