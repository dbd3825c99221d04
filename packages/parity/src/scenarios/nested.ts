import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";
import { above, asking, counting } from "./persistence.ts";

const names = (list: Iterable<[string, unknown]>): string[] => [...list].map(([name]) => name);

/** Graphs in graphs, beside others and within others. */
export const nested = [
  scenario("Sends to a subgraph that asks: each is answered by its id", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(
      lg.Annotation.Root({ item: lg.Annotation<number>(), trail: lg.Annotation<string[]>() }),
    )
      .addNode("ask", (state) => ({ trail: [`${state.item}: ${lg.interrupt(`${state.item}?`)}`] }))
      .addEdge(lg.START, "ask")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addConditionalEdges(lg.START, () => [1, 2].map((item) => new lg.Send("sub", { item })), ["sub"])
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    const { tasks } = await t.state(graph, thread("1"));
    const resume = Object.fromEntries(
      tasks.flatMap((task) => task.interrupts.map((one) => [one.id, `for ${String(one.value)}`])),
    );
    await t.invoke(graph, new lg.Command({ resume }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a node's config names the checkpoints of the graphs around it", async (lg, t) => {
    const maps: Record<string, unknown> = {};
    const note = (name: string, { configurable }: LangGraphRunnableConfig) => {
      const map = (configurable?.["checkpoint_map"] ?? {}) as Record<string, string>;
      maps[name] = Object.entries(map).map(([namespace, id]) => [namespace.replace(/:.*/, ""), id.length]);
      return { last: name };
    };
    const tells = (name: string) => (_: unknown, config: LangGraphRunnableConfig) => note(name, config);
    const state = lg.Annotation.Root({ last: lg.Annotation<string>() });
    const graphOf = (name: string) => new lg.StateGraph(state).addNode(name, tells(name));
    const inner = graphOf("b").addEdge(lg.START, "b").compile();
    const called = lg.task("called", async () => {
      note("task", lg.getConfig());
      return inner.invoke({ last: "x" });
    });
    const calls = async (_: unknown, config: LangGraphRunnableConfig) => {
      note("calls", config);
      await called();
      maps["b of called"] = maps["b"];
      await inner.invoke({ last: "y" });
      return {};
    };
    const middle = graphOf("c")
      .addNode("calls", calls)
      .addEdge(lg.START, "c")
      .addEdge("c", "calls")
      .compile();
    const graph = graphOf("a")
      .addNode("middle", middle)
      .addEdge(lg.START, "a")
      .addEdge("a", "middle")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    t.note("maps", maps);
    const [, , older] = await t.history(graph, thread("1"));
    await t.invoke(graph, null, older?.config);
    t.note("maps of a run from an older checkpoint", maps);
  }),

  scenario("two graphs called one after the other in a node, both ask", async (lg, t) => {
    const saver = t.saver();
    const inner = asking(lg).compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("call", async () => {
        const first = await inner.invoke({ last: "first" });
        const second = await inner.invoke({ last: first.last });
        return { last: second.last };
      })
      .addEdge(lg.START, "call")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "one" }), thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "two" }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a subgraph beside a node that asks: it is not run again", async (lg, t) => {
    const ran: string[] = [];
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("in", () => {
        ran.push("in");
        return { last: "from inside" };
      })
      .addEdge(lg.START, "in")
      .compile();
    const graph = above(lg)
      .addNode("sub", inner)
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addEdge(lg.START, "sub")
      .addEdge(lg.START, "ask")
      .addEdge(["sub", "ask"], "after")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    t.note("ran", ran);
  }),

  scenario("getSubgraphs lists what stands in a graph", async (lg, t) => {
    const middle = above(lg)
      .addNode("deep", counting(lg).compile())
      .addEdge(lg.START, "deep")
      .addEdge("deep", "after");
    const graph = above(lg)
      .addNode("middle", middle.compile())
      .addEdge(lg.START, "middle")
      .addEdge("middle", "after")
      .compile();
    t.note("direct", names(graph.getSubgraphs()));
    t.note("all", names(graph.getSubgraphs(undefined, true)));
    t.note("one", names(graph.getSubgraphs("middle")));
  }),

  scenario("a subgraph with an input that lacks what it needs starts from nothing", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ mine: lg.Annotation<string>() }))
      .addNode("in", (state) => ({ mine: `${state.mine ?? "nothing"}` }))
      .addEdge(lg.START, "in")
      .compile();
    const graph = above(lg).addNode("sub", inner).addEdge(lg.START, "sub").addEdge("sub", "after").compile();
    await t.invoke(graph, { last: "in" });
    await t.stream(graph, { last: "in" }, { streamMode: ["updates", "values"], subgraphs: true });
  }),

  scenario("a subgraph of output and input schemas of its own", async (lg, t) => {
    const inner = new lg.StateGraph({
      state: lg.Annotation.Root({ last: lg.Annotation<string>(), total: lg.Annotation<number>() }),
      input: lg.Annotation.Root({ last: lg.Annotation<string>() }),
      output: lg.Annotation.Root({ total: lg.Annotation<number>() }),
    })
      .addNode("in", (state) => ({ last: "unseen above", total: state.last.length }))
      .addEdge(lg.START, "in")
      .compile();
    const graph = above(lg).addNode("sub", inner).addEdge(lg.START, "sub").addEdge("sub", "after").compile();
    await t.invoke(graph, { last: "four" });
  }),

  scenario("leaves of a graph two levels down, in all streams with their namespaces", async (lg, t) => {
    const deep = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("leaf", () => ({ last: "leaf" }))
      .addEdge(lg.START, "leaf")
      .compile();
    const middle = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("deep", deep)
      .addEdge(lg.START, "deep")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("middle", middle)
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "middle")
      .addEdge("middle", "end")
      .compile({ checkpointer: t.saver() });
    await t.stream(
      graph,
      { last: "in" },
      {
        ...thread("1"),
        streamMode: ["values", "updates", "tasks", "checkpoints"],
        subgraphs: true,
      },
    );
  }),

  scenario("a breakpoint two graphs down, in every stream mode with namespaces", async (lg, t) => {
    const deep = asking(lg).compile({ interruptAfter: ["one"] });
    const middle = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("deep", deep)
      .addEdge(lg.START, "deep")
      .compile();
    const graph = above(lg)
      .addNode("middle", middle)
      .addEdge(lg.START, "middle")
      .addEdge("middle", "after")
      .compile({ checkpointer: t.saver() });
    const modes = { ...thread("1"), streamMode: EVERY_MODE, subgraphs: true };
    await t.stream(graph, { last: "in" }, modes);
    await t.stream(graph, null, modes);
  }),

  scenario(
    "what the streams of checkpoints show under durability exit, also of a graph within",
    async (lg, t) => {
      const graph = above(lg)
        .addNode("sub", asking(lg).compile())
        .addEdge(lg.START, "sub")
        .addEdge("sub", "after")
        .compile({ checkpointer: t.saver() });
      const modes = {
        ...thread("1"),
        durability: "exit",
        streamMode: ["checkpoints", "debug"],
        subgraphs: true,
      };
      for (const input of [{ last: "one" }, { last: "two" }]) {
        await t.stream(graph, input, modes);
        await t.stream(graph, new lg.Command({ resume: "yes" }), modes);
      }
      await t.history(graph, thread("1"));
    },
  ),

  scenario(
    "a task that leaves by a command for the parent has ended in the stream of tasks",
    async (lg, t) => {
      const deep = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
        .addNode(
          "leaves",
          () => new lg.Command({ graph: lg.Command.PARENT, goto: "after", update: { last: "up" } }),
        )
        .addEdge(lg.START, "leaves")
        .compile();
      const graph = above(lg)
        .addNode("sub", deep, { ends: ["after"] })
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: t.saver() });
      await t.stream(graph, { last: "in" }, { ...thread("1"), streamMode: EVERY_MODE, subgraphs: true });
    },
  ),

  scenario(
    "configs of nodes can be printed, and chunks of every stream mode of graphs within",
    async (lg, t) => {
      const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
        .addNode("prints", (_state, config) => ({ last: typeof JSON.stringify(config) }))
        .addEdge(lg.START, "prints")
        .compile();
      const graph = above(lg)
        .addNode("sub", inner)
        .addNode("call", async (state, config) => await inner.invoke({ last: state.last }, config))
        .addEdge(lg.START, "sub")
        .addEdge("sub", "call")
        .addEdge("call", "after")
        .compile({ checkpointer: t.saver() });
      const modes = { ...thread("1"), streamMode: EVERY_MODE, subgraphs: true };
      const chunks = await t.stream(graph, { last: "in" }, modes);
      t.note(
        "printed",
        chunks.map((chunk) => typeof JSON.stringify(chunk)),
      );
    },
  ),
];

const EVERY_MODE = ["values", "updates", "messages", "custom", "checkpoints", "tasks", "debug", "tools"];
