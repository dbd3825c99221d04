import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Annotation, Command, END, MessagesAnnotation, START, StateGraph } from "../src/index.ts";
import { createReactAgent, ToolNode, toolsCondition, withAgentName } from "../src/prebuilt.ts";

const asking = (...names: readonly string[]): AIMessage =>
  new AIMessage({
    content: "",
    tool_calls: names.map((name) => ({ name, args: {}, id: `call-${name}`, type: "tool_call" as const })),
  });
const handing = (name: string, to: string) =>
  tool(() => new Command({ graph: Command.PARENT, update: { heard: [name] }, goto: to }), {
    name,
    description: "hands over",
    schema: z.object({}),
  });

describe("ToolNode", () => {
  it("tells the model of a tool that throws what has no text", async () => {
    const throws = tool(
      async () => {
        throw Object.create(null);
      },
      { name: "throws", description: "fails", schema: z.object({}) },
    );
    const [message] = await new ToolNode([throws]).invoke([asking("throws")]);
    expect(message).toMatchObject({ status: "error", tool_call_id: "call-throws" });
  });

  it("commands of several tools for the parent all reach it, each with its update", async () => {
    const State = Annotation.Root({
      ...MessagesAnnotation.spec,
      heard: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    });
    const inner = new StateGraph(State)
      .addNode("tools", new ToolNode([handing("one", "a"), handing("two", "b")]))
      .addEdge(START, "tools")
      .compile();
    const graph = new StateGraph(State)
      .addNode("inner", inner, { ends: ["a", "b"] })
      .addNode("a", () => ({ heard: ["at a"] }))
      .addNode("b", () => ({ heard: ["at b"] }))
      .addEdge(START, "inner")
      .compile();
    const { heard } = await graph.invoke({ messages: [asking("one", "two")] });
    expect(heard).toEqual(["one", "two", "at a", "at b"]);
  });

  it("a tool that throws what is no Error, and one that returns nothing", async () => {
    const node = new ToolNode([
      tool(
        () => {
          // oxlint-disable-next-line typescript/only-throw-error -- what careless tools do
          throw "a text";
        },
        { name: "throws", description: "throws", schema: z.object({}) },
      ),
      tool(() => undefined as never, { name: "silent", description: "says nothing", schema: z.object({}) }),
    ]);
    const { messages } = await node.invoke({ messages: [asking("throws", "silent")] });
    expect(messages[0].content).toBe("Error: a text\n Please fix your mistakes.");
    expect(messages[1].status).not.toBe("error");
  });

  it("tells the model the message of whatever a tool throws that has one, as in LangGraph", async () => {
    const throws = tool(
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- what some clients of servers throw
        throw { status: 429, message: "slow down" };
      },
      { name: "throws", description: "throws", schema: z.object({}) },
    );
    const [message] = await new ToolNode([throws]).invoke([asking("throws")]);
    expect(message.content).toBe("Error: slow down\n Please fix your mistakes.");
  });

  it("alone, outside of a graph, gives its tools a config with `configurable`", async () => {
    const who = tool((_input, config) => `user ${String(config.configurable.user)}`, {
      name: "who",
      description: "who asks",
      schema: z.object({}),
    });
    const [message] = await new ToolNode([who]).invoke([asking("who")]);
    expect(message.content).toBe("user undefined");
    const [named] = await new ToolNode([who]).invoke([asking("who")], { configurable: { user: "Ada" } });
    expect(named.content).toBe("user Ada");
  });

  it("what is no tool of LangChain's may return nothing, and a call may have no id, as in LangGraph", async () => {
    const silent = { name: "silent", invoke: () => Promise.resolve(undefined) };
    const call = { name: "silent", args: {}, type: "tool_call" as const };
    const asked = new AIMessage({ content: "", tool_calls: [call] });
    const [message] = await new ToolNode([silent as never]).invoke([asked]);
    expect(message.content).toEqual([]);
    expect(message.tool_call_id).toBeUndefined();
  });

  it.each([
    ["no list", { messages: "text" }],
    ["nothing", undefined],
    ["no AI message", [new HumanMessage("hi")]],
  ])("refuses %s", async (_what, input) => {
    await expect(new ToolNode([]).invoke(input)).rejects.toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }),
    );
  });
});

describe("toolsCondition", () => {
  it("a message whose calls are null asks for nothing", () => {
    const said = Object.assign(new AIMessage("done"), { tool_calls: null });
    expect(toolsCondition({ messages: [said as never] })).toBe(END);
    expect(toolsCondition([asking("one")])).toBe("tools");
  });
});

it.each([false, "", undefined, null])(
  "an agent without names in its texts says so by %j, as in LangGraph",
  async (includeAgentName) => {
    const llm = new FakeListChatModel({ responses: ["hello"] });
    const given = { llm: () => llm, tools: [], includeAgentName } as never;
    const { messages } = await createReactAgent(given).invoke({ messages: "hi" });
    expect(messages.at(-1)?.content).toBe("hello");
  },
);

describe("createReactAgent refuses", () => {
  const code = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
  it("a state without messages", () => {
    const stateSchema = Annotation.Root({ other: Annotation<string>() });
    expect(() => createReactAgent({ llm: {} as never, tools: [], stateSchema })).toThrow(code);
  });
  it("two prompts", () => {
    expect(() => createReactAgent({ llm: {} as never, tools: [], prompt: "a", stateModifier: "b" })).toThrow(
      code,
    );
  });
  it("a prompt of no known kind", () => {
    expect(() => createReactAgent({ llm: {} as never, tools: [], prompt: 7 as never })).toThrow(code);
  });
  it("an llm that is no model, when it is called", async () => {
    const agent = createReactAgent({ llm: {} as never, tools: [] });
    await expect(agent.invoke({ messages: "hi" })).rejects.toThrow(code);
  });
  it("a way to tell names that there is not", () => {
    expect(() => withAgentName({} as never, "outside" as never)).toThrow(code);
  });
});
