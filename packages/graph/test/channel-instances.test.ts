import { expect, test } from "vitest";
import { END, START, StateGraph } from "@skein/graph";
import { BinaryOperatorAggregate, LastValue, Topic } from "@skein/graph/channels";

test("channels that are given as such are the state's channels", async () => {
  interface Shape {
    sum: number;
    name: string;
    seen: string[];
  }
  const channels = {
    sum: new BinaryOperatorAggregate<number>(
      (a, b) => a + b,
      () => 10,
    ),
    name: new LastValue<string>(),
    seen: new Topic<string>({ accumulate: true }),
  };
  const graph = new StateGraph<Shape>({ channels })
    .addNode("a", () => ({ sum: 1, seen: ["a"] }))
    .addNode("b", () => ({ sum: 2, seen: ["b"] }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge("a", END)
    .addEdge("b", END)
    .compile();
  expect(await graph.invoke({ name: "n" })).toEqual({ sum: 13, name: "n", seen: ["a", "b"] });
  expect(await graph.invoke({ name: "m" })).toEqual({ sum: 13, name: "m", seen: ["a", "b"] });
});
