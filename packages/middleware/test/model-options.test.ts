import { createAgent } from "@skein/agent";
import { describe, expect, it } from "vitest";
import { toolEmulatorMiddleware } from "../src/tool-emulator/index.ts";
import { llmToolSelectorMiddleware } from "../src/tool-selector/index.ts";
import { recorded, Replies, saying, says } from "./replies.ts";

const NONE = [5, {}, "", null, [], { invoke: 1 }, () => "model"];

describe("a model that is none", () => {
  it.each(NONE)("is refused: %j", (model) => {
    const refused = expect.objectContaining({
      code: "INVALID_CONFIGURATION",
      message: expect.stringContaining("model must be a chat model or the name of one"),
    });
    for (const make of [toolEmulatorMiddleware, llmToolSelectorMiddleware])
      expect(() => make({ model } as never)).toThrowError(refused);
  });

  it("names and models are taken", () => {
    for (const make of [toolEmulatorMiddleware, llmToolSelectorMiddleware])
      for (const model of ["openai:gpt-5", saying("x"), undefined])
        expect(() => make(model === undefined ? {} : { model })).not.toThrow();
  });
});

describe("tool selector: what a run's context sets is checked as the options are", () => {
  it.each([
    [{ maxTools: -1 }, "context.maxTools must be a whole number of at least 1"],
    [{ maxTools: 0 }, "context.maxTools must be a whole number of at least 1"],
    [{ maxTools: 1.5 }, "context.maxTools must be a whole number of at least 1"],
    [{ model: 5 }, "context.model must be a chat model"],
    [{ model: "" }, "context.model must be a chat model"],
  ])("%j", async (context, words) => {
    const model = saying("ok");
    const selector = new Replies([""], { tools: ["find"] });
    const agent = createAgent({
      model,
      tools: [recorded("look"), recorded("find")],
      middleware: [llmToolSelectorMiddleware({ model: selector })],
    });
    await expect(agent.invoke(says("go"), { context } as never)).rejects.toThrow(words);
    expect([model.prompts.length, selector.asked.length]).toEqual([0, 0]);
  });
});
