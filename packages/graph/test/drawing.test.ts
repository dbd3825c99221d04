import { expect, test } from "vitest";
import { Annotation, END, START, StateGraph } from "@skein/graph";

const State = Annotation.Root({ topic: Annotation<string> });
const node = () => ({});
const agent = () =>
  new StateGraph(State)
    .addNode("agent", node)
    .addNode('say "hi"', node)
    .addEdge(START, "agent")
    .addConditionalEdges("agent", () => "go", { go: 'say "hi"', stop: END })
    .addEdge('say "hi"', "agent")
    .compile();

test("A11: a graph as plain text", () => {
  expect(agent().getGraph().drawText()).toBe(
    [
      "__start__",
      "  --> agent",
      "agent",
      '  ..> say "hi" (go)',
      "  ..> __end__ (stop)",
      'say "hi"',
      "  --> agent",
      "__end__",
      "",
    ].join("\n"),
  );
});

test("A11: a graph as DOT, names quoted", () => {
  expect(agent().getGraph().drawDot()).toBe(
    [
      "digraph {",
      "  node [shape=box];",
      '  "__start__" [label="__start__", shape=oval];',
      '  "agent" [label="agent"];',
      '  "say \\"hi\\"" [label="say \\"hi\\""];',
      '  "__end__" [label="__end__", shape=oval];',
      '  "__start__" -> "agent";',
      '  "say \\"hi\\"" -> "agent";',
      '  "agent" -> "say \\"hi\\"" [label="go", style=dashed];',
      '  "agent" -> "__end__" [label="stop", style=dashed];',
      "}",
      "",
    ].join("\n"),
  );
});

test("A11: a graph as Mermaid, and with the graphs in it", async () => {
  const outer = new StateGraph(State)
    .addNode("before", node)
    .addNode("inner", agent())
    .addEdge(START, "before")
    .addEdge("before", "inner")
    .compile();
  const closed = outer.getGraph();
  expect(closed.drawMermaid()).toContain("before --> inner");
  const open = await outer.getGraphAsync({ xray: true });
  expect(open.drawMermaid()).toContain("subgraph inner");
  expect(open.drawText()).toContain("before\n  --> inner:__start__\n");
});

test("drawing changes nothing about the graph that is drawn", () => {
  const graph = new StateGraph(State)
    .addNode("a", node, { metadata: { team: "red" } })
    .addEdge(START, "a")
    .compile({ interruptBefore: ["a"] });
  expect(graph.getGraph().nodes["a"]?.metadata).toEqual({ team: "red", __interrupt: "before" });
  expect(graph.withConfig({}).getGraph().drawMermaid()).toBe(graph.getGraph().drawMermaid());
});
