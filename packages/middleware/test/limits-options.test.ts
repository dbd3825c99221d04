import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { modelCallLimitMiddleware } from "../src/model-call-limit/index.ts";
import { toolCallLimitMiddleware } from "../src/tool-call-limit/index.ts";
import { call, inLines, onThread, recorded, saying, says } from "./replies.ts";

describe("limits of a run's context are checked as the options are", () => {
  it.each([{ runLimit: -1 }, { runLimit: 1.5 }, { threadLimit: -1 }, { threadLimit: 0.5 }])(
    "%j",
    async (context) => {
      const model = saying("hello");
      const agent = createAgent({ model, middleware: [modelCallLimitMiddleware({ runLimit: 3 })] });
      await expect(agent.invoke(says("go"), { context })).rejects.toThrow(
        `${Object.keys(context)[0]} must be a whole number of at least 0`,
      );
      expect(model.prompts).toHaveLength(0);
    },
  );
});

const direct = (name: string) => Object.assign(recorded(name), { returnDirect: true });

describe("a limit of model calls", () => {
  it.each(["end", "error"] as const)(
    "is not reached by tools that answer directly: %s",
    async (exitBehavior) => {
      const agent = createAgent({
        model: saying([call("a"), call("b")]),
        tools: [direct("a"), direct("b")],
        middleware: [modelCallLimitMiddleware({ runLimit: 1, exitBehavior })],
      });
      const { messages } = await agent.invoke(says("go"));
      expect(messages.slice(2).map(({ type }) => type)).toEqual(["tool", "tool"]);
    },
  );
});

describe("counts that the agent's own state declares, to be read,", () => {
  it("are limited all the same", async () => {
    const counts = z.record(z.string(), z.number()).optional();
    const stateSchema = z.object({ runModelCallCount: z.number().optional(), runToolCallCount: counts });
    const replies = [[call("look")], [call("look")], [call("look")]];
    const calls = { tools: [recorded("look")], stateSchema };
    const models = createAgent({
      ...calls,
      model: saying(...replies),
      middleware: [modelCallLimitMiddleware({ runLimit: 2 })],
    });
    expect(await models.invoke(says("go"))).toMatchObject({ runModelCallCount: 2 });
    const tools = createAgent({
      ...calls,
      model: saying(...replies),
      middleware: [toolCallLimitMiddleware({ runLimit: 2, exitBehavior: "end" })],
    });
    expect(await tools.invoke(says("go"))).toMatchObject({ runToolCallCount: { __all__: 3 } });
  });
});

describe("a limit of one tool", () => {
  it("has the name of a tool", () => {
    expect(() => toolCallLimitMiddleware({ toolName: "", runLimit: 1 })).toThrowError(
      expect.objectContaining({
        code: "INVALID_CONFIGURATION",
        message: expect.stringContaining("toolName"),
      }),
    );
  });

  it.each(["constructor", "__proto__", "toString", "a b", "__all__", "é"])(
    "counts whatever its name is, also when it was stored: %s",
    async (name) => {
      for (const checkpointer of [new MemorySaver(), SqliteSaver.fromConnString(":memory:")]) {
        const tool = recorded(name);
        const agent = createAgent({
          model: saying([call(name)], [call(name)], "done", [call(name)], [call(name)], "done"),
          tools: [tool],
          checkpointer,
          middleware: [toolCallLimitMiddleware({ toolName: name, runLimit: 1, threadLimit: 2 })],
        });
        const first = await agent.invoke(says("go"), onThread("t"));
        expect(tool.calls).toHaveLength(1);
        expect(inLines(first.messages).filter((line) => line.startsWith("tool!"))).toEqual([
          `tool!: The limit of calls of the tool "${name}" is reached: 1 in this run. This call was not run. Go on without it.`,
        ]);
        await agent.invoke(says("go"), onThread("t"));
        expect(tool.calls).toHaveLength(2);
      }
    },
  );
});
