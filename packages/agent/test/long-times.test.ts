import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { createAgent, SessionManager } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/** The first that no timer takes, and more. */
const LONG = [2 ** 31, 1e12, Number.MAX_VALUE];

const slow = (metadata: Record<string, unknown>) =>
  tool(() => new Promise<string>((resolve) => setTimeout(() => resolve("done"), 10)), {
    name: "slow",
    description: "",
    schema: z.object({}),
    metadata,
  });

it.each(LONG)("a tool that may take %d ms is given them", async (ms) => {
  for (const [metadata, options] of [
    [{ timeoutMs: ms }, {}],
    [{}, { toolTimeoutMs: ms }],
  ] as const) {
    const model = new ScriptedModel(calls(["slow"]), "end");
    const { messages } = await createAgent({ model, tools: [slow(metadata)], ...options }).invoke({
      messages: "go",
    });
    expect(messages.at(-2)?.text).toBe("done");
  }
});

it.each(LONG)("a sweeper for every %d ms does not sweep without a pause", async (everyMs) => {
  const sessions = new SessionManager({ store: new InMemoryStore(), saver: new MemorySaver() });
  const sweep = vi.spyOn(sessions, "sweep");
  const stop = sessions.startSweeper({ everyMs });
  await new Promise((resolve) => setTimeout(resolve, 30));
  stop();
  expect(sweep).not.toHaveBeenCalled();
});
