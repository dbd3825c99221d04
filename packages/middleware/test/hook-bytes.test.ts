import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { afterAll, expect, it } from "vitest";
import { contextEditingMiddleware } from "../src/context-editing/index.ts";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-hook-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TURNS = 30;

/** Whatever shapes the context. Nothing of it has anything to do in a thread of so few short messages. */
const HOOKS: Readonly<Record<string, AnyAgentMiddleware>> = {
  summarization: summarizationMiddleware({ summarizer: "extractive", trigger: { messages: 10_000 } }),
  background: summarizationMiddleware({
    summarizer: "extractive",
    trigger: { messages: 10_000 },
    background: true,
  }),
  compression: toolOutputCompressionMiddleware(),
  offloading: toolOutputOffloadingMiddleware(),
  "context editing": contextEditingMiddleware(),
  "run loops": runLoopsMiddleware({ loops: 100 }),
};

/** Bytes of a thread: contents of its rows, and the file they are in. */
async function stored(name: string, middleware: readonly AnyAgentMiddleware[]) {
  const path = join(folder, `${name}.db`);
  const saver = SqliteSaver.fromConnString(path);
  const agent = createAgent({
    model: new ScriptedModel(() => new AIMessage("An answer.")),
    checkpointer: saver,
    middleware,
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

it("a hook's step that changes nothing stores less than 100 bytes, whatever shapes the context (10)", async () => {
  const bare = await stored("bare", []);
  for (const [name, hook] of Object.entries(HOOKS)) {
    const hooked = await stored(name, [hook]);
    // numbers of names in the manifest and in the write that starts the next node, and the id of the task
    expect([name, (hooked.contents - bare.contents) / TURNS < 100]).toEqual([name, true]);
    expect([name, (hooked.file - bare.file) / TURNS < 350]).toEqual([name, true]);
  }
});
