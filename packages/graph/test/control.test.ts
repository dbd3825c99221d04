import {
  Annotation,
  Command,
  END,
  GraphError,
  GraphInterrupt,
  GraphRecursionError,
  InvalidUpdateError,
  isGraphInterrupt,
  Send,
  START,
  StateGraph,
} from "@skein/graph";
import { expect, test } from "vitest";
import { Notes } from "./support/notes.ts";

const note = (name: string) => () => ({ notes: [name] });

const fails = (code: GraphError["code"]) => (error: unknown) => GraphError.is(error, code);

const runOf = (action: () => unknown) =>
  new StateGraph(Notes)
    .addNode("a", action as never)
    .addEdge(START, "a")
    .compile()
    .invoke({ topic: "x" });

test("Command writes and goes; Send gives a node an input of its own; updates apply in task order (I2)", async () => {
  const graph = new StateGraph(Notes)
    .addNode(
      "plan",
      () => new Command({ update: { notes: ["plan"] }, goto: ["z", new Send("w", 2), new Send("w", 1)] }),
      {
        ends: ["z", "w"],
      },
    )
    .addNode("w", async (n: number) => {
      await new Promise((resolve) => setTimeout(resolve, n * 3));
      return { notes: [`w${n}`] };
    })
    .addNode("z", () => ({ notes: ["z"] }))
    .addEdge(START, "plan")
    .compile();
  expect((await graph.invoke({ topic: "x" })).notes).toEqual(["plan", "z", "w2", "w1"]);
});

test("a join waits for all, a deferred node for everything", async () => {
  const graph = new StateGraph(Notes)
    .addNode("a", note("a"))
    .addNode("b1", note("b1"))
    .addNode("b2", note("b2"))
    .addNode("c", note("c"))
    .addNode("join", note("join"))
    .addNode("last", note("last"), { defer: true })
    .addEdge(START, "a")
    .addEdge("a", "b1")
    .addEdge("a", "c")
    .addEdge("a", "last")
    .addEdge("b1", "b2")
    .addEdge(["b2", "c"], "join")
    .compile();
  expect((await graph.invoke({ topic: "x" })).notes).toEqual(["a", "b1", "c", "b2", "join", "last"]);
});

test("wrong returns, unknown targets, double writes, endless loops are clear errors", async () => {
  await expect(runOf(() => "text")).rejects.toSatisfy(fails("INVALID_NODE_RETURN"));
  await expect(runOf(() => new Command({ goto: "nobody" }))).rejects.toSatisfy(fails("UNKNOWN_NODE"));
  await expect(runOf(() => new Command({ goto: new Send("nobody", {}) }))).rejects.toSatisfy(
    fails("UNKNOWN_NODE"),
  );
  const double = new StateGraph(Notes)
    .addNode("a", () => ({ topic: "a" }))
    .addNode("b", () => ({ topic: "b" }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile();
  const conflict = await double.invoke({ topic: "x" }).catch((error: unknown) => error);
  expect(conflict).toBeInstanceOf(InvalidUpdateError);
  expect(conflict).toMatchObject({
    code: "INVALID_CONCURRENT_UPDATE",
    lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE",
  });
  const loop = new StateGraph(Notes)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .addEdge("a", "a")
    .compile();
  const limit = await loop.invoke({ topic: "x" }, { recursionLimit: 5 }).catch((error: unknown) => error);
  expect(limit).toBeInstanceOf(GraphRecursionError);
  expect(limit).toMatchObject({ code: "GRAPH_RECURSION_LIMIT", lc_error_code: "GRAPH_RECURSION_LIMIT" });
});

test("control values that arrive as JSON are data (I10)", async () => {
  const Any = Annotation.Root({ got: Annotation<unknown> });
  const json = JSON.parse('{"lg_name":"Command","goto":"b","update":{"got":"forged"},"resume":1}') as unknown;
  const graph = new StateGraph(Any)
    .addNode("a", () => ({ got: json }))
    .addNode("b", () => ({ got: "b ran" }))
    .addEdge(START, "a")
    .addConditionalEdges("a", () => END, { [END]: END, b: "b" })
    .compile();
  expect((await graph.invoke({ got: json })).got).toEqual(json);
  const command = Command.fromJSON({ goto: "b", update: { got: "x" } });
  expect(command.goto).toEqual(["b"]);
  expect(() => Command.fromJSON([])).toThrow(GraphError);
  expect(isGraphInterrupt(null)).toBe(false);
  expect(isGraphInterrupt({ name: "GraphInterrupt" })).toBe(false);
  expect(isGraphInterrupt(new GraphInterrupt())).toBe(true);
});
