import { SystemMessage } from "@langchain/core/messages";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { dynamicSystemPromptMiddleware } from "../src/dynamic-system-prompt/index.ts";
import { recallMiddleware } from "../src/recall/index.ts";
import { todoListMiddleware } from "../src/todo-list/index.ts";
import { toolEmulatorMiddleware } from "../src/tool-emulator/index.ts";
import { llmToolSelectorMiddleware } from "../src/tool-selector/index.ts";
import { call, inLines, onThread, recorded, Replies, saying, says } from "./replies.ts";

describe("to-do list (E4)", () => {
  const todos = [
    { content: "pack", status: "completed" as const },
    { content: "move", status: "in_progress" as const },
  ];

  it("the model writes it, the state and the result show it", async () => {
    const model = saying([call("write_todos", { todos })], "done");
    const agent = createAgent({
      model,
      systemPrompt: "You help.",
      middleware: [todoListMiddleware()],
      checkpointer: new MemorySaver(),
    });
    const result = await agent.invoke(says("move"), onThread("t"));
    expect(result.todos).toEqual(todos);
    expect(inLines(result.messages)[2]).toBe(`tool: The list is written: ${JSON.stringify(todos)}`);
    expect(model.prompts[0]?.[0]?.text).toMatch(/^You help\.\n\n## Your to-do list/u);
    expect(model.offered[0]).toEqual(["write_todos"]);
    const later = await agent.invoke(says("and?"), onThread("t"));
    expect(later.todos).toEqual(todos);
  });

  it("two lists in one reply are refused, other calls run", async () => {
    const look = recorded("look");
    const twice = [
      call("write_todos", { todos }, "1"),
      call("look", {}, "2"),
      call("write_todos", { todos: [] }, "3"),
    ];
    const agent = createAgent({
      model: saying(twice, "done"),
      tools: [look],
      middleware: [todoListMiddleware()],
    });
    const { messages, todos: list } = await agent.invoke(says("go"));
    expect(list).toEqual([]);
    expect(look.calls).toHaveLength(1);
    expect(inLines(messages).filter((line) => line.startsWith("tool!: Call write_todos once"))).toHaveLength(
      2,
    );
    const only = [call("write_todos", { todos }, "1"), call("write_todos", { todos }, "2")];
    const alone = createAgent({ model: saying(only, "then not"), middleware: [todoListMiddleware()] });
    expect((await alone.invoke(says("go"))).messages.at(-1)?.text).toBe("then not");
  });

  it("prompts can be one's own; a list in a wrong form is an error for the model", async () => {
    const model = saying([call("write_todos", { todos: [{ content: "x", status: "late" }] })], "done");
    const agent = createAgent({ model, middleware: [todoListMiddleware({ systemPrompt: "Plan." })] });
    const { messages } = await agent.invoke(says("go"));
    expect(model.prompts[0]?.[0]?.text).toBe("Plan.");
    expect(inLines(messages)[2]).toMatch(/^tool!/u);
    expect(await run(todoListMiddleware({ systemPrompt: "" }), "You help.")).toEqual(["You help.", "go"]);
  });
});

const run = async (middleware: AnyAgentMiddleware, systemPrompt?: string | SystemMessage) => {
  const model = saying("ok");
  await createAgent({
    model,
    middleware: [middleware],
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  }).invoke(says("go"), {
    configurable: { user: "ann" },
  });
  return model.prompts[0]?.map(({ content }) => content);
};

describe("dynamic system prompt (E4)", () => {
  it("is added to the agent's", async () => {
    const byUser = dynamicSystemPromptMiddleware(
      async ({ messages }, { configurable }) => `${String(configurable?.["user"])} said ${messages.length}`,
    );
    expect(await run(byUser)).toEqual(["ann said 1", "go"]);
    expect(await run(byUser, "You help.")).toEqual(["You help.\n\nann said 1", "go"]);
    const blocks = new SystemMessage({
      content: [{ type: "text", text: "Cached.", cache_control: { type: "ephemeral" } }],
    });
    const [prompt] = (await run(byUser, blocks)) ?? [];
    expect(prompt).toEqual([
      { type: "text", text: "Cached.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "\n\nann said 1" },
    ]);
  });

  it("may be a message, or nothing; anything else ends the run", async () => {
    expect(await run(dynamicSystemPromptMiddleware(() => new SystemMessage("From a message.")))).toEqual([
      "From a message.",
      "go",
    ]);
    const message = dynamicSystemPromptMiddleware(() => new SystemMessage("From a message."));
    expect(await run(message, "You help.")).toEqual(["You help.\n\nFrom a message.", "go"]);
    const nothing = dynamicSystemPromptMiddleware(() => new SystemMessage(""));
    expect(await run(nothing, "You help.")).toEqual(["You help.", "go"]);
    const content = [{ type: "text" as const, text: "From blocks." }];
    const blocks = dynamicSystemPromptMiddleware(() => new SystemMessage({ content }));
    expect(await run(blocks, "You help.")).toEqual([[{ type: "text", text: "You help." }, ...content], "go"]);
    expect(await run(dynamicSystemPromptMiddleware(() => ""))).toEqual(["go"]);
    await expect(run(dynamicSystemPromptMiddleware(() => 7 as never))).rejects.toThrow("returned number");
  });
});

describe("tool selector (E4)", () => {
  const tools = ["look", "find", "pay"].map((name) => recorded(name));

  async function offered(structured: unknown, options: Parameters<typeof llmToolSelectorMiddleware>[0] = {}) {
    const selector = new Replies([""], structured);
    const model = saying("ok");
    const agent = createAgent({
      model,
      tools,
      middleware: [llmToolSelectorMiddleware({ model: selector, ...options })],
    });
    const events: unknown[] = [];
    for await (const event of await agent.stream(says("find it"), { streamMode: "custom" }))
      events.push(event);
    return { names: model.offered[0], events, selector };
  }

  it("offers what was selected, at most so many, and what is always there", async () => {
    expect((await offered({ tools: ["find", "look"] })).names).toEqual(["look", "find"]);
    expect((await offered({ tools: ["find", "look"] }, { maxTools: 1 })).names).toEqual(["find"]);
    expect((await offered({ tools: ["find"] }, { alwaysInclude: ["pay"] })).names).toEqual(["find", "pay"]);
    expect((await offered({ tools: [] })).names).toBeUndefined();
  });

  it("the user does not read along", async () => {
    const { selector } = await offered({ tools: ["find"] });
    expect(selector.asked[0]?.tags).toEqual(expect.arrayContaining(["nostream"]));
  });

  it("fails open (E3): all tools, and an event", async () => {
    for (const structured of [
      undefined,
      { tools: "find" },
      { tools: ["fly"] },
      () => Promise.reject(new Error("down")),
    ]) {
      const { names, events } = await offered(structured);
      expect(names).toEqual(["look", "find", "pay"]);
      expect(events).toEqual([{ type: "tool-selection-failure", message: expect.any(String) }]);
    }
    expect((await offered({ tools: ["fly", "find"] })).names).toEqual(["find"]);
  });

  it("a tool of recall that is always to be there is not there for users who switched recall off", async () => {
    const model = new Replies(["done"], { tools: ["look"] });
    const middleware = [
      recallMiddleware(),
      llmToolSelectorMiddleware({ alwaysInclude: ["recall_tool_call"] }),
    ];
    const agent = createAgent({ model, tools: [recorded("look")], middleware });
    for (const enabled of [false, true])
      await agent.invoke(says("go"), { context: { contextOptimization: { enabled } } });
    expect(model.offered).toEqual([["look"], ["look", "recall_tool_call"]]);
  });

  it("a tool that is always to be there and is not is an error", async () => {
    await expect(offered({ tools: [] }, { alwaysInclude: ["fly"] })).rejects.toThrow("fly");
    expect(() => llmToolSelectorMiddleware({ maxTools: 0 })).toThrow("maxTools");
  });
});

describe("tool emulator (E4)", () => {
  it("a model answers in the tools' stead", async () => {
    const look = recorded("look");
    const find = recorded("find");
    const emulator = saying("looked up");
    const agent = createAgent({
      model: saying([call("look", { at: 1 }, "1"), call("find", {}, "2")], "done"),
      tools: [look, find],
      middleware: [toolEmulatorMiddleware({ tools: [look], model: emulator })],
    });
    const { messages } = await agent.invoke(says("go"));
    expect(inLines(messages).slice(2, 4)).toEqual(["tool: looked up", "tool: find done"]);
    expect([look.calls.length, find.calls.length]).toEqual([0, 1]);
    expect(emulator.prompts[0]?.[0]?.text).toContain(
      'Tool: look\nDescription: Does look\nArguments: {"at":1}',
    );
  });

  it("by default the agent's model, for all tools, out of the user's sight", async () => {
    const look = recorded("look");
    const model = saying([call("look")], "made up", "done");
    const agent = createAgent({ model, tools: [look], middleware: [toolEmulatorMiddleware()] });
    const seen: string[] = [];
    for await (const [message] of await agent.stream(says("go"), { streamMode: "messages" })) {
      if (message.type === "ai") seen.push(message.text);
    }
    expect(seen.join("")).toBe("done");
    expect(look.calls).toHaveLength(0);
  });
});
