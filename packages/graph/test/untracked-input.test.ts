import { MemorySaver as LangGraphSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Command, Send, START, StateGraph, StateSchema, UntrackedValue } from "@skein/graph";

interface Connection {
  query(text: string): string;
}
const connection: Connection = { query: (text) => `${text}!` };
const State = new StateSchema({
  answer: z.string().optional(),
  db: new UntrackedValue<Connection>(),
});
const thread = { configurable: { thread_id: "1" } };

describe.each([
  ["Skein's saver", () => new MemorySaver()],
  ["LangGraph's saver", () => new LangGraphSaver()],
])("keys that are not tracked, on %s", (_, saver) => {
  const build = () =>
    new StateGraph(State)
      .addNode("ask", ({ db }) => ({ answer: db.query("one") }))
      .addNode("again", ({ answer, db }) => ({ answer: db.query(answer ?? "") }))
      .addEdge(START, "ask")
      .addEdge("ask", "again")
      .compile({ checkpointer: saver() });

  it("may come with the input, and are not stored with it", async () => {
    const graph = build();
    expect(await graph.invoke({ db: connection }, thread)).toEqual({ answer: "one!!", db: connection });
    const seen: unknown[] = [];
    for await (const { values, tasks } of graph.getStateHistory(thread)) {
      seen.push(values, ...tasks.map(({ result }) => result));
    }
    expect(JSON.stringify(seen)).not.toContain("db");
  });

  it("may come with an update as input", async () => {
    const graph = build();
    await graph.updateState(thread, { db: connection, answer: "from outside" }, "__input__");
    await graph.updateState(thread, { answer: "here" }, "again");
    expect((await graph.getState(thread)).values).toEqual({ answer: "here" });
  });

  it("may come with a Command, and what it sends", async () => {
    const call = new Command({ goto: new Send("again", { answer: "x", db: connection }) });
    expect(await build().invoke(call, thread)).toMatchObject({ answer: "x!" });
  });

  it("are not stored with the input of a graph that is a node", async () => {
    const Inner = new StateSchema({ answer: z.string().optional() });
    const seen: string[][] = [];
    const inner = new StateGraph(Inner)
      .addNode("inside", (state) => {
        seen.push(Object.keys(state));
        return { answer: "in" };
      })
      .addEdge(START, "inside")
      .compile();
    const graph = new StateGraph(State)
      .addNode("node", inner)
      .addNode("caller", (state) => inner.invoke(state))
      .addNode("after", ({ answer, db }) => ({ answer: db.query(answer ?? "") }))
      .addEdge(START, "node")
      .addEdge("node", "caller")
      .addEdge("caller", "after")
      .compile({ checkpointer: saver() });
    expect(await graph.invoke({ db: connection }, thread)).toMatchObject({ answer: "in!" });
    expect(seen).toEqual([[], ["answer"]]);
  });
});
