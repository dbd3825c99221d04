import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

/** What programs of the documentation do that no other scenario does. */
export const howTos = [
  scenario("an entrypoint is drawn, and its function tried alone", async (lg, t) => {
    const double = lg.entrypoint({ name: "double", checkpointer: new MemorySaver() }, async (n: number) => ({
      doubled: 2 * n,
    }));
    const drawn = await double.getGraphAsync({});
    t.note("drawing", drawn.drawMermaid());
    t.note("nodes", Object.keys(double.nodes));
    t.note("alone", await double.nodes["double"]?.invoke(4));
    t.note("shown", [double.streamChannelsList, double.streamChannelsAsIs, double.validate() === double]);
    await t.state(double, thread("1"));
  }),
  scenario(
    "a connection comes with the input, is not tracked, and a graph within does not know it",
    async (lg, t) => {
      const db = { query: (text: string) => `${text}!` };
      const State = new lg.StateSchema({
        answer: z.string().default(""),
        db: new lg.UntrackedValue<typeof db>(),
      });
      const inner = new lg.StateGraph(new lg.StateSchema({ answer: z.string().default("") }))
        .addNode("inside", ({ answer }) => ({ answer: `${answer} in` }))
        .addEdge(lg.START, "inside")
        .compile();
      const graph = new lg.StateGraph(State)
        .addNode("ask", (state) => ({ answer: state.db.query("ask") }))
        .addNode("inner", inner)
        .addNode("last", (state) => ({ answer: state.db.query(state.answer) }))
        .addEdge(lg.START, "ask")
        .addEdge("ask", "inner")
        .addEdge("inner", "last")
        .compile({ checkpointer: new MemorySaver() });
      t.note("answer", (await graph.invoke({ db }, thread("1"))).answer);
      await t.history(graph, thread("1"));
    },
  ),
  scenario("handlers of all nodes may lead to nodes that nothing else leads to", async (lg, t) => {
    const State = new lg.StateSchema({ done: z.string() });
    const graph = new lg.StateGraph(State)
      .setNodeDefaults({ errorHandler: () => new lg.Command({ goto: "rescue" }) as never })
      .addNode("work", ({ done }) => {
        if (done === "broken") throw new Error("broken");
        return { done: "worked" };
      })
      .addNode("rescue", () => ({ done: "rescued" }))
      .addEdge(lg.START, "work")
      .compile();
    t.note("well", await graph.invoke({ done: "" }));
    t.note("broken", await graph.invoke({ done: "broken" }));
    t.note("drawing", (await graph.getGraphAsync()).drawMermaid());
    await t.fails(() =>
      new lg.StateGraph(State)
        .setNodeDefaults({ timeout: 1000 })
        .addNode("work", () => ({}))
        .addNode("lost", () => ({}))
        .addEdge(lg.START, "work")
        .compile(),
    );
  }),
];
