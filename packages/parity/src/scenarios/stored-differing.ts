import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as OurMemorySaver } from "@skein/checkpointer";
import { z } from "zod";
import type { Difference } from "../scenario.ts";
import { deltaState, leaves, thread, trailState } from "./kit.ts";

/** What is stored, and what is not. */
export const whatIsStored: readonly Difference[] = [
  {
    id: "what-is-stored",
    name: "an optional key of a StateSchema that nobody has set",
    there: [true, ["item", "n"]],
    here: [false, ["n"]],
    async run(lg) {
      let found = false;
      const State = new lg.StateSchema({ n: z.number().default(0), item: z.string().optional() });
      const graph = new lg.StateGraph(State)
        .addNode("node", (state: object) => {
          found = "item" in state;
          return { n: 1 };
        })
        .addEdge(lg.START, "node")
        .compile();
      const output = await graph.invoke({ n: 1 });
      return [found, Object.keys(output).toSorted()];
    },
  },
  {
    id: "what-is-stored",
    name: "a graph within one that is not stored",
    there: 2,
    here: 1,
    async run(lg) {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("n", leaves("n"))
        .addEdge(lg.START, "n")
        .compile();
      const middle = new lg.StateGraph(trailState(lg))
        .addNode("inner", inner)
        .addEdge(lg.START, "inner")
        .compile({ checkpointer: false });
      const saver = new MemorySaver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("middle", middle)
        .addEdge(lg.START, "middle")
        .compile({ checkpointer: saver });
      await graph.invoke({}, thread("1"));
      const namespaces = new Set<unknown>();
      for await (const { config } of saver.list(thread("1")))
        namespaces.add(config.configurable?.["checkpoint_ns"]);
      return namespaces.size;
    },
  },
  {
    id: "what-is-stored",
    name: "the graph that a Command names which a Send carries",
    there: ["told"],
    here: ["told", "outer"],
    async run(lg) {
      const told = { graph: lg.Command.PARENT, goto: "outer", update: { trail: ["told"] } };
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("does", (command: unknown) => command as object, { ends: [] })
        .addConditionalEdges(lg.START, () => [new lg.Send("does", new lg.Command(told))], ["does"])
        .compile({ interruptBefore: ["does"] });
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("inner", inner, { ends: ["outer"] })
        .addNode("outer", leaves("outer"))
        .addEdge(lg.START, "inner")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      return (await graph.invoke(null, thread("1"))).trail;
    },
  },
  {
    id: "what-is-stored",
    name: "what an answer by id wrote while another question waits",
    there: [["later", "y answered", "z answered"], "second"],
    here: [["later", "told", "y answered", "z answered"], "second"],
    async run(lg) {
      const asks = (name: string) => () => ({ trail: [`${name} ${lg.interrupt<string, string>(name)}`] });
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("y", asks("y"))
        .addNode("z", asks("z"))
        .addNode("later", leaves("later"))
        .addConditionalEdges(lg.START, () => ["y", "z"], ["y", "z", "later"])
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      const { tasks } = await graph.getState(thread("1"));
      const answer = (name: string) => {
        const asked = tasks.find((task) => task.name === name)?.interrupts[0];
        return { resume: { [String(asked?.id)]: "answered" } };
      };
      const first = new lg.Command({ ...answer("y"), update: { trail: ["told"], last: "first" } });
      await graph.invoke(first as never, thread("1"));
      const second = new lg.Command({ ...answer("z"), update: { last: "second" }, goto: "later" });
      const { trail, last } = await graph.invoke(second as never, thread("1"));
      return [trail.toSorted(), last];
    },
  },
  {
    id: "what-is-stored",
    name: "what a saver of ours has in a checkpoint of keys that hold nothing of the state's",
    there: [
      ["__pregel_tasks", "n", "untracked"],
      ["__pregel_tasks", "__start__", "branch:to:first", "n", "untracked"],
    ],
    here: [["n"], ["__pregel_tasks", "__start__", "branch:to:first", "n"]],
    async run(lg) {
      const saver = new OurMemorySaver();
      const State = new lg.StateSchema({
        n: z.number().default(0),
        untracked: new lg.UntrackedValue(z.string().optional()),
      });
      const graph = new lg.StateGraph(State)
        .addNode("first", () => ({ n: 1, untracked: "for now" }))
        .addNode("sent", () => ({ n: 2 }))
        .addEdge(lg.START, "first")
        .addConditionalEdges("first", () => [new lg.Send("sent", {})], ["sent"])
        .compile({ checkpointer: saver });
      await graph.invoke({ n: 0 }, thread("1"));
      const checkpoint = (await saver.getTuple(thread("1")))?.checkpoint;
      return [checkpoint?.channel_values, checkpoint?.channel_versions].map((of) =>
        Object.keys(of ?? {}).toSorted(),
      );
    },
  },
  {
    id: "what-is-stored",
    name: "several updates of one superstep that write a value kept as deltas",
    there: ["first", "by b"],
    here: ["first", "by b", "by c"],
    async run(lg) {
      const graph = new lg.StateGraph(deltaState(lg))
        .addNode("a", () => ({ log: "first" }))
        .addNode("b", () => ({ log: "b" }))
        .addNode("c", () => ({ log: "c" }))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .addEdge("a", "c")
        .compile({ checkpointer: new MemorySaver(), interruptAfter: ["a"] });
      await graph.invoke({}, thread("1"));
      const updates = ["b", "c"].map((asNode) => ({ values: { log: `by ${asNode}` }, asNode }));
      await graph.bulkUpdateState(thread("1"), [{ updates }]);
      return (await graph.getState(thread("1"))).values.log;
    },
  },
];
