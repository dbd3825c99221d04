import type { LangGraph } from "../engines.ts";
import { leaves, thread, trailState } from "./kit.ts";
import { bodiesOf, noteState, remotely, type Site } from "./remote-kit.ts";

/** before -> far (the remote graph) -> after, in a graph of the engine in question. */
function around({ lg, remote }: Pick<Site, "lg" | "remote">, graphId: string, params: object = {}) {
  return new lg.StateGraph(trailState(lg))
    .addNode("before", leaves("before"))
    .addNode("far", remote(graphId, params) as never)
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "before")
    .addEdge("before", "far" as never)
    .addEdge("far" as never, "after");
}

const lastOnly = (lg: LangGraph) => lg.Annotation.Root({ last: lg.Annotation<string>() });

export const remoteNodes = [
  remotely("as a node: its state is what the node wrote", async (site, t) => {
    await t.invoke(around(site, "chain").compile(), { last: "in" });
    await t.steps(around(site, "chain").compile(), { last: "in" });
  }),

  remotely("as a node: what it is asked", async (site, t) => {
    const graph = around(site, "told").compile({ checkpointer: t.saver() });
    const configurable = { thread_id: "1", user: "u" };
    await t.invoke(graph, { last: "in" }, { configurable, tags: ["t"], metadata: { color: "red" } });
    const bodies = bodiesOf(site) as {
      config: { metadata: Record<string, unknown>; configurable: unknown };
    }[];
    t.note(
      "asked",
      bodies.map(({ config: { configurable: told, metadata }, ...body }) => ({
        ...body,
        config: 0,
        told,
        metadata: [
          metadata["langgraph_node"],
          metadata["langgraph_step"],
          metadata["color"],
          metadata["thread_id"],
        ],
      })),
    );
  }),

  remotely("as a node: its chunks are part of the caller's stream", async (site, t) => {
    const graph = around(site, "unstored").compile();
    for (const streamMode of ["updates", "values", ["values", "updates"]]) {
      await t.stream(graph, {}, { streamMode });
      await t.stream(graph, {}, { streamMode, subgraphs: true });
    }
  }),

  remotely("as a node: its question stops the caller's run", async (site, t) => {
    const graph = around(site, "asker").compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"));
    await noteState(t, site.remote("asker"), thread("1"));
  }),

  remotely("as a node: a stream with its question", async (site, t) => {
    const graph = around(site, "asker").compile({ checkpointer: t.saver() });
    await t.stream(graph, {}, { ...thread("1"), streamMode: ["updates", "values"], subgraphs: true });
  }),

  remotely("as a node: its failure is the caller's", async (site, t) => {
    const graph = around(site, "failing").compile({ checkpointer: t.saver() });
    const error = await t.fails(() => graph.invoke({}, thread("1")));
    t.note("told", JSON.parse((error as Error).message));
    await t.state(graph, thread("1"));
  }),

  remotely("as a node: it is repeated as its policy says", async (site, t) => {
    const { lg, remote, server } = site;
    server.faults.refuse = { path: "/threads/1/runs", status: 503, body: "{}", times: 1 };
    const graph = new lg.StateGraph(lastOnly(lg))
      .addNode("far", remote("chain") as never, {
        retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addEdge(lg.START, "far" as never)
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
    t.note("asked", server.asked.length);
  }),

  remotely("called by a node that hands it its config", async ({ lg, remote }, t) => {
    const graph = new lg.StateGraph(lastOnly(lg))
      .addNode("call", async (_state, config) => {
        const { trail } = await remote("unstored").invoke({}, config as never);
        return { last: (trail as string[]).join() };
      })
      .addEdge(lg.START, "call")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: ["updates"], subgraphs: true });
  }),

  remotely("several at once, each on a thread of its own", async ({ lg, remote }, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("call", async ({ last }) => {
        const { trail } = await remote("chain").invoke({ trail: [last] }, thread(`of ${last}`));
        return { trail: trail as string[] };
      })
      .addConditionalEdges(lg.START, () => ["x", "y", "z"].map((last) => new lg.Send("call", { last })))
      .compile();
    await t.invoke(graph, {});
  }),

  remotely("in a sequence of runnables", async ({ remote }, t) => {
    const sequence = remote("unstored").pipe(({ trail }: { trail: string[] }) => trail.length);
    t.note("piped", await sequence.invoke({}));
    t.note("batch", await remote("unstored").batch([{ last: "x" }, { last: "y" }]));
  }),
];
