import { AIMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { describe, expect, it } from "vitest";
import { modelRetryMiddleware, type ModelRetryOptions } from "../src/model-retry/index.ts";
import { toolRetryMiddleware, type ToolRetryOptions } from "../src/tool-retry/index.ts";
import { call, inLines, recorded, saying, says } from "./replies.ts";

const atOnce = { initialDelayMs: 0, jitter: false, maxRetries: 1 };

class Busy extends Error {}
class VeryBusy extends Busy {}
class NoError {
  reason = "none";
}

function never(): boolean {
  return false;
}

/** How often a model and a tool were called that fail, and the last line or the failure. */
async function attempts(options: unknown, error: Error = new Busy("busy")) {
  const model = saying(error);
  const asked = createAgent({
    model,
    middleware: [modelRetryMiddleware({ ...atOnce, ...(options as ModelRetryOptions) })],
  });
  const flaky = recorded("flaky", () => {
    throw error;
  });
  const called = createAgent({
    model: saying([call("flaky")], "done"),
    tools: [flaky],
    middleware: [toolRetryMiddleware({ ...atOnce, ...(options as ToolRetryOptions) })],
  });
  const said = await asked.invoke(says("go")).then(({ messages }) => inLines(messages)[1], reasonOf);
  const result = await called.invoke(says("go")).then(({ messages }) => inLines(messages)[2], reasonOf);
  return { model: model.prompts.length, tool: flaky.calls.length, said, result };
}

const reasonOf = (error: unknown): string => String(error);

describe("which errors are worth another attempt", () => {
  it.each([
    ["a class", Busy, 2],
    ["a class above", Error, 2],
    ["another class", TypeError, 1],
    ["a class in a list", [TypeError, Busy], 2],
    ["no class", [], 1],
    ["a test", (error: Error) => error instanceof Busy, 2],
    ["a function that is no class", never, 1],
  ])("%s", async (_name, retryOn, times) => {
    for (const error of [new Busy("busy"), new VeryBusy("busy")])
      expect(await attempts({ retryOn }, error)).toMatchObject({ model: times, tool: times });
  });

  it("an error of another realm is known by its class", async () => {
    const { runInNewContext } = await import("node:vm");
    const Foreign = runInNewContext("class Foreign extends Error {}; Foreign") as typeof Error;
    const foreign = await attempts({ retryOn: Foreign }, new Foreign("far"));
    expect(foreign).toMatchObject({ tool: 2 });
    expect(await attempts({ retryOn: Foreign })).toMatchObject({ model: 1, tool: 1 });
  });

  it.each([
    ["a test in a list", [() => true]],
    ["a class of no errors", NoError],
    ["a class of no errors in a list", [NoError]],
    ["a hole in a list", [undefined]],
    ["a name", "Busy"],
    ["names", ["Busy"]],
    ["nothing", null],
    ["a test that has to be waited for", async () => false],
  ])("refused: %s", (_name, retryOn) => {
    for (const make of [modelRetryMiddleware, toolRetryMiddleware])
      expect(() => make({ retryOn } as never)).toThrowError(
        expect.objectContaining({
          code: "INVALID_CONFIGURATION",
          message: expect.stringContaining("retryOn"),
        }),
      );
  });

  it.each([
    ["undefined", () => undefined],
    ["1", () => 1],
    ["a promise", () => Promise.resolve(false)],
    ["a promise", () => Promise.reject(new Error("late"))],
  ])("a test that says %s ends the run", async (said, retryOn) => {
    const { model, tool, said: reply, result } = await attempts({ retryOn });
    expect([model, tool]).toEqual([1, 1]);
    for (const reason of [reply, result])
      expect(reason).toContain(
        `GraphError: retryOn must say true or false, not ${said}. It was asked about: busy`,
      );
  });
});

describe("what a failure becomes", () => {
  it.each([
    ["undefined", () => undefined],
    ["5", () => 5],
    ["an object", () => new AIMessage("sorry")],
    ["a promise", () => Promise.resolve("later")],
    ["a promise", () => Promise.reject(new Error("late"))],
  ])("%s is no text: the run ends", async (returned, onFailure) => {
    const { said, result } = await attempts({ onFailure });
    for (const reason of [said, result])
      expect(reason).toContain(
        `GraphError: onFailure must return a text, not ${returned}. What failed said: busy`,
      );
  });

  it("a text that has to be waited for is refused", () => {
    for (const make of [modelRetryMiddleware, toolRetryMiddleware])
      expect(() => make({ onFailure: (async () => "later") as never })).toThrow("can't be async");
  });
});
