import { RunnableBinding, RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, toolStrategy } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const look = tool(() => "seen", { name: "look", description: "", schema: z.object({}) });
const busy = new Error("busy");

/** As `withRetry` makes one, but without its waits. */
class Twice extends RunnableBinding<never, never> {
  override async invoke(...call: Parameters<RunnableBinding<never, never>["invoke"]>) {
    return super.invoke(...call).catch(() => super.invoke(...call));
  }
}
const twice = (model: unknown) => new Twice({ bound: model as never, config: {} });

describe("a model that tries again does so with tools bound to it, too", () => {
  it.each([
    ["itself", (model: ScriptedModel) => twice(model)],
    ["with a config", (model: ScriptedModel) => twice(model).withConfig({ tags: ["x"] })],
    ["around one with a config", (model: ScriptedModel) => twice(model.withConfig({ tags: ["x"] }))],
    [
      "in a sequence",
      (model: ScriptedModel) => RunnableSequence.from([(given: never) => given, twice(model)]),
    ],
  ])("%s", async (_name, wrapped) => {
    const model = new ScriptedModel(busy, calls(["look"]), busy, "done");
    const agent = createAgent({ model: wrapped(model) as never, tools: [look] });
    const { messages } = await agent.invoke({ messages: "go" });
    expect(messages.map(({ text }) => text)).toEqual(["go", "", "seen", "done"]);
    expect(model.bound.at(-1)).toEqual([look]);
  });

  it("and with a response format", async () => {
    const Sum = z.object({ sum: z.number() }).meta({ title: "answer" });
    const model = new ScriptedModel(busy, calls(["answer", { sum: 3 }]));
    const agent = createAgent({ model: twice(model) as never, responseFormat: toolStrategy(Sum) });
    expect((await agent.invoke({ messages: "go" })).structuredResponse).toEqual({ sum: 3 });
  });
});
