import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type AgentTool } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const direct = (name: string, metadata = {}): AgentTool =>
  tool(() => `${name}!`, {
    name,
    description: "Answers",
    schema: z.object({}),
    returnDirect: true,
    metadata,
  });

function watched() {
  const log: string[] = [];
  const note = (hook: string) => () => void log.push(hook);
  const middleware = createMiddleware({
    name: "watch",
    beforeModel: note("beforeModel"),
    afterModel: note("afterModel"),
    afterAgent: note("afterAgent"),
  });
  return { log, middleware };
}

describe("tools that answer directly", () => {
  const loop = ["beforeModel", "afterModel", "afterAgent"];

  it.each([
    ["one", calls(["a"]), {}, "v2" as const],
    ["several", calls(["a"], ["b"]), {}, "v2" as const],
    ["several in one task", calls(["a"], ["b"]), {}, "v1" as const],
    ["several, one of them serial", calls(["a"], ["b"]), { serial: true }, "v2" as const],
  ])("hooks around the model run once a call of it: %s", async (_name, reply, metadata, version) => {
    const { log, middleware } = watched();
    const model = new ScriptedModel(reply, "never said");
    const tools = [direct("a"), direct("b", metadata)];
    const agent = createAgent({ model, tools, middleware: [middleware], version });
    const { messages } = await agent.invoke({ messages: "go" });
    expect(messages.at(-1)?.text).toMatch(/!$/);
    expect(model.sent).toHaveLength(1);
    expect(log).toEqual(loop);
  });
});
