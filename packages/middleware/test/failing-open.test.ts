import type { BaseMessage } from "@langchain/core/messages";
import { createAgent, type AnyAgentMiddleware, type MiddlewareFailure } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter, type TokenCounter } from "@skein/context";
import { describe, expect, it } from "vitest";
import { contextEditingMiddleware } from "../src/context-editing/index.ts";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { call, inLines, onThread, recorded, saying, says } from "./replies.ts";

const broken = (): never => {
  throw new Error("broken");
};
/** A counter of which every method throws. */
const tokenCounter: TokenCounter = new Proxy(createTokenCounter(), { get: () => broken });
const MIDDLEWARE: readonly (readonly [name: string, make: () => AnyAgentMiddleware])[] = [
  ["context editing", () => contextEditingMiddleware({ edits: [{ plan: broken }] })],
  ["compression", () => toolOutputCompressionMiddleware({ keepTurns: 0, saveAtLeast: 0, tokenCounter })],
  ["offloading", () => toolOutputOffloadingMiddleware({ tokenCounter })],
  ["run loops", () => runLoopsMiddleware({ now: broken })],
];

describe("what shapes the context fails open (E3)", () => {
  it.each(MIDDLEWARE)("%s: it is reported, nothing changes, and the run goes on", async (_name, make) => {
    const middleware = make();
    const look = recorded("look");
    const model = saying([call("look")], "done", [call("look", {}, "again")], "done again");
    const agent = createAgent({
      model,
      tools: [look],
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    const thread = onThread("t");
    const events: MiddlewareFailure[] = [];
    for (const text of ["one", "two"]) {
      const stream = await agent.stream(says(text), { ...thread, streamMode: "custom" });
      for await (const event of stream) events.push(event as never as MiddlewareFailure);
    }
    expect(events.length).toBeGreaterThan(1);
    for (const event of events) {
      expect(event).toMatchObject({
        type: "middleware_failed",
        middleware: middleware.name,
        hook: "beforeModel",
        message: expect.stringContaining("broken"),
      });
    }
    const { messages, full_messages } = (await agent.getState(thread)).values;
    expect(inLines(messages)).toHaveLength(8);
    expect(inLines(messages)).toEqual(inLines(full_messages as BaseMessage[]));
    expect(messages.at(-1)?.text).toBe("done again");
    expect(look.calls).toHaveLength(2);
  });
});
