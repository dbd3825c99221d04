import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type AnyAgentMiddleware, type JumpToTarget } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);
const echo = tool(({ text }: { text: string }) => text, {
  name: "echo",
  description: "Says it back",
  schema: z.object({ text: z.string() }),
});

/** A middleware that jumps, once; and a run with it, written down. */
const at = (
  hook: "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent",
  to: JumpToTarget,
  once = true,
) => {
  let jumped = false;
  return createMiddleware({
    name: "jumps",
    [hook]: {
      canJumpTo: [to],
      hook: () => {
        if (once && jumped) return undefined;
        jumped = true;
        return { jumpTo: to };
      },
    },
  });
};

const run = async (
  middleware: AnyAgentMiddleware,
  ...script: ConstructorParameters<typeof ScriptedModel>
) => {
  const log: string[] = [];
  const model = new ScriptedModel(...script);
  const watch = createMiddleware({
    name: "watch",
    beforeModel: () => void log.push("beforeModel"),
    afterModel: () => void log.push("afterModel"),
    afterAgent: () => void log.push("afterAgent"),
  });
  const agent = createAgent({ model, tools: [echo], middleware: [middleware, watch] });
  const { messages } = await agent.invoke({ messages: "go" });
  return { log, messages: texts(messages), calls: model.sent.length };
};

describe("jumps", () => {
  it.each(["beforeAgent", "beforeModel"] as const)(
    "to the end from %s runs afterAgent, and no model",
    async (hook) => {
      expect(await run(at(hook, "end"))).toEqual({ log: ["afterAgent"], messages: ["go"], calls: 0 });
    },
  );
  it("to the end from afterModel leaves the tools out", async () => {
    const result = await run(at("afterModel", "end"), calls(["echo", { text: "x" }]));
    expect(result).toEqual({
      log: ["beforeModel", "afterModel", "afterAgent"],
      messages: ["go", ""],
      calls: 1,
    });
  });
  it("to the end from afterAgent is where the run goes anyway", async () => {
    expect(await run(at("afterAgent", "end"), "a")).toMatchObject({ messages: ["go", "a"], calls: 1 });
  });
  it("to the model from afterModel asks again, through the hooks before it", async () => {
    const result = await run(at("afterModel", "model"), "first", "second");
    expect(result.log).toEqual(["beforeModel", "afterModel", "beforeModel", "afterModel", "afterAgent"]);
    expect(result.messages).toEqual(["go", "first", "second"]);
  });
  it("to the model from beforeModel leaves out the hooks between", async () => {
    const result = await run(at("beforeModel", "model"), "a");
    expect(result.log).toEqual(["afterModel", "afterAgent"]);
  });
  it("to the model from afterAgent begins another round", async () => {
    const result = await run(at("afterAgent", "model"), "a", "b");
    expect(result.messages).toEqual(["go", "a", "b"]);
  });
  it("to the tools from beforeModel runs calls that wait; without any it goes to the model", async () => {
    const model = new ScriptedModel("done");
    const agent = createAgent({ model, tools: [echo], middleware: [at("beforeModel", "tools")] });
    const messages = [new HumanMessage("go"), calls(["echo", { text: "x" }, "e"])];
    expect(texts((await agent.invoke({ messages })).messages)).toEqual(["go", "", "x", "done"]);
    expect((await run(at("beforeModel", "tools"), "a")).messages).toEqual(["go", "a"]);
  });
  it("one hook's jump is not taken for the next one's", async () => {
    const second = createMiddleware({
      name: "second",
      beforeModel: { canJumpTo: ["model", "end"], hook: () => undefined },
    });
    const model = new ScriptedModel("first", "second");
    const agent = createAgent({ model, middleware: [second, at("afterModel", "model")] });
    expect(texts((await agent.invoke({ messages: "go" })).messages)).toEqual(["go", "first", "second"]);
  });
  it("a target that the hook did not declare is refused", async () => {
    const middleware = createMiddleware({ name: "bold", beforeModel: () => ({ jumpTo: "end" }) });
    await expect(run(middleware)).rejects.toMatchObject({
      code: "INVALID_MIDDLEWARE",
      message: expect.stringContaining("canJumpTo"),
    });
  });
  it("calls that a hook answers itself are not run, and the model sees the answers", async () => {
    const answers = createMiddleware({
      name: "answers",
      afterModel: ({ messages }) => {
        const last = messages.at(-1) as AIMessage;
        return {
          messages: (last.tool_calls ?? []).map(
            ({ id }) => new ToolMessage({ content: "denied", tool_call_id: id as string }),
          ),
        };
      },
    });
    const model = new ScriptedModel(calls(["echo", { text: "x" }]), "understood");
    const { messages } = await createAgent({ model, tools: [echo], middleware: [answers] }).invoke({
      messages: "go",
    });
    expect(texts(messages)).toEqual(["go", "", "denied", "understood"]);
  });
});
