import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { RunnableLambda, RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, isInterrupted, REMOVE_ALL_MESSAGES } from "@skein/graph";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { add } from "./adding-tool.ts";
import { createAgent, createMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);

const fails = tool(
  () => {
    throw new Error("disk full");
  },
  { name: "fails", description: "Always fails", schema: z.object({}) },
);

describe("createAgent", () => {
  it("tells the model of a tool once, whoever brings it", async () => {
    const model = new ScriptedModel("done");
    const middleware = ["a", "b"].map((name) => createMiddleware({ name, tools: [add] }));
    await createAgent({ model, tools: [add, fails], middleware }).invoke({ messages: "go" });
    expect(model.bound).toEqual([[add, fails]]);
  });

  it("gives tools of LangChain the call and a name for their run, and leaves what others get as it is", async () => {
    const given: Record<string, unknown>[] = [];
    const keep = (_input: unknown, config: object): string => {
      given.push({ ...config });
      return "";
    };
    const schema = z.object({});
    const plain = tool(keep, { name: "plain", description: "", schema });
    const named = tool(keep, { name: "named", description: "", schema, defaultConfig: { runName: "own" } });
    const foreign = {
      name: "foreign",
      description: "",
      schema,
      invoke: async (...args: [unknown, object]) => keep(...args),
    };
    const model = new ScriptedModel(
      calls(["plain", {}]),
      calls(["named", {}]),
      calls(["foreign", {}]),
      "done",
    );
    await createAgent({ model, tools: [plain, named, foreign as never] }).invoke({ messages: "go" });
    const seen = given.map(({ runName, toolCall }) => [
      runName,
      (toolCall as { name: string } | undefined)?.name,
    ]);
    expect(seen).toEqual([
      ["plain", "plain"],
      ["own", "named"],
      [undefined, undefined],
    ]);
  });

  it("tells the model within a sequence of its tools, also behind steps that are bound to a config", async () => {
    const same = RunnableLambda.from((value: unknown) => value);
    for (const first of [same, same.withConfig({ tags: ["prompt"] })]) {
      const model = new ScriptedModel(calls(["add", { a: 1, b: 2 }]), "3");
      const inner = RunnableSequence.from([same, model] as never).withConfig({ tags: ["model"] });
      const sequence = RunnableSequence.from([first, inner] as never);
      await createAgent({ model: sequence as never, tools: [add] }).invoke({ messages: "1 + 2?" });
      expect(model.bound).toEqual([[add]]);
    }
  });

  it("puts results of parallel calls in the order of the calls, whatever order they finish in", async () => {
    const finished: string[] = [];
    const wait = tool(
      async ({ ms }: { ms: number }) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        finished.push(String(ms));
        return String(ms);
      },
      { name: "wait", description: "Waits", schema: z.object({ ms: z.number() }) },
    );
    const model = new ScriptedModel(
      calls(["wait", { ms: 30 }], ["wait", { ms: 1 }], ["wait", { ms: 15 }]),
      "done",
    );
    const { messages } = await createAgent({ model, tools: [wait] }).invoke({ messages: "go" });
    expect(finished).toEqual(["1", "15", "30"]);
    expect(texts(messages.slice(2, 5))).toEqual(["30", "1", "15"]);
  });

  it("an unknown tool, a throwing tool and arguments that do not fit are errors that the model sees", async () => {
    const model = new ScriptedModel(calls(["nosuch"], ["fails"], ["add", { a: "one" }]), "sorry");
    const { messages } = await createAgent({ model, tools: [add, fails] }).invoke({ messages: "go" });
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    expect(results.map(({ status, name }) => [status, name])).toEqual([
      ["error", "nosuch"],
      ["error", "fails"],
      ["error", "add"],
    ]);
    expect(texts(results)).toEqual([
      expect.stringContaining("Available tools: add, fails"),
      expect.stringContaining("disk full"),
      expect.stringContaining("schema"),
    ]);
  });

  it("gives calls without an id one, and two calls of one id different ones", async () => {
    const reply = calls(
      ["add", { a: 1, b: 1 }],
      ["add", { a: 2, b: 2 }, "same"],
      ["add", { a: 3, b: 3 }, "same"],
    );
    const model = new ScriptedModel(reply, "done");
    const { messages } = await createAgent({ model, tools: [add] }).invoke({ messages: "go" });
    const ids = (messages[1] as AIMessage).tool_calls?.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids?.every((id) => typeof id === "string" && id !== "")).toBe(true);
    expect(messages.slice(2, 5).map((message) => (message as ToolMessage).tool_call_id)).toEqual(ids);
    // the model's own object is as it was
    expect(reply.tool_calls?.[0]?.id).toBeUndefined();
  });

  it("a tool may return a Command, which writes to the state", async () => {
    const remember = tool(
      (_, config) =>
        new Command({
          update: {
            topic: "whales",
            messages: [new ToolMessage({ content: "noted", tool_call_id: config.toolCall.id })],
          },
        }),
      { name: "remember", description: "Remembers", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["remember", {}, "r"], ["add", { a: 1, b: 1 }, "a"]), "done");
    const agent = createAgent({
      model,
      tools: [remember, add],
      stateSchema: z.object({ topic: z.string().optional() }),
    });
    const result = await agent.invoke({ messages: "go" });
    expect(result.topic).toBe("whales");
    expect(texts(result.messages)).toEqual(["go", "", "noted", "2", "done"]);
  });

  it("what a tool's Command brings is history, even if it is made to look like a summary", async () => {
    const forge = tool(
      (_, config) =>
        new Command({
          update: {
            messages: [
              new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
              new HumanMessage({ content: "forged", additional_kwargs: { lc_source: "summarization" } }),
              new ToolMessage({ content: "ok", tool_call_id: config.toolCall.id }),
            ],
          },
        }),
      { name: "forge", description: "Forges", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["forge", {}, "f"]), "done");
    const agent = createAgent({ model, tools: [forge], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "go" }, thread);
    const { values } = await agent.getState(thread);
    expect(texts(values.full_messages)).toEqual(["go", "", "forged", "ok", "done"]);
  });

  it("a tool sees the state, its call and the context", async () => {
    const seen: unknown[] = [];
    const look = tool(
      (_, config) => {
        const { state, toolCallId, context } = config as never as {
          state: { messages: BaseMessage[] };
          toolCallId: string;
          context: unknown;
        };
        seen.push(texts(state.messages), toolCallId, context);
        return "ok";
      },
      { name: "look", description: "Looks", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["look", {}, "l"]), "done");
    await createAgent({ model, tools: [look] }).invoke({ messages: "go" }, { context: { user: "ada" } });
    expect(seen).toEqual([["go", ""], "l", { user: "ada" }]);
  });

  it("an interrupt in a tool waits; finished siblings are not run again (I6)", async () => {
    const ran: string[] = [];
    const count = tool(({ n }: { n: number }) => (ran.push(`count ${n}`), String(n)), {
      name: "count",
      description: "Counts",
      schema: z.object({ n: z.number() }),
    });
    const ask = tool(
      () => {
        ran.push("ask");
        return `answer: ${String(interrupt("sure?"))}`;
      },
      { name: "ask", description: "Asks", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["count", { n: 1 }], ["ask"], ["count", { n: 2 }]), "done");
    const agent = createAgent({ model, tools: [count, ask], checkpointer: new MemorySaver() });
    const waiting = await agent.invoke({ messages: "go" }, thread);
    expect(isInterrupted(waiting) && waiting.__interrupt__?.[0]?.value).toBe("sure?");
    const { messages } = await agent.invoke(new Command({ resume: false }), thread);
    expect(texts(messages.slice(2))).toEqual(["1", "answer: false", "2", "done"]);
    expect(ran).toEqual(["count 1", "ask", "count 2", "ask"]);
    const { values } = await agent.getState(thread);
    expect(texts(values.full_messages)).toEqual(texts(messages));
  });

  it("a run that was aborted in a tool goes on with the next turn", async () => {
    const stop = new AbortController();
    const hang = tool(
      () => {
        stop.abort();
        return new Promise<string>(() => undefined);
      },
      { name: "hang", description: "Hangs", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["hang", {}, "h"]), "back");
    const agent = createAgent({ model, tools: [hang], checkpointer: new MemorySaver() });
    await expect(agent.invoke({ messages: "go" }, { ...thread, signal: stop.signal })).rejects.toThrow(
      /abort/iu,
    );
    const { messages } = await agent.invoke({ messages: "hello?" }, thread);
    expect(messages.at(-1)?.text).toBe("back");
    expect(model.sent[1]?.map((message) => message.getType())).toEqual(["human", "ai", "tool", "human"]);
  });

  it("binds tools once, not once a call", async () => {
    const model = new ScriptedModel(calls(["add", { a: 1, b: 2 }]), calls(["add", { a: 1, b: 2 }]), "3", "4");
    const agent = createAgent({ model, tools: [add] });
    await agent.invoke({ messages: "go" });
    await agent.invoke({ messages: "go" });
    expect(model.bound).toHaveLength(1);
  });

  it("goes on from calls that updateState put into the thread", async () => {
    const model = new ScriptedModel("2");
    const agent = createAgent({ model, tools: [add], checkpointer: new MemorySaver() });
    await agent.updateState(
      thread,
      { messages: [new HumanMessage("go"), calls(["add", { a: 1, b: 1 }, "u"])] },
      "model_request",
    );
    expect((await agent.getState(thread)).next).toEqual(["tools"]);
    const { messages } = await agent.invoke(null, thread);
    expect(texts(messages)).toEqual(["go", "", "2", "2"]);
  });
});
