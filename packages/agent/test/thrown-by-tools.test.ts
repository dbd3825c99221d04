import { tool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

it.each([
  ["an object of an SDK", { message: "slow down", name: "RateLimit" }, "slow down"],
  ["an object without a prototype", Object.create(null), "an object"],
  ["an object that cannot be a text", { toString: () => ({}) }, "an object"],
  ["nothing", undefined, "undefined"],
  ["a text", "no such order", "no such order"],
])("the model sees what a tool threw: %s (E1)", async (_, thrown: unknown, said) => {
  const find = tool(
    () => {
      throw thrown;
    },
    { name: "find", description: "Finds", schema: z.object({}) },
  );
  const model = new ScriptedModel(calls(["find"]), "sorry");
  const { messages } = await createAgent({ model, tools: [find] }).invoke({ messages: "go" });
  expect(messages.at(-2)?.text).toBe(
    `Tool "find" failed: ${said}\nCheck the arguments, or go on without it.`,
  );
});
