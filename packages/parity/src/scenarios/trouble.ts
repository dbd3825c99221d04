import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

export const quietly = { initialInterval: 1, jitter: false, logWarning: false };

export const trouble = [
  scenario("a rejected promise of a node comes out as the same object", async (lg, t) => {
    const failure = new RangeError("user: rejected");
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => Promise.reject(failure) as never)
      .addEdge(lg.START, "a")
      .compile();
    t.note("same", (await t.fails(() => graph.invoke({}))) === failure);
  }),

  scenario("a failed task as getState and the saver show it", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("bad", () => {
        throw new TypeError("user: bad");
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "bad")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, thread("1")));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a failed task in the tasks and debug streams", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", () => {
        throw new Error("user: bad");
      })
      .addEdge(lg.START, "bad")
      .compile();
    await t.streamFails(graph, {}, { streamMode: ["tasks", "updates"] });
  }),

  scenario("retries by a list of policies: the first that matches counts", async (lg, t) => {
    let attempts = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "flaky",
        () => {
          attempts += 1;
          if (attempts < 3) throw new TypeError("user: type");
          return { total: attempts };
        },
        {
          retryPolicy: { ...quietly, maxAttempts: 5, retryOn: (error: Error) => error.name === "TypeError" },
        },
      )
      .addEdge(lg.START, "flaky")
      .compile();
    await t.steps(graph, {});
    t.note("attempts", attempts);
  }),

  scenario("a retried task's custom chunks and updates", async (lg, t) => {
    let attempts = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "flaky",
        (_state, runtime) => {
          attempts += 1;
          runtime.writer?.(`attempt ${attempts}`);
          if (attempts < 2) throw new Error("user: once");
          return { trail: [`after ${attempts}`] };
        },
        { retryPolicy: { ...quietly, maxAttempts: 3 } },
      )
      .addEdge(lg.START, "flaky")
      .compile();
    await t.stream(graph, {}, { streamMode: ["custom", "updates"] });
  }),

  scenario("a retried subgraph starts where it failed", async (lg, t) => {
    const ran: string[] = [];
    let failures = 1;
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("one", () => {
        ran.push("one");
        return { last: "one" };
      })
      .addNode("two", () => {
        ran.push("two");
        failures -= 1;
        if (failures >= 0) throw new Error("user: inside");
        return { last: "two" };
      })
      .addEdge(lg.START, "one")
      .addEdge("one", "two")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner, { retryPolicy: { ...quietly, maxAttempts: 3 } })
      .addEdge(lg.START, "sub")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
    t.note("ran", ran);
  }),

  scenario("retries of a Send's task keep its input", async (lg, t) => {
    const seen: unknown[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "work",
        (input: { item: number }) => {
          seen.push(input.item);
          if (seen.length === 1) throw new Error("user: once");
          return { total: input.item };
        },
        { retryPolicy: { ...quietly, maxAttempts: 3 } },
      )
      .addConditionalEdges(lg.START, () => new lg.Send("work", { item: 7 }), ["work"])
      .compile();
    await t.invoke(graph, {});
    t.note("seen", seen);
  }),

  scenario("an interrupt in a node with retries is not retried", async (lg, t) => {
    let attempts = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "ask",
        () => {
          attempts += 1;
          return { trail: [`answer ${lg.interrupt("?")}`] };
        },
        { retryPolicy: { ...quietly, maxAttempts: 5 } },
      )
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    t.note("attempts", attempts);
  }),

  scenario("an error handler takes a node's failure", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "bad",
        () => {
          throw new Error("user: bad");
        },
        {
          errorHandler: (_state, error) => {
            t.note("handler saw", [error.node, error.error]);
            return { trail: ["handled"] };
          },
        },
      )
      .addNode("after", leaves("after"))
      .addEdge(lg.START, "bad")
      .addEdge("bad", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an error handler that goes elsewhere by a Command, after retries", async (lg, t) => {
    let attempts = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "bad",
        () => {
          attempts += 1;
          throw new Error("user: bad");
        },
        {
          retryPolicy: { ...quietly, maxAttempts: 2 },
          ends: ["rescue"],
          errorHandler: () => new lg.Command({ update: { last: "handled" }, goto: "rescue" }),
        },
      )
      .addNode("rescue", leaves("rescue"))
      .addEdge(lg.START, "bad")
      .compile();
    await t.stream(graph, {}, { streamMode: ["updates", "values"] });
    t.note("attempts", attempts);
  }),

  scenario("an error handler that fails itself", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "bad",
        () => {
          throw new Error("user: bad");
        },
        {
          errorHandler: () => {
            throw new Error("user: worse");
          },
        },
      )
      .addEdge(lg.START, "bad")
      .compile();
    await t.fails(() => graph.invoke({}));
  }),

  scenario("defaults for all nodes, and a node that differs", async (lg, t) => {
    const attempts = { a: 0, b: 0 };
    const failing = (name: "a" | "b") => () => {
      attempts[name] += 1;
      if (attempts[name] < 2) throw new Error(`user: ${name}`);
      return { trail: [name] };
    };
    const graph = new lg.StateGraph(trailState(lg))
      .setNodeDefaults({ retryPolicy: { ...quietly, maxAttempts: 2 } })
      .addNode("a", failing("a"))
      .addNode("b", failing("b"), { retryPolicy: { ...quietly, maxAttempts: 1 } })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.fails(() => graph.invoke({}));
    t.note("attempts", attempts);
  }),

  scenario("a cached node runs once for one input", async (lg, t) => {
    let ran = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "slow",
        (state) => {
          ran += 1;
          return { trail: [`ran for ${state.last}`] };
        },
        { cachePolicy: { ttl: 60 } },
      )
      .addEdge(lg.START, "slow")
      .compile({ cache: new InMemoryCache() });
    for (const last of ["x", "x", "y"]) await t.stream(graph, { last }, { streamMode: "updates" });
    t.note("ran", ran);
  }),
];
