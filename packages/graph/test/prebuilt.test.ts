import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Annotation, Command, MessagesAnnotation, START, StateGraph } from "../src/index.ts";
import { createReactAgent, ToolNode, withAgentName } from "../src/prebuilt.ts";

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
