import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, interrupt, MemorySaver, MessagesAnnotation } from "@langchain/langgraph";
import { LastValue, Topic } from "@langchain/langgraph/channels";
import { createAgent, createMiddleware } from "@skein/agent";
import { START, StateGraph, StateSchema, UntrackedValue } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calls, ScriptedModel } from "../../agent/test/scripted-model.ts";

// What a program still imports from @langchain/langgraph, or a package that it uses.

const sum = Annotation<number>({ reducer: (left, right) => left + right, default: () => 1 });
const Plain = Annotation.Root({ total: sum, last: Annotation<string> });
const model = () => new ScriptedModel("done");

describe("states made with LangGraph's Annotation", () => {
  it("run in a graph", async () => {
    const State = Annotation.Root({
      ...Plain.spec,
      ...MessagesAnnotation.spec,
      seen: () => new Topic<string>({ accumulate: true }),
      other: new LastValue<number>(() => 7),
    });
    const graph = new StateGraph(State as never)
      .addNode("a", (state: { other: number }) => ({
        total: 2,
        last: "a",
        seen: "x",
        other: state.other + 1,
      }))
      .addEdge(START, "a")
      .compile();
    const input = { total: 3, messages: [{ role: "user", content: "hi" }] } as never;
    const { messages, ...rest } = (await graph.invoke(input)) as { messages: HumanMessage[] };
    expect(rest).toEqual({ total: 6, last: "a", seen: ["x"], other: 8 });
    expect(messages.map(({ text, id }) => [text, typeof id])).toEqual([["hi", "string"]]);
  });

  it("are states of agents and their middleware", async () => {
    const agent = createAgent({ model: model(), stateSchema: Plain as never });
    expect(await agent.invoke({ messages: "go", total: 4, last: "x" } as never)).toMatchObject({
      total: 5,
      last: "x",
    });
    const Own = Annotation.Root({ ...MessagesAnnotation.spec, total: sum });
    const adds = createMiddleware({
      name: "adds",
      stateSchema: Own as never,
      beforeModel: () => ({ total: 2 }) as never,
    });
    const result = await createAgent({ model: model(), middleware: [adds] }).invoke({ messages: "go" });
    expect(result).toMatchObject({ total: 3 });
  });

  it("say which key is of a kind that is not known", () => {
    class Own extends LastValue<string> {
      override lc_graph_name = "Own";
    }
    const State = Annotation.Root({ key: new Own() as never });
    expect(() => new StateGraph(State as never)).toThrow(/Key "key".*no channel of @skein\/graph/u);
  });
});

it("a key that is not stored may stand in the state of an agent", async () => {
  const stateSchema = new StateSchema({ token: new UntrackedValue(z.string()) });
  const agent = createAgent({ model: model(), stateSchema });
  expect(await agent.invoke({ messages: "go", token: "t" })).toMatchObject({ token: "t" });
});

it("LangGraph's interrupt in a tool ends the run instead of being told to the model", async () => {
  const ask = tool(() => interrupt("sure?"), { name: "ask", description: "", schema: z.object({}) });
  const asking = new ScriptedModel(calls(["ask"]), "done");
  const agent = createAgent({ model: asking, tools: [ask], checkpointer: new MemorySaver() });
  const run = agent.invoke({ messages: [new HumanMessage("go")] }, { configurable: { thread_id: "t" } });
  await expect(run).rejects.toMatchObject({ code: "OUTSIDE_RUN", details: { tool: "ask" } });
});
