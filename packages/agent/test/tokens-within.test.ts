import { FakeListChatModel } from "@langchain/core/utils/testing";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, dualTrackMessages, isAgentToken } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const saying = (text: string) => new FakeListChatModel({ responses: [text] });
const quick = tool(() => "done", { name: "quick", description: "", schema: z.object({}) });

/** What a user of the stream is shown. */
async function shown(stream: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    const [message, metadata] = chunk as [{ text: string }, Record<string, unknown>];
    if (isAgentToken(metadata)) text += message.text;
  }
  return text;
}

describe("tokens of an agent that another one asks are none of its own", () => {
  const hooks = ["beforeAgent", "beforeModel", "wrapModelCall", "wrapToolCall", "afterModel", "afterAgent"];
  const places = ["within", "without a thread", "on a thread of its own"] as const;

  it.each(hooks.flatMap((hook) => places.map((place) => [hook, place] as const)))(
    "asked by %s, %s",
    async (hook, place) => {
      const isOwn = place === "on a thread of its own";
      const guard = createAgent({
        model: saying("G"),
        ...(isOwn ? { checkpointer: new MemorySaver() } : {}),
      });
      let asked = 0;
      const ask = async () => {
        asked += 1;
        await guard.invoke({ messages: "May it?" }, isOwn ? { configurable: { thread_id: "g" } } : {});
      };
      const wrap = async <Request, Reply>(request: Request, handler: (request: Request) => Reply) => {
        await ask();
        return handler(request);
      };
      const middleware = createMiddleware({
        name: "guarded",
        [hook]: hook.startsWith("wrap") ? wrap : ask,
      } as {
        name: string;
      });
      const agent = createAgent({
        model: new ScriptedModel(calls(["quick"]), "hello"),
        tools: [quick],
        middleware: [middleware],
        ...(place === "without a thread" ? {} : { checkpointer: new MemorySaver() }),
      });
      expect(await shown(await agent.stream({ messages: "go" }, { ...thread, streamMode: "messages" }))).toBe(
        "hello",
      );
      expect(asked).toBeGreaterThan(0);
    },
  );

  it("nor those of one that a tool asks, whatever config it hands on", async () => {
    const helper = createAgent({ model: saying("H") });
    const ask = tool(async () => (await helper.invoke({ messages: "Help" })).messages.at(-1)?.text, {
      name: "ask",
      description: "",
      schema: z.object({}),
    });
    const agent = createAgent({ model: new ScriptedModel(calls(["ask"]), "hello"), tools: [ask] });
    expect(await shown(await agent.stream({ messages: "go" }, { streamMode: "messages" }))).toBe("hello");
  });

  it("an agent that is a node of a graph speaks for itself", async () => {
    const graph = new StateGraph(dualTrackMessages())
      .addNode("support", createAgent({ model: saying("S") }).graph)
      .addEdge(START, "support")
      .compile();
    const stream = await graph.stream({ messages: "go" }, { streamMode: "messages", subgraphs: true });
    const chunks = async function* () {
      for await (const [, chunk] of stream as AsyncIterable<[string[], unknown]>) yield chunk;
    };
    expect(await shown(chunks())).toBe("S");
  });
});
