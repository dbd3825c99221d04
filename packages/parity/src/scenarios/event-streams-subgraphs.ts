import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { listed, noteRun, type Run, settled, stage, untimed, V3 } from "./event-streams-kit.ts";
import { late, thread, trailState } from "./kit.ts";

/** One node that says where it is; of its keys only `last` is its caller's. */
const inner = (lg: LangGraph, name: string, act: (last: string) => unknown = () => undefined) =>
  new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>(), own: lg.Annotation<string>() }))
    .addNode(name, async ({ last }) => {
      await act(last);
      return { last: `${last} ${name}`, own: name };
    })
    .addEdge(lg.START, name)
    .compile();

const within = (lg: LangGraph, name: string, graph: ReturnType<typeof inner>) =>
  new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode(name, graph)
    .addEdge(lg.START, name)
    .compile();

/** outer -> middle -> deep, and a node after it */
const nested = (lg: LangGraph, act?: (last: string) => unknown) =>
  new lg.StateGraph(trailState(lg))
    .addNode("outer", within(lg, "middle", inner(lg, "deep", act)))
    .addNode("after", () => ({ trail: ["after"] }))
    .addEdge(lg.START, "outer")
    .addEdge("outer", "after");

/** Everything about each subgraph. */
async function subgraphsOf(run: Run): Promise<unknown[]> {
  const seen: Promise<unknown>[] = [];
  for await (const sub of run.subgraphs) {
    seen.push(
      (async () => ({
        name: sub.name,
        index: sub.index,
        path: sub.path,
        events: (await listed(sub, untimed)).length,
        values: await listed(sub.values),
        lifecycle: await listed(sub.lifecycle, stage),
        output: await settled(sub.output),
        further: await listed(sub.subgraphs, ({ name }) => name),
        interrupted: sub.interrupted,
      }))(),
    );
  }
  return Promise.all(seen);
}

export const eventStreamSubgraphs = [
  scenario("v3: a subgraph is found, with its states and its output", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("in", inner(lg, "work"))
      .addEdge(lg.START, "in")
      .compile();
    const run = await graph.streamEvents({ last: "x" }, V3);
    t.note("subgraphs", await subgraphsOf(run));
    await noteRun(t, run);
  }),

  scenario("v3: subgraphs two deep are in the events and the lifecycle", async (lg, t) => {
    const run = await nested(lg).compile().streamEvents({ last: "x" }, V3);
    t.note("subgraphs", await subgraphsOf(run));
    await noteRun(t, run);
  }),

  scenario("v3: subgraphs two deep on a thread", async (lg, t) => {
    const run = await nested(lg)
      .compile({ checkpointer: t.saver() })
      .streamEvents({ last: "x" }, { ...V3, ...thread("1") });
    await noteRun(t, run);
  }),

  scenario("v3: a graph that a node calls by itself", async (lg, t) => {
    const called = inner(lg, "work");
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("calls", async () => {
        const { last } = await called.invoke({ last: "first" });
        return { trail: [last] };
      })
      .addEdge(lg.START, "calls")
      .compile();
    const run = await graph.streamEvents({}, V3);
    t.note("subgraphs", await subgraphsOf(run));
    await noteRun(t, run);
  }),

  scenario("v3: a node that calls two graphs, one after the other", async (lg, t) => {
    const [one, two] = [inner(lg, "one"), inner(lg, "two")];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("calls", async () => {
        const first = await one.invoke({ last: "x" });
        const second = await two.invoke({ last: first.last });
        return { trail: [second.last] };
      })
      .addEdge(lg.START, "calls")
      .compile({ checkpointer: t.saver() });
    const run = await graph.streamEvents({}, { ...V3, ...thread("1") });
    t.note("subgraphs", await subgraphsOf(run));
    t.note("lifecycle", await listed(run.lifecycle, stage));
  }),

  scenario("v3: several tasks of one node, each with its graph", async (lg, t) => {
    const work = new lg.StateGraph(
      lg.Annotation.Root({ item: lg.Annotation<number>(), own: lg.Annotation<string>() }),
    )
      .addNode("work", async ({ item }) => {
        await late(30 * item);
        return { own: `item ${item}` };
      })
      .addEdge(lg.START, "work")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("each", work as never)
      .addConditionalEdges(lg.START, () => [0, 1].map((item) => new lg.Send("each", { item })), ["each"])
      .compile();
    const run = await graph.streamEvents({}, V3);
    t.note("subgraphs", await subgraphsOf(run));
    t.note("lifecycle", await listed(run.lifecycle, stage));
  }),

  scenario("v3: a subgraph that fails", async (lg, t) => {
    const graph = nested(lg, async () => {
      await late(5);
      throw new Error("user: failed");
    }).compile();
    const run = await graph.streamEvents({ last: "x" }, V3);
    const [subgraphs, lifecycle, output] = await Promise.all([
      listed(run.subgraphs, ({ name }) => name),
      listed(run.lifecycle, stage),
      settled(run.output),
    ]);
    t.note("subgraphs", subgraphs);
    t.note("lifecycle", lifecycle);
    t.note("output", output);
  }),

  scenario("v3: a subgraph with a state of its own on the thread", async (lg, t) => {
    const own = new lg.StateGraph(
      lg.Annotation.Root({
        last: lg.Annotation<string>(),
        count: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
      }),
    )
      .addNode("work", ({ count }) => ({ last: `count ${count}`, count: 1 }))
      .addEdge(lg.START, "work")
      .compile({ checkpointer: true });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("in", own)
      .addEdge(lg.START, "in")
      .compile({ checkpointer: t.saver() });
    for (let turn = 0; turn < 2; turn += 1) {
      const run = await graph.streamEvents({ last: "x" }, { ...V3, ...thread("1") });
      t.note("subgraphs", await subgraphsOf(run));
      t.note("events", await listed(run, untimed));
    }
  }),

  scenario("v3: whoever looks for subgraphs late finds them", async (lg, t) => {
    const run = await nested(lg).compile().streamEvents({ last: "x" }, V3);
    await run.output;
    t.note("subgraphs", await subgraphsOf(run));
    t.note("again", await listed(run.subgraphs, ({ name }) => name));
  }),

  scenario("v3: what a subgraph writes to the custom stream stands at its place", async (lg, t) => {
    const graph = nested(lg, () => lg.getWriter()?.({ name: "deep", payload: 1 })).compile();
    const run = await graph.streamEvents({ last: "x" }, V3);
    t.note(
      "events",
      (await listed(run, untimed)).filter((event) => (event as unknown[])[1] === "custom"),
    );
  }),

  scenario("v3: a subgraph that waits, and goes on", async (lg, t) => {
    const graph = nested(lg, () => lg.interrupt("sure?")).compile({ checkpointer: t.saver() });
    const asked = await graph.streamEvents({ last: "x" }, { ...V3, ...thread("1") });
    t.note("values", await listed(asked.values));
    t.note("output", await asked.output);
    t.note("interrupted", asked.interrupted);
    const resumed = await graph.streamEvents(new lg.Command({ resume: "yes" }), { ...V3, ...thread("1") });
    t.note("subgraphs", await subgraphsOf(resumed));
    await noteRun(t, resumed);
  }),

  scenario("v3: a subgraph named as an agent, called by a tool's task", async (lg, t) => {
    const agent = inner(lg, "work").withConfig({ metadata: { lc_agent_name: "helper" } });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("tools", async (state: { tool_call?: { id: string } }) => {
        const { last } = (await agent.invoke({})) as { last: string };
        return { last: `${state.tool_call?.id}: ${last}` };
      })
      .addConditionalEdges(
        lg.START,
        () => [new lg.Send("tools", { tool_call: { id: "call-1", name: "helper" } })],
        ["tools"],
      )
      .compile();
    const run = await graph.streamEvents({}, V3);
    t.note("lifecycle", await listed(run.lifecycle, stage));
    t.note("subgraphs", await subgraphsOf(run));
  }),
];
