import { createAgent, createMiddleware, GraphError } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { humanInTheLoopMiddleware } from "../src/human-approval/index.ts";
import { modelCallLimitMiddleware, type ModelCallLimitOptions } from "../src/model-call-limit/index.ts";
import {
  ToolCallLimitExceededError,
  toolCallLimitMiddleware,
  type ToolCallLimitOptions,
} from "../src/tool-call-limit/index.ts";
import { call, inLines, onThread, recorded, saying, says, type Reply } from "./replies.ts";

const loop = [call("look")];

/** An error of a middleware, also where the agent wraps it. */
const coded = (code: string) => (error: unknown) =>
  GraphError.is(error)
    ? error.code === code
    : GraphError.is((error as Error).cause) && ((error as Error).cause as GraphError).code === code;

function limitedModel(options: ModelCallLimitOptions, ...replies: readonly Reply[]) {
  const model = saying(...replies);
  const agent = createAgent({
    model,
    tools: [recorded("look")],
    checkpointer: new MemorySaver(),
    middleware: [modelCallLimitMiddleware(options)],
  });
  return { agent, model };
}

function limitedTools(options: readonly ToolCallLimitOptions[], ...replies: readonly Reply[]) {
  const model = saying(...replies);
  const look = recorded("look");
  const find = recorded("find");
  const agent = createAgent({
    model,
    tools: [look, find],
    checkpointer: new MemorySaver(),
    middleware: options.map(toolCallLimitMiddleware),
  });
  return { agent, model, look, find };
}

describe("model-call limit (E4)", () => {
  it("a run ends with a message instead of a call too many", async () => {
    const { agent, model } = limitedModel({ runLimit: 2 }, loop);
    const { messages } = await agent.invoke(says("go"), onThread("t"));
    expect(model.prompts).toHaveLength(2);
    expect(messages.at(-1)?.text).toBe("The limit of model calls is reached: 2 in this run.");
  });

  it("the run's count begins anew, the thread's goes on", async () => {
    const { agent, model } = limitedModel({ runLimit: 2, threadLimit: 3 }, "a");
    for (let turn = 0; turn < 3; turn++) await agent.invoke(says("go"), onThread("t"));
    const { messages } = await agent.invoke(says("go"), onThread("t"));
    expect(messages.at(-1)?.text).toBe("The limit of model calls is reached: 3 in this thread.");
    expect(model.prompts).toHaveLength(3);
    await agent.invoke(says("go"), onThread("another"));
    expect(model.prompts).toHaveLength(4);
  });

  it("a run that failed leaves nothing of its count to the next", async () => {
    const { agent } = limitedModel({ runLimit: 1 }, new Error("down"), "fine");
    await expect(agent.invoke(says("go"), onThread("t"))).rejects.toThrow("down");
    const { messages } = await agent.invoke(says("go"), onThread("t"));
    expect(messages.at(-1)?.text).toBe("fine");
  });

  it("fails closed: with `error` it throws, and context may lower the limit", async () => {
    const { agent } = limitedModel({ exitBehavior: "error" }, loop);
    const run = agent.invoke(says("go"), { ...onThread("t"), context: { runLimit: 1 } });
    await expect(run).rejects.toSatisfy(coded("CALL_LIMIT"));
  });

  it("a limit of 0 calls nothing; limits that can't be are refused", async () => {
    const { agent, model } = limitedModel({ runLimit: 0 }, "a");
    await agent.invoke(says("go"), onThread("t"));
    expect(model.prompts).toHaveLength(0);
    for (const runLimit of [-1, 1.5, Number.NaN]) {
      expect(() => modelCallLimitMiddleware({ runLimit })).toThrow("runLimit must be a whole number");
    }
    // of no use, but LangChain takes it, and programs have it
    expect(() => modelCallLimitMiddleware({ runLimit: 3, threadLimit: 2 })).not.toThrow();
  });
});

describe("tool-call limit (E4)", () => {
  const three = [call("look", {}, "1"), call("find", {}, "2"), call("look", {}, "3")];

  it("continue: a call too many is answered with an error, the others run", async () => {
    const { agent, model, look, find } = limitedTools([{ toolName: "look", runLimit: 1 }], three, "done");
    const { messages } = await agent.invoke(says("go"), onThread("t"));
    expect([look.calls.length, find.calls.length]).toEqual([1, 1]);
    expect(inLines(model.prompts.at(-1) ?? []).filter((line) => line.startsWith("tool!"))).toEqual([
      'tool!: The limit of calls of the tool "look" is reached: 1 in this run. This call was not run. Go on without it.',
    ]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("continue: when no call is left, the model goes on", async () => {
    const { agent, look } = limitedTools([{ runLimit: 0 }], loop, "without tools then");
    const { messages } = await agent.invoke(says("go"), onThread("t"));
    expect(look.calls).toHaveLength(0);
    expect(messages.at(-1)?.text).toBe("without tools then");
  });

  it("end: every call has a result, none ran, and a message says why", async () => {
    const { agent, look, find } = limitedTools(
      [{ toolName: "look", runLimit: 1, exitBehavior: "end" }],
      three,
      "never",
    );
    const { messages } = await agent.invoke(says("go"), onThread("t"));
    expect([look.calls.length, find.calls.length]).toEqual([0, 0]);
    expect(inLines(messages).slice(2)).toEqual([
      ...Array.from(
        { length: 3 },
        () =>
          'tool!: The limit of calls of the tool "look" is reached: 1 in this run. This call was not run.',
      ),
      'ai: The limit of calls of the tool "look" is reached: 1 in this run.',
    ]);
  });

  it("error: it throws and nothing runs (E3)", async () => {
    const { agent, look } = limitedTools([{ threadLimit: 2, exitBehavior: "error" }], three);
    const error = await agent.invoke(says("go"), onThread("t")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolCallLimitExceededError);
    expect(error).toMatchObject({ code: "CALL_LIMIT", threadLimit: 2, threadCount: 3, toolName: undefined });
    expect(look.calls).toHaveLength(0);
  });

  it("its error is made of counts and limits, as LangChain's", () => {
    expect(new ToolCallLimitExceededError(3, 1, 2, undefined, "look")).toMatchObject({
      code: "CALL_LIMIT",
      message: 'The limit of calls of the tool "look" is reached: 2 in this thread.',
      details: { threadCount: 3, runCount: 1, threadLimit: 2, runLimit: undefined, toolName: "look" },
    });
  });

  it("run and thread are counted apart, and each tool for itself", async () => {
    const { agent, look, find } = limitedTools(
      [
        { toolName: "look", threadLimit: 3, runLimit: 2 },
        { toolName: "find", runLimit: 1 },
      ],
      three,
      "1",
      three,
      "2",
    );
    await agent.invoke(says("go"), onThread("t"));
    expect([look.calls.length, find.calls.length]).toEqual([2, 1]);
    await agent.invoke(says("go"), onThread("t"));
    expect([look.calls.length, find.calls.length]).toEqual([3, 2]);
  });

  it("behind approval, calls that a person answered are not counted", async () => {
    const look = recorded("look");
    const agent = createAgent({
      model: saying(loop, loop, "done"),
      tools: [look],
      checkpointer: new MemorySaver(),
      // after hooks run in reverse: approval first
      middleware: [
        toolCallLimitMiddleware({ runLimit: 1 }),
        humanInTheLoopMiddleware({ interruptOn: "all" }),
      ],
    });
    await agent.invoke(says("go"), onThread("t"));
    await agent.invoke(new Command({ resume: { decisions: [{ type: "reject" }] } }), onThread("t"));
    await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), onThread("t"));
    expect(look.calls).toHaveLength(1);
  });

  it("before other hooks, a blocked call is not asked for again", async () => {
    const seen: number[] = [];
    const watch = createMiddleware({
      name: "watch",
      afterModel: ({ messages }) => void seen.push(messages.length),
    });
    const agent = createAgent({
      model: saying(loop, "done"),
      tools: [recorded("look")],
      checkpointer: new MemorySaver(),
      middleware: [
        humanInTheLoopMiddleware({ interruptOn: "all" }),
        watch,
        toolCallLimitMiddleware({ runLimit: 0 }),
      ],
    });
    const result = await agent.invoke(says("go"), onThread("t"));
    expect(result.__interrupt__).toBeUndefined();
    expect(result.messages.at(-1)?.text).toBe("done");
    expect(seen.length).toBeGreaterThan(0);
  });

  it("limits that can't be are refused", () => {
    expect(() => toolCallLimitMiddleware({})).toThrow("needs a threadLimit or a runLimit");
    expect(() => toolCallLimitMiddleware({ threadLimit: 1, runLimit: 2 })).toThrow("can't be above");
    expect(() => toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "stop" as "end" })).toThrow(
      "exitBehavior",
    );
  });
});
