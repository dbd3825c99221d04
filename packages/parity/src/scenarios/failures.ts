import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

const failing = (name: string, wait: number) => async () => {
  await late(wait);
  throw new Error(`user: ${name}`);
};

export const failures = [
  scenario("a node's own error comes out as the same object", async (lg, t) => {
    class OwnError extends Error {
      override name = "OwnError";
    }
    const failure = new OwnError("user: mine");
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        throw failure;
      })
      .addEdge(lg.START, "a")
      .compile();
    const error = await t.fails(() => graph.invoke({}));
    t.note("same object", error === failure);
    await t.streamFails(graph, {}, { streamMode: "updates" });
  }),

  scenario("A6 a failed step applies nothing; finished siblings are not run again", async (lg, t) => {
    const ran: string[] = [];
    let broken = true;
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("good", () => {
        ran.push("good");
        return { trail: ["good"] };
      })
      .addNode("bad", async () => {
        await late(10);
        ran.push("bad");
        if (broken) throw new Error("user: broken");
        return { trail: ["bad, mended"] };
      })
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "good")
      .addEdge(lg.START, "bad")
      .addEdge(["good", "bad"], "end")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({ trail: ["in"] }, thread("1")));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
    broken = false;
    await t.invoke(graph, null, thread("1"));
    t.note("what ran", ran);
    await t.saved(saver, "1");
  }),

  scenario("A9 retry: a node that fails twice and then works", async (lg, t) => {
    let tries = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "flaky",
        () => {
          tries += 1;
          if (tries < 3) throw new Error("user: flaky");
          return { trail: [`try ${tries}`] };
        },
        { retryPolicy: { initialInterval: 1, maxAttempts: 3, jitter: false } },
      )
      .addEdge(lg.START, "flaky")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "updates" });
  }),

  scenario("A9 retry: gives up after maxAttempts, and not at all when retryOn says no", async (lg, t) => {
    let tries = 0;
    const failing = (retryOn: (error: unknown) => boolean) =>
      new lg.StateGraph(trailState(lg))
        .addNode(
          "flaky",
          () => {
            tries += 1;
            throw new Error("user: always");
          },
          { retryPolicy: { initialInterval: 1, maxAttempts: 4, jitter: false, retryOn } },
        )
        .addEdge(lg.START, "flaky")
        .compile();
    await t.fails(() => failing(() => true).invoke({}));
    t.note("tries", tries);
    tries = 0;
    await t.fails(() => failing(() => false).invoke({}));
    t.note("tries", tries);
  }),

  scenario("an abort before the run", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    await t.fails(() => graph.invoke({}, { signal: AbortSignal.abort() }));
  }),

  scenario("an abort whose reason is a text, a number, or nothing", async (lg, t) => {
    for (const reason of ["user: enough", 5, null, undefined]) {
      const stop = new AbortController();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          stop.abort(reason);
          return { trail: ["a"] };
        })
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile();
      await t.fails(() => graph.invoke({}, { signal: stop.signal }));
      await t.fails(() => graph.invoke({}, { signal: stop.signal }));
    }
  }),

  scenario("an abort between two steps keeps what is done", async (lg, t) => {
    const controller = new AbortController();
    const ran: string[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        ran.push("a");
        return { trail: ["a"] };
      })
      .addNode("b", async (_state, config) => {
        ran.push("b");
        controller.abort();
        await late(5);
        t.note("the node's signal", config.signal?.aborted);
        return { trail: ["b"] };
      })
      .addNode("c", () => {
        ran.push("c");
        return { trail: ["c"] };
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile({ checkpointer: t.saver() });
    await t.fails(() => graph.invoke({}, { ...thread("1"), signal: controller.signal }));
    await late(20);
    t.note("what ran", ran);
    t.note("values", (await graph.getState(thread("1"))).values);
    t.note("next", (await graph.getState(thread("1"))).next);
  }),

  scenario("two failing siblings: the error that comes out", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("slow", failing("slow", 20))
      .addNode("fast", failing("fast", 1))
      .addEdge(lg.START, "slow")
      .addEdge(lg.START, "fast")
      .compile();
    await t.fails(() => graph.invoke({}));
  }),

  scenario("a condition that throws", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addConditionalEdges(
        "a",
        () => {
          throw new Error("user: condition");
        },
        ["b"],
      )
      .compile();
    await t.fails(() => graph.invoke({}));
  }),

  scenario("a failure after a finished step: stream until then, and the thread continues", async (lg, t) => {
    let broken = true;
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", () => {
        if (broken) throw new Error("user: b");
        return { trail: ["b"] };
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.streamFails(graph, {}, { ...thread("1"), streamMode: ["values", "updates"] });
    await t.state(graph, thread("1"));
    broken = false;
    await t.stream(graph, null, { ...thread("1"), streamMode: ["values", "updates"] });
    await t.history(graph, thread("1"));
  }),

  scenario("a failed thread takes a new input", async (lg, t) => {
    let broken = true;
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        if (broken) throw new Error("user: a");
        return { trail: ["a"] };
      })
      .addEdge(lg.START, "a")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({ trail: ["one"] }, thread("1")));
    broken = false;
    await t.invoke(graph, { trail: ["two"] }, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("I6 tasks of a step whose writes do not fit together are finished", async (lg, t) => {
    const ran: string[] = [];
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        ran.push("a");
        return { last: "a" };
      })
      .addNode("b", async () => {
        await late(10);
        ran.push("b");
        return { last: "b" };
      })
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, thread("1")));
    await t.saved(saver, "1");
    await t.fails(() => graph.invoke(null, thread("1")));
    t.note("ran", ran);
    await t.saved(saver, "1");
  }),
];
