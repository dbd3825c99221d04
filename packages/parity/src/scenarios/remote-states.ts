import { thread } from "./kit.ts";
import { noteState, remotely } from "./remote-kit.ts";

export const remoteStates = [
  remotely("the state of a thread, of an old one, and of none", async ({ remote }, t) => {
    const graph = remote("chain");
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"));
    const history = await t.history(graph, thread("1"));
    await t.state(graph, history[1]?.config ?? {});
    await t.state(graph, thread("nobody"));
  }),

  remotely("the history of a thread, in pieces", async ({ remote }, t) => {
    const graph = remote("chain");
    for (const last of ["x", "y", "z"]) await graph.invoke({ last }, thread("1"));
    const all = await t.history(graph, thread("1"));
    await t.history(graph, thread("1"), { limit: 2 });
    await t.history(graph, thread("1"), { before: all[1]?.config, limit: 3 });
    await t.history(graph, thread("1"), { filter: { source: "input" } });
  }),

  remotely("the state with its subgraphs", async ({ remote }, t) => {
    const graph = remote("deep");
    await t.fails(() => graph.invoke({}, thread("1")));
    await noteState(t, graph, thread("1"));
    await noteState(t, graph, thread("1"), { subgraphs: true });
  }),

  remotely(
    "updateState writes as a node, and its config names the new state",
    async ({ remote, server }, t) => {
      const graph = remote("chain");
      await t.invoke(graph, { last: "in" }, thread("1"));
      const config = await graph.updateState(thread("1"), { last: "edited", trail: ["by hand"] }, "a");
      t.note("config", config);
      await t.state(graph, config);
      await t.invoke(graph, null, thread("1"));
      const branch = await graph.updateState(config, { last: "again" });
      await t.state(graph, branch);
      t.note(
        "asked",
        server.asked
          .filter(({ method, path }) => method === "POST" && path.endsWith("/state"))
          .map(({ body }) => body),
      );
    },
  ),

  remotely("states of a thread that failed", async ({ remote }, t) => {
    const graph = remote("failing");
    await t.fails(() => graph.invoke({}, thread("1")));
    await t.state(graph, thread("1"));
  }),

  remotely("its drawing, flat and with what is in its nodes", async ({ remote, server }, t) => {
    const graph = remote("outer");
    for (const xray of [undefined, true, 1]) {
      const drawn = await graph.getGraphAsync(xray === undefined ? undefined : { xray });
      t.note("mermaid", drawn.drawMermaid());
      t.note("graph", drawn.toJSON());
    }
    t.note(
      "asked",
      server.asked.map(({ path, query }) => [path, query]),
    );
  }),

  remotely("its subgraphs are remote graphs", async ({ remote, server }, t) => {
    const graph = remote("outer", { interruptAfter: ["a"] as never });
    for (const args of [[], ["inner"], ["inner", true], ["other"]] as [string?, boolean?][]) {
      for await (const [place, inner] of graph.getSubgraphsAsync(...args)) {
        const { graphId } = inner as unknown as { graphId: string };
        t.note("subgraph", [place, graphId, inner instanceof graph.constructor]);
      }
    }
    t.note(
      "asked",
      server.asked.map(({ path, query }) => [path, query]),
    );
  }),

  remotely("a server cannot be asked at once", async ({ remote }, t) => {
    const graph = remote("outer");
    await t.fails(() => graph.getGraph());
    await t.fails(() => [...(graph.getSubgraphs() as Iterable<unknown>)]);
    await t.fails(() => graph.streamEvents({}, { ...thread("1"), version: "v2" }));
  }),
];
