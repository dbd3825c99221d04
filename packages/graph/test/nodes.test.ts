import { Annotation, START, StateGraph } from "@skein/graph";
import { Channel, Pregel } from "@skein/graph/pregel";
import { LastValue } from "@skein/graph/channels";
import { expect, it } from "vitest";

const State = Annotation.Root({
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});

it("a node of a compiled graph is tried alone: it does what it does, and nothing is written", async () => {
  const graph = new StateGraph(State)
    .addNode("first", ({ log }) => ({ log: `first after ${log.length}` }))
    .addNode("second", async () => ({ log: "second" }))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .compile();
  expect(Object.keys(graph.nodes)).toEqual([START, "first", "second"]);
  expect(await graph.nodes["first"]?.invoke({ log: ["a", "b"] })).toEqual({ log: "first after 2" });
  expect(await graph.nodes["second"]?.invoke({})).toEqual({ log: "second" });
  expect(graph.streamChannelsList).toEqual(["log"]);
  expect(graph.validate()).toBe(graph);
});

it("nodes of a compiled graph can be wired by hand, to other channels", async () => {
  const graph = new StateGraph(State)
    .addNode("n", ({ log }) => ({ log: log.join() }))
    .addEdge(START, "n")
    .compile();
  const node = graph.nodes["n"];
  const program = new Pregel({
    nodes: {
      n: Channel.subscribeTo("log", { key: "log" })
        .pipe((state: object) => node?.invoke(state))
        .pipe(Channel.writeTo(["out"])),
    },
    channels: { log: new LastValue<string[]>(), out: new LastValue<unknown>() },
    inputChannels: "log",
    outputChannels: "out",
  });
  expect(await program.invoke(["a", "b"])).toEqual({ log: "a,b" });
});
