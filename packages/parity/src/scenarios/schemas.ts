import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

export const schemas = [
  scenario("a zod object as state: defaults, optional keys, and no reducers", async (lg, t) => {
    const State = z.object({ name: z.string(), count: z.number().default(3), note: z.string().optional() });
    const graph = new lg.StateGraph(State)
      .addNode("a", (state) => ({ count: (state.count ?? 0) + 1 }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { name: "x" });
    await t.invoke(graph, { name: "x", count: 10, note: "n" });
  }),

  scenario("StateSchema with ReducedValue, a plain field and MessagesValue", async (lg, t) => {
    const State = new lg.StateSchema({
      log: new lg.ReducedValue(
        z.array(z.string()).default(() => []),
        {
          reducer: (left: string[], right: string[]) => [...left, ...right],
        },
      ),
      name: z.string(),
      messages: lg.MessagesValue,
    });
    const saver = t.saver();
    const graph = new lg.StateGraph(State)
      .addNode("a", (state) => ({
        log: [`a ${state.name}`],
        messages: [{ role: "assistant", content: "x", id: "m" }] as never,
      }))
      .addNode("b", () => ({ log: ["b"], name: "b" }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.invoke(
      graph,
      { name: "in", messages: [{ role: "user", content: "hi", id: "h" }] } as never,
      thread("1"),
    );
    await t.state(graph, thread("1"));
  }),

  scenario("ReducedValue with an input schema of its own", async (lg, t) => {
    const State = new lg.StateSchema({
      all: new lg.ReducedValue(
        z.array(z.string()).default(() => []),
        {
          inputSchema: z.string(),
          reducer: (left: string[], right: string) => [...left, right],
        },
      ),
    });
    const graph = new lg.StateGraph(State)
      .addNode("a", () => ({ all: "a" }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { all: "in" } as never);
  }),

  scenario("UntrackedValue lives for a run and is never saved", async (lg, t) => {
    const State = new lg.StateSchema({ kept: z.string(), scratch: new lg.UntrackedValue(z.string()) });
    const saver = t.saver();
    const graph = new lg.StateGraph(State)
      .addNode("a", () => ({ scratch: "secret" }))
      .addNode("b", (state) => ({ kept: `b saw ${state.scratch}` }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { kept: "in" }, thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("input and output schemas narrow what goes in and comes out", async (lg, t) => {
    const graph = new lg.StateGraph({
      state: lg.Annotation.Root({
        question: lg.Annotation<string>(),
        answer: lg.Annotation<string>(),
        private: lg.Annotation<string>(),
      }),
      input: lg.Annotation.Root({ question: lg.Annotation<string>() }),
      output: lg.Annotation.Root({ answer: lg.Annotation<string>() }),
    })
      .addNode("a", (state) => ({ private: `about ${state.question}` }))
      .addNode("b", (state) => ({ answer: `${state.private}: 42` }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { question: "life", answer: "given" } as never);
    await t.stream(graph, { question: "life" }, { streamMode: "values" });
    await t.stream(graph, { question: "life" }, { streamMode: "updates" });
  }),

  scenario("a node with an input schema sees only that", async (lg, t) => {
    const seen: unknown[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "narrow",
        (state) => {
          seen.push(Object.keys(state).sort());
          return { trail: ["narrow"] };
        },
        { input: lg.Annotation.Root({ last: lg.Annotation<string>() }) },
      )
      .addEdge(lg.START, "narrow")
      .compile();
    await t.invoke(graph, { last: "x", trail: ["y"] });
    t.note("keys it saw", seen);
  }),

  scenario("what a node sees before anything was written", async (lg, t) => {
    const seen: unknown[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (state) => {
        seen.push({ ...state, hasLast: "last" in state });
        return {};
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { total: 1 });
    t.note("state", seen);
  }),

  scenario("nodes added as a record and as pairs", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), b: leaves("b") })
      .addNode([["c", leaves("c")]])
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("outputKeys and inputKeys of a call", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ trail: ["a"], last: "a" }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { total: 5 }, { outputKeys: ["last", "total"] });
    await t.stream(graph, { total: 5 }, { outputKeys: ["trail"], streamMode: ["values", "updates"] });
  }),

  scenario("a runnable as a node, and config reaching it", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, config: LangGraphRunnableConfig) => ({
        last: String(config.configurable?.["user"]),
        trail: [...(config.tags ?? []), String(config.metadata?.["origin"])],
      }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {}, { configurable: { user: "u" }, tags: ["tag"], metadata: { origin: "here" } });
  }),

  scenario("context of a call reaches the node's runtime", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg), z.object({ user: z.string() }))
      .addNode("a", (_state, runtime) => ({ last: runtime.context?.user ?? "nobody" }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {}, { context: { user: "ann" } });
  }),

  scenario("outputKeys as one bare key gives the bare value", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ trail: ["a"], last: "a" }))
      .addNode("b", () => ({ trail: ["b"] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { total: 5 }, { outputKeys: "last" });
    await t.stream(graph, {}, { outputKeys: "last", streamMode: "values" });
    await t.stream(graph, {}, { outputKeys: "last", streamMode: "updates" });
    await t.stream(graph, {}, { outputKeys: "trail", streamMode: ["updates", "values"] });
  }),

  scenario("an untracked value has a version and is not saved", async (lg, t) => {
    const State = new lg.StateSchema({ kept: z.string(), scratch: new lg.UntrackedValue(z.string()) });
    const saver = t.saver();
    const graph = new lg.StateGraph(State)
      .addNode("a", () => ({ scratch: "secret" }))
      .addNode("b", (state) => ({ kept: `b saw ${state.scratch}` }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { kept: "in" }, thread("1"));
    await t.saved(saver, "1");
  }),
];
