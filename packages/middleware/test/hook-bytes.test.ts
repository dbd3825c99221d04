import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { afterAll, expect, it } from "vitest";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-hook-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TURNS = 60;

/** Bytes of a thread: contents of its rows, and the file they are in. */
async function stored(name: string, hooked: boolean) {
  const path = join(folder, `${name}.db`);
  const saver = SqliteSaver.fromConnString(path);
  const summarization = summarizationMiddleware({ summarizer: "extractive", trigger: { messages: 10_000 } });
  const agent = createAgent({
    model: new ScriptedModel(() => new AIMessage("An answer.")),
    checkpointer: saver,
    middleware: hooked ? [summarization] : [],
  });
  for (let turn = 0; turn < TURNS; turn++) {
    await agent.invoke(
      { messages: [new HumanMessage(`Question ${turn}`)] },
      { configurable: { thread_id: "t" } },
    );
  }
  const report = await saver.storageReport("t");
  await saver.close();
  if (report === undefined) throw new Error("no thread");
  return {
    contents: report.itemBytes + report.writeBytes + report.manifestBytes,
    file: statSync(path).size,
  };
}

it("a hook's step that changes nothing stores less than 100 bytes", async () => {
  const [bare, hooked] = [await stored("bare", false), await stored("hooked", true)];
  // numbers of names in the manifest and in the write that starts the next node, and the id of the task
  expect((hooked.contents - bare.contents) / TURNS).toBeLessThan(100);
  expect((hooked.file - bare.file) / TURNS).toBeLessThan(250);
});
