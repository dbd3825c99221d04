import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

const fails = (name: string) => () => {
  throw new Error(`user: ${name}`);
};

/** Nodes that run when others have failed. */
export const errorHandlers = [
  scenario(
    "an error handler takes over in the same step, and what follows the node is skipped",
    async (lg, t) => {
      const saver = t.saver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("bad", fails("bad"), {
          errorHandler: (state, error) => ({
            trail: [`${error.node}: ${error.error.message}`, `given ${state.trail.length}`],
          }),
        })
        .addNode("good", leaves("good"))
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "bad")
        .addEdge(lg.START, "good")
        .addEdge("good", "end")
        .addEdge("bad", "end")
        .compile({ checkpointer: saver });
      await t.invoke(graph, { trail: ["in"] }, thread("1"));
      await t.steps(graph, { trail: ["in"] }, thread("2"));
      await t.state(graph, thread("1"));
      await t.history(graph, thread("1"));
      await t.saved(saver, "1");
    },
  ),

  scenario("an error handler leads elsewhere by a Command", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", fails("bad"), {
        errorHandler: (_state, error) =>
          new lg.Command({ update: { trail: [`saved from ${error.node}`] }, goto: "mend" }),
      })
      .addNode("mend", leaves("mend"))
      .addNode("skipped", leaves("skipped"))
      .addEdge(lg.START, "bad")
      .addEdge("bad", "skipped")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "updates" });
    await t.stream(graph, {}, { streamMode: ["updates", "tasks"] });
  }),

  scenario(
    "an error handler runs after the retries, and a failure of its own fails the run",
    async (lg, t) => {
      let tries = 0;
      const saver = t.saver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode(
          "bad",
          () => {
            tries += 1;
            throw new Error("user: bad");
          },
          {
            retryPolicy: { initialInterval: 1, maxAttempts: 3, jitter: false, logWarning: false },
            errorHandler: fails("handler"),
          },
        )
        .addEdge(lg.START, "bad")
        .compile({ checkpointer: saver });
      await t.fails(() => graph.invoke({}, thread("1")));
      t.note("tries", tries);
      await t.saved(saver, "1");
    },
  ),

  scenario(
    "A6 a resumed run goes on with the error handler, not with the node that failed",
    async (lg, t) => {
      let tries = 0;
      let broken = true;
      const saver = t.saver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode(
          "bad",
          () => {
            tries += 1;
            throw new TypeError("user: bad");
          },
          {
            errorHandler: (_state, { node, error }) => {
              if (broken) throw new Error("user: handler");
              return { trail: [`${node} ${error.name} ${error.message}`] };
            },
          },
        )
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "bad")
        .addEdge("bad", "end")
        .compile({ checkpointer: saver });
      await t.fails(() => graph.invoke({ trail: ["in"] }, thread("1")));
      broken = false;
      await t.invoke(graph, null, thread("1"));
      t.note("tries", tries);
      await t.saved(saver, "1");
    },
  ),

  scenario("a node whose failure was handled is not next while its sibling waits", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", fails("bad"), { errorHandler: () => ({ trail: ["handled"] }) })
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addEdge(lg.START, "bad")
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("an interrupt in an error handler waits for its answer", async (lg, t) => {
    let tries = 0;
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "bad",
        () => {
          tries += 1;
          throw new Error("user: bad");
        },
        { errorHandler: () => ({ trail: [`answer ${lg.interrupt("what now?")}`] }) },
      )
      .addEdge(lg.START, "bad")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "go on" }), thread("1"));
    t.note("tries", tries);
  }),

  scenario("a failing Send with an error handler, among others", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "work",
        ({ last }: { last: string }) => {
          if (last === "b") throw new Error("user: b");
          return { trail: [last] };
        },
        { errorHandler: (state, error) => ({ trail: [`${state.last} ${error.error.message}`] }) },
      )
      .addConditionalEdges(lg.START, () => ["a", "b", "c"].map((last) => new lg.Send("work", { last })))
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("an interrupt or a command for the parent is no failure to handle", async (lg, t) => {
    const handled: string[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("asks", () => ({ trail: [`answer ${lg.interrupt("?")}`] }), {
        errorHandler: () => {
          handled.push("asks");
          return {};
        },
      })
      .addEdge(lg.START, "asks")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    t.note("handled", handled);
  }),

  scenario("defaults for all nodes: retries, error handler, and nodes that say otherwise", async (lg, t) => {
    const tries: Record<string, number> = {};
    const failing = (name: string) => () => {
      tries[name] = (tries[name] ?? 0) + 1;
      throw new Error(`user: ${name}`);
    };
    const fast = { initialInterval: 1, jitter: false, logWarning: false };
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("usual", failing("usual"))
      .addNode("own", failing("own"), {
        retryPolicy: { ...fast, maxAttempts: 1 },
        errorHandler: (_state, error) => ({ trail: [`own ${error.node}`] }),
      })
      .addEdge(lg.START, "usual")
      .addEdge(lg.START, "own")
      .setNodeDefaults({
        retryPolicy: { ...fast, maxAttempts: 2 },
        errorHandler: (_state, error) => ({ trail: [`default ${error.node}`] }),
      })
      .compile();
    await t.invoke(graph, {});
    t.note("tries", tries);
  }),

  scenario(
    "an error handler writes to the stream and calls a graph, beside the node that failed",
    async (lg, t) => {
      const saver = t.saver();
      const inner = new lg.StateGraph(lg.Annotation.Root({ own: lg.Annotation<string>() }))
        .addNode("x", (_state, { writer }) => {
          writer?.("from within");
          return { own: "x" };
        })
        .addEdge(lg.START, "x")
        .compile();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("bad", fails("bad"), {
          errorHandler: async (_state, _error, config) => {
            config?.writer?.("from the handler");
            const { own } = await inner.invoke({}, config);
            return { trail: [own] };
          },
        })
        .addEdge(lg.START, "bad")
        .compile({ checkpointer: saver });
      const modes = { streamMode: ["custom", "updates"], subgraphs: true };
      await t.stream(graph, {}, { ...thread("1"), ...modes });
      await t.saved(saver, "1");
    },
  ),
];
