import { AIMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createMiddleware, type AnyAgentMiddleware } from "../src/index.ts";

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (GraphError.is(error)) return error.code;
    throw error;
  }
  return undefined;
}

describe("createMiddleware", () => {
  it("types state, update and context by its schemas, and passes as any middleware", () => {
    const middleware = createMiddleware({
      name: "counting",
      stateSchema: z.object({ calls: z.number().default(0) }),
      contextSchema: z.object({ user: z.string() }),
      beforeModel: (state, runtime) => ({ calls: state.calls + runtime.context.user.length }),
      afterModel: { hook: () => ({ jumpTo: "end" }), canJumpTo: ["end"] },
      wrapModelCall: async (request, handler) => {
        const reply = await handler({ ...request, systemPrompt: `${request.state.calls}` });
        return new AIMessage({ content: reply.text });
      },
    });
    const list: AnyAgentMiddleware[] = [middleware];
    expect(list[0]?.name).toBe("counting");
  });

  it.each([
    ["no object", null],
    ["no name", { beforeModel: () => undefined }],
    ["an empty name", { name: "" }],
    ["an unknown key", { name: "x", beforemodel: () => undefined }],
    ["a hook that is no function", { name: "x", beforeModel: 3 }],
    ["a hook object without a hook", { name: "x", beforeModel: { canJumpTo: ["end"] } }],
    ["an unknown jump target", { name: "x", afterModel: { hook: () => undefined, canJumpTo: ["START"] } }],
    ["a wrap that is no function", { name: "x", wrapToolCall: {} }],
    ["tools that are no list", { name: "x", tools: {} }],
  ])("refuses %s with INVALID_MIDDLEWARE", (_, init) => {
    expect(codeOf(() => createMiddleware(init as never))).toBe("INVALID_MIDDLEWARE");
  });
});
