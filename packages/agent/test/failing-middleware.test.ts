import { type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { Command, interrupt, isInterrupted } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { createAgent, createMiddleware, MiddlewareError, type MiddlewareFailure } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";
import { watched } from "./watched-tools.ts";

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);

const boom = () => {
  throw new Error("broken");
};

/** A middleware of which every hook throws. */
const broken = (failure: "open" | "closed" | undefined, heard: unknown[] = []) => {
  return createMiddleware({
    name: "broken",
    ...(failure === undefined ? {} : { failure }),
    onFailure: (error, hook) => heard.push([MiddlewareError.isInstance(error), error.message, hook]),
    beforeAgent: boom,
    beforeModel: boom,
    wrapModelCall: boom,
    wrapToolCall: boom,
    afterModel: boom,
    afterAgent: boom,
  });
};

describe("a middleware that fails (E3)", () => {
  const { make } = watched();
  const program = (middleware: ReturnType<typeof broken>) =>
    createAgent({
      model: new ScriptedModel(calls(["p", { n: 1 }]), "done"),
      tools: [make("p")],
      middleware: [middleware],
    });

  it("ends the run unless it says otherwise, with its own error", async () => {
    await expect(program(broken(undefined)).invoke({ messages: "go" })).rejects.toThrow("broken");
    await expect(program(broken("closed")).invoke({ messages: "go" })).rejects.toThrow("broken");
  });

  it("fails open: the run goes on as if its hooks were not there, and says so", async () => {
    const heard: unknown[] = [];
    const events: MiddlewareFailure[] = [];
    const stream = await program(broken("open", heard)).stream({ messages: "go" }, { streamMode: "custom" });
    for await (const event of stream) events.push(event as never as MiddlewareFailure);
    const hooks = ["beforeAgent", "beforeModel", "wrapModelCall", "afterModel", "wrapToolCall"];
    const all = [...hooks, "beforeModel", "wrapModelCall", "afterModel", "afterAgent"];
    expect(heard).toEqual(all.map((hook) => [true, "broken", hook]));
    expect(events.map(({ type, hook }) => [type, hook])).toEqual(
      all.map((hook) => ["middleware_failed", hook]),
    );
  });

  it("fails open after the call it wraps: neither model nor tool runs twice", async () => {
    const late = createMiddleware({
      name: "late",
      failure: "open",
      wrapModelCall: async (request, handler) => {
        await handler(request);
        throw new Error("late");
      },
      wrapToolCall: async (request, handler) => {
        await handler(request);
        throw new Error("late");
      },
    });
    const { events, make: counted } = watched();
    const model = new ScriptedModel(calls(["p", { n: 1 }]), "done");
    const agent = createAgent({ model, tools: [counted("p")], middleware: [late] });
    expect(texts((await agent.invoke({ messages: "go" })).messages)).toEqual(["go", "", "p1", "done"]);
    expect([events, model.sent.length]).toEqual([["+p1", "-p1"], 2]);
  });

  it("fails open for its own errors only: the model's and interrupts are not its own", async () => {
    const open = createMiddleware({
      name: "open",
      failure: "open",
      beforeModel: () => void interrupt("sure?"),
      wrapModelCall: (request, handler) => handler(request),
    });
    const error = new Error("overloaded");
    const agent = createAgent({
      model: new ScriptedModel(error),
      middleware: [open],
      checkpointer: new MemorySaver(),
    });
    expect(isInterrupted(await agent.invoke({ messages: "go" }, thread))).toBe(true);
    await expect(agent.invoke(new Command({ resume: true }), thread)).rejects.toBe(error);
  });
});
