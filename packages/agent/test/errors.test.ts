import { RunnableLambda } from "@langchain/core/runnables";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, GraphError, type CreateAgentParams } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const named = (name: string, reply = name) =>
  tool(() => reply, { name, description: name, schema: z.object({}) });
const model = new ScriptedModel("a");

/** Why an agent refuses a model that nobody knows. */
async function refusalOfUnknownModel(): Promise<string> {
  const agent = createAgent({ model: "nowhere:none" });
  const error: unknown = await agent.invoke({ messages: "go" }).catch((caught: unknown) => caught);
  expect(GraphError.is(error, "INVALID_CONFIGURATION")).toBe(true);
  return (error as Error).message;
}

describe("createAgent refuses", () => {
  it.each<[string, Partial<CreateAgentParams>, string, RegExp]>([
    ["no model", { model: undefined as never }, "INVALID_CONFIGURATION", /needs a `model`/u],
    ["a model that is no model", { model: {} as never }, "INVALID_CONFIGURATION", /needs a `model`/u],
    [
      "a model with tools bound",
      { model: new ScriptedModel().withConfig({ tools: [{}] } as never) },
      "INVALID_CONFIGURATION",
      /already has tools/u,
    ],
    [
      "two tools of one name",
      { model, tools: [named("x"), named("x", "other")] },
      "INVALID_CONFIGURATION",
      /Two tools are named "x"/u,
    ],
    [
      "a tool that is nothing",
      { model, tools: [undefined as never] },
      "INVALID_CONFIGURATION",
      /A tool is undefined/u,
    ],
    [
      "a stream transformer that is none",
      { model, streamTransformers: ["counts" as never] },
      "INVALID_TRANSFORMER",
      /no function/u,
    ],
    ["a limit of zero", { model, maxIterations: 0 }, "INVALID_CONFIGURATION", /positive integer/u],
    [
      "two middleware of one name",
      { model, middleware: [createMiddleware({ name: "m" }), createMiddleware({ name: "m" })] },
      "INVALID_MIDDLEWARE",
      /Two middleware are named "m"/u,
    ],
    [
      "a middleware that is none",
      { model, middleware: [{ beforeModel: () => undefined } as never] },
      "INVALID_MIDDLEWARE",
      /needs a `name`/u,
    ],
    [
      "a state schema that is none",
      { model, stateSchema: 3 as never },
      "INVALID_STATE_SCHEMA",
      /stateSchema of createAgent/u,
    ],
    [
      "a context schema of a middleware that is none",
      { model, middleware: [{ name: "m", contextSchema: 3, beforeModel: () => undefined }] },
      "INVALID_MIDDLEWARE",
      /contextSchema must be a zod schema/u,
    ],
  ])("%s", (_, params, code, message) => {
    const create = () => createAgent(params as CreateAgentParams);
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ code }));
  });
});

describe("a run refuses", () => {
  it("a model that is known by name only, which langchain does not know, or where langchain is missing", async () => {
    expect(await refusalOfUnknownModel()).toMatch(/"nowhere:none" can not be made: .*model provider/u);
    vi.doMock("langchain", () => {
      throw new Error("Cannot find package 'langchain'");
    });
    try {
      expect(await refusalOfUnknownModel()).toMatch(/"nowhere:none".*npm install langchain/u);
    } finally {
      vi.doUnmock("langchain");
    }
  });
  it("a model that can not be told of tools", async () => {
    const mute = RunnableLambda.from(() => new AIMessage("a"));
    expect(
      (await createAgent({ model: mute as never }).invoke({ messages: "go" })).messages.at(-1)?.text,
    ).toBe("a");
    await expect(
      createAgent({ model: mute as never, tools: [named("x")] }).invoke({ messages: "go" }),
    ).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
      message: expect.stringContaining("bindTools"),
    });
  });
  it.each([
    ["text", "text", /a value of type string/u],
    ["a user's message", new HumanMessage("x"), /a human message/u],
    ["nothing", null, /null/u],
  ])("a model that returns %s", async (_, reply, message) => {
    const agent = createAgent({ model: RunnableLambda.from(() => reply) as never });
    const error: unknown = await agent.invoke({ messages: "go" }).catch((caught: unknown) => caught);
    expect(GraphError.is(error, "INVALID_MESSAGE")).toBe(true);
    expect((error as Error).message).toMatch(message);
  });
  it("an input that is no message, with what it should be", async () => {
    await expect(createAgent({ model }).invoke({ messages: 3 as never })).rejects.toMatchObject({
      code: "INVALID_MESSAGE",
    });
  });
});
