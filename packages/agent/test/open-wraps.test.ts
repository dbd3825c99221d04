import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type WrapToolCallHook } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/** An agent with a tool that has its effect, and a wrap around it that may fail. */
async function runs(wrapToolCall: WrapToolCallHook, pay: () => string | Promise<string>) {
  let ran = 0;
  const heard: string[] = [];
  const paying = tool(() => ((ran += 1), pay()), { name: "pay", description: "", schema: z.object({}) });
  const audit = createMiddleware({
    name: "audit",
    failure: "open",
    onFailure: ({ message }) => heard.push(message),
    wrapToolCall,
  });
  const model = new ScriptedModel(calls(["pay", {}, "1"]), "done");
  const agent = createAgent({ model, tools: [paying], middleware: [audit] });
  const { messages } = await agent.invoke({ messages: "pay" });
  expect(messages.at(-1)?.text).toBe("done");
  return { ran, heard, told: messages[2]?.text };
}

const noPrinter = (): string => {
  throw new Error("paid, and no receipt");
};

const leaves: WrapToolCallHook = (request, handler) => {
  void handler(request);
  throw new Error("the log is down");
};
const slow = () => new Promise<string>((resolve) => setTimeout(() => resolve("paid"), 5));
const twice: WrapToolCallHook = async (request, handler) => {
  await handler(request);
  await handler(request).catch(() => undefined);
  throw new Error("the log is down");
};
const fails: WrapToolCallHook = () => {
  throw new Error("the log is down");
};

describe("a tool is not run again because a wrap that fails open failed around it (E3)", () => {
  it.each([
    ["an error of the wrap's own", undefined, ["the log is down"]],
    ["the tool's error as its cause", "cause", []],
  ])("when it threw: %s", async (_, member, heard) => {
    const wrap: WrapToolCallHook = async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        // oxlint-disable-next-line preserve-caught-error -- whether it is there is what the test is about
        throw new Error("the log is down", member === undefined ? {} : { [member]: error });
      }
    };
    const told = expect.stringContaining(heard.length > 0 ? "paid, and no receipt" : "the log is down");
    expect(await runs(wrap, noPrinter)).toEqual({ ran: 1, heard, told });
  });

  it("when it runs still", async () => {
    expect(await runs(leaves, slow)).toEqual({ ran: 1, heard: ["the log is down"], told: "paid" });
  });

  it("when it was tried twice and threw at last: the result counts", async () => {
    let attempt = 0;
    const second = () => {
      attempt += 1;
      return attempt === 1 ? "paid" : noPrinter();
    };
    expect(await runs(twice, second)).toEqual({ ran: 2, heard: ["the log is down"], told: "paid" });
  });

  it("and it is run when the wrap failed before it", async () => {
    expect(await runs(fails, () => "paid")).toEqual({ ran: 1, heard: ["the log is down"], told: "paid" });
  });
});
