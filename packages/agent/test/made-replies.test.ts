import { AIMessage, AIMessageChunk, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const wrong = expect.objectContaining({ code: "INVALID_MIDDLEWARE" }) as unknown;
const p = tool(() => "hi", { name: "p", description: "", schema: z.object({}) });

/** A reply with calls of these ids. */
const calling = (...ids: (string | undefined)[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ name: "p", args: {}, id }) as never) });

const run = (middleware: AnyAgentMiddleware) =>
  createAgent({ model: new ScriptedModel("done", "done"), tools: [p], middleware: [middleware] }).invoke(
    { messages: "x" },
    { recursionLimit: 12 },
  );

/** Ids of all calls, and of all results. */
function idsOf(messages: readonly BaseMessage[]) {
  const made = messages.flatMap((one) => (AIMessage.isInstance(one) ? (one.tool_calls ?? []) : []));
  const results = messages.filter((one) => ToolMessage.isInstance(one));
  return [made.map(({ id }) => id), results.map(({ tool_call_id: id }) => id)];
}

/** Makes the reply once. */
function once(reply: AIMessage) {
  let left: AIMessage | undefined = reply;
  return () => {
    const now = left;
    left = undefined;
    return now;
  };
}

/** Writes the reply after the model's first one, as a list or alone. */
function behindTheModel(reply: AIMessage, shape: (made: AIMessage) => unknown) {
  const next = once(reply);
  return createMiddleware({
    name: "w",
    afterModel: () => {
      const made = next();
      return made === undefined ? undefined : ({ messages: shape(made) } as never);
    },
  });
}

describe("a reply made in the model's place is as a model's", () => {
  const places: [string, (reply: AIMessage) => AnyAgentMiddleware][] = [
    [
      "wrapModelCall",
      (reply) => {
        const next = once(reply);
        return createMiddleware({
          name: "w",
          wrapModelCall: (request, handler) => next() ?? handler(request),
        });
      },
    ],
    ["afterModel, a list", (reply) => behindTheModel(reply, (made) => [made])],
    ["afterModel, alone", (reply) => behindTheModel(reply, (made) => made)],
  ];
  describe.each(places)("%s", (_, make) => {
    it.each([[[undefined]], [["a", "a"]], [["", ""]], [["a", undefined, "a"]]])(
      "calls with the ids %j have one each",
      async (ids) => {
        const [made, results] = idsOf((await run(make(calling(...ids)))).messages);
        expect(made).toHaveLength(ids.length);
        expect(new Set(made).size).toBe(ids.length);
        expect(made?.every((id) => typeof id === "string" && id !== "")).toBe(true);
        expect(results).toEqual(made);
      },
    );

    it("is no chunk", async () => {
      const { messages } = await run(make(new AIMessageChunk("said")));
      const said = messages.find(({ text }) => text === "said");
      expect([AIMessage.isInstance(said), AIMessageChunk.isInstance(said)]).toEqual([true, false]);
    });
  });
});

describe("what a hook returns", () => {
  const results = [new Command({ update: {} }), new AIMessage("x"), ["x"], "x"] as const;
  const hooks = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;

  it.each(hooks.flatMap((hook) => results.map((result) => [hook, result] as const)))(
    "is keys to change, and nothing else: %s, %j",
    async (hook, result) => {
      const middleware = createMiddleware({ name: "h", [hook]: () => result as never } as { name: string });
      await expect(run(middleware)).rejects.toEqual(wrong);
    },
  );
});

describe("what a wrapModelCall hands on", () => {
  it.each([
    [{ model: "openai:gpt-5" }],
    [{ model: {} }],
    [{ model: 5 }],
    [{ tools: null }],
    [{ tools: 5 }],
    [{ tools: "x" }],
    [{ tools: [null] }],
    [{ tools: ["p"] }],
    [{ systemPrompt: 5 }],
    [{ systemMessage: "x" }],
    [{ systemMessage: {} }],
  ])("has the kind that it must have: %j", async (change) => {
    const wrap = createMiddleware({
      name: "w",
      wrapModelCall: (request, handler) => handler({ ...request, ...(change as object) }),
    });
    await expect(run(wrap)).rejects.toEqual(wrong);
  });

  it("a context that does not fit is passed over, as in other hooks, where the middleware fails open", async () => {
    const heard: string[] = [];
    const open = createMiddleware({
      name: "w",
      failure: "open",
      onFailure: (_, hook) => heard.push(hook),
      contextSchema: z.object({ user: z.string() }),
      wrapModelCall: (request, handler) => handler(request),
    });
    const agent = createAgent({ model: new ScriptedModel("done"), middleware: [open] });
    const { messages } = await agent.invoke({ messages: "x" }, {} as never);
    expect([messages.at(-1)?.text, heard]).toEqual(["done", ["wrapModelCall"]]);
    const closed = createMiddleware({ ...open, failure: "closed" } as never);
    await expect(run(closed)).rejects.toEqual(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
