import { tool } from "@langchain/core/tools";
import * as ours from "@skein/middleware";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { retriesWaits } from "../../middleware/test/waits.ts";
import { call, says } from "../src/agents/kit.ts";
import { there } from "../src/agents/langchains.ts";
import { ScriptedModel } from "../src/agents/model.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** What is waited for between attempts, with a chance that is always the same. */
async function waitsOf(run: () => Promise<unknown>): Promise<readonly number[]> {
  vi.spyOn(Math, "random").mockReturnValue(0.9);
  const waits = retriesWaits();
  await run();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  return waits;
}

const down = (): never => {
  throw new Error("down");
};
const { lc } = there;

/** Waits of eight attempts after the first, all else as it is by default. */
const RETRIES = {
  "model retry": (middleware: typeof ours.modelRetryMiddleware) => {
    const model = ScriptedModel.saying(...Array.from({ length: 9 }, () => new Error("down")));
    const retry = middleware({ maxRetries: 8 }) as never;
    return waitsOf(() => lc.createAgent({ model, tools: [], middleware: [retry] }).invoke(says("go")));
  },
  "tool retry": (middleware: typeof ours.toolRetryMiddleware) => {
    const model = ScriptedModel.saying([call("look", {})], "done");
    const look = tool(down, { name: "look", description: "Looks", schema: z.object({}) });
    const retry = middleware({ maxRetries: 8 }) as never;
    return waitsOf(() => lc.createAgent({ model, tools: [look], middleware: [retry] }).invoke(says("go")));
  },
};

describe("defaults are LangChain's: what is waited for between attempts", () => {
  it("model retry", async () => {
    const theirs = await RETRIES["model retry"](lc.modelRetryMiddleware as never);
    expect(theirs).toHaveLength(8);
    expect(await RETRIES["model retry"](ours.modelRetryMiddleware)).toEqual(theirs);
  });
  it("tool retry", async () => {
    const theirs = await RETRIES["tool retry"](lc.toolRetryMiddleware as never);
    expect(theirs).toHaveLength(8);
    expect(await RETRIES["tool retry"](ours.toolRetryMiddleware)).toEqual(theirs);
  });
});
