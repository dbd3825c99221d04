import { scenario } from "../scenario.ts";
import { late, leaves, trailState } from "./kit.ts";

const node = (name: string, wait: number) => async () => {
  await late(wait);
  return { trail: [`${name}1`, `${name}2`], total: 1 };
};

const sees = (name: string) => (state: { trail: string[] }) => ({
  trail: [`${name} saw ${state.trail.join("+")}`],
});

export const reducers = [
  scenario("A1 every key is merged by its own reducer, and a key without one is replaced", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ trail: ["a"], total: 2, last: "a" }))
      .addNode("b", () => ({ trail: ["b"], total: 3, last: "b" }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { trail: ["in"], total: 10, last: "in" });
  }),

  scenario("A2 a key that is absent keeps its value; undefined and null are told apart", async (lg, t) => {
    const State = lg.Annotation.Root({
      kept: lg.Annotation<string>(),
      cleared: lg.Annotation<string | null | undefined>(),
      list: lg.Annotation<unknown[]>({ reducer: (left, right) => [...left, right], default: () => [] }),
    });
    const graph = new lg.StateGraph(State)
      .addNode("a", () => ({ cleared: null, list: [null] }))
      .addNode("b", () => ({ cleared: undefined }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { kept: "kept", cleared: "set", list: [1] });
    await t.stream(graph, { kept: "kept", cleared: "set" }, { streamMode: "updates" });
  }),

  scenario("a node may return nothing, null or an empty object", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("nothing", () => undefined as never)
      .addNode("null", () => null as never)
      .addNode("empty", () => ({}))
      .addEdge(lg.START, "nothing")
      .addEdge("nothing", "null")
      .addEdge("null", "empty")
      .compile();
    await t.invoke(graph, { last: "in" });
    await t.stream(graph, { last: "in" }, { streamMode: "updates" });
    await t.stream(graph, { last: "in" }, { streamMode: "values" });
  }),

  scenario("a default stands before the first write and is not shared between runs", async (lg, t) => {
    const State = lg.Annotation.Root({
      list: lg.Annotation<number[]>({
        reducer: (left, right) => {
          left.push(...right);
          return left;
        },
        default: () => [0],
      }),
    });
    const graph = new lg.StateGraph(State)
      .addNode("a", (state) => ({ list: [state.list.length] }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {});
    await t.invoke(graph, { list: [7] });
    await t.invoke(graph, {});
  }),

  scenario("a reducer without default starts from the first write", async (lg, t) => {
    const seen: unknown[] = [];
    const State = lg.Annotation.Root({
      sum: lg.Annotation<number>({
        reducer: (left: number | undefined, right: number) => {
          seen.push([left ?? "nothing", right]);
          return (left ?? 100) + right;
        },
      } as never),
      other: lg.Annotation<string>(),
    });
    const graph = new lg.StateGraph(State)
      .addNode("a", () => ({ sum: 1 }) as never)
      .addNode("b", () => ({ sum: 2 }) as never)
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { other: "x" });
    t.note("what the reducer was called with", seen);
  }),

  scenario("A5 parallel writers merge in task order, whatever finishes first", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("slow", node("slow", 15))
      .addNode("middle", node("middle", 8))
      .addNode("fast", node("fast", 0))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "slow")
      .addEdge(lg.START, "fast")
      .addEdge(lg.START, "middle")
      .addEdge(["slow", "middle", "fast"], "end")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "values" });
  }),

  scenario("two writers of a key without reducer are an error in one step", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ last: "a" }))
      .addNode("b", () => ({ last: "b" }))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile();
    await t.fails(() => graph.invoke({}));
  }),

  scenario("A6 tasks of a step see the state before the step", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", sees("a"))
      .addNode("b", sees("b"))
      .addNode("c", sees("c"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .addEdge("a", "c")
      .compile();
    await t.invoke(graph, { trail: ["in"] });
  }),

  scenario(
    "keys that are not in the schema are dropped from input, and from a node's update",
    async (lg, t) => {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => ({ trail: ["a"], unknown: 1 }))
        .addEdge(lg.START, "a")
        .compile();
      await t.invoke(graph, { trail: ["in"], stranger: true } as never);
    },
  ),

  scenario("Overwrite goes around the reducer", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ trail: new lg.Overwrite(["fresh"]) as never }))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { trail: ["old", "older"] });
    await t.stream(graph, { trail: ["old"] }, { streamMode: ["values", "updates"] });
  }),

  scenario("two Overwrites of one key in a step are an error", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ trail: new lg.Overwrite(["a"]) as never }))
      .addNode("b", () => ({ trail: new lg.Overwrite(["b"]) as never }))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile();
    await t.fails(() => graph.invoke({}));
  }),

  scenario("a reducer that throws fails the run, and the step leaves nothing", async (lg, t) => {
    const State = lg.Annotation.Root({
      picky: lg.Annotation<number>({
        reducer: (left, right) => {
          if (right < 0) throw new Error("user: negative");
          return left + right;
        },
        default: () => 0,
      }),
    });
    const saver = t.saver();
    const graph = new lg.StateGraph(State)
      .addNode("a", (state) => ({ picky: state.picky > 1 ? -1 : 1 }))
      .addNode("b", (state) => ({ picky: -state.picky }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "1" } };
    await t.fails(() => graph.invoke({ picky: 1 }, config));
    const states: unknown[] = [];
    for await (const tuple of saver.list(config))
      states.push([tuple.metadata, tuple.checkpoint.channel_values]);
    t.note("checkpoints", states);
  }),

  scenario("numbers, dates, maps, sets and nested data pass through state unchanged", async (lg, t) => {
    const State = lg.Annotation.Root({ data: lg.Annotation<Record<string, unknown>>() });
    const graph = new lg.StateGraph(State)
      .addNode("a", (state) => ({ data: { ...state.data, added: [1, { deep: [null, true, ""] }] } }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { data: { n: 0, negative: -1.5, text: "ü 漢 \u0000", empty: {}, list: [] } });
  }),

  scenario("bytes in the state are kept by the engine's own memory saver", async (lg, t) => {
    const State = lg.Annotation.Root({ image: lg.Annotation<Uint8Array>(), sum: lg.Annotation<number>() });
    const graph = new lg.StateGraph(State)
      .addNode("a", ({ image }) => ({ sum: image.reduce((sum, byte) => sum + byte, 0) }))
      .addEdge(lg.START, "a")
      .compile({ checkpointer: new lg.MemorySaver() });
    const config = { configurable: { thread_id: "1" } };
    await graph.invoke({ image: Uint8Array.from({ length: 20_000 }, (_, at) => at * 7) }, config);
    await graph.invoke({ sum: 0 }, config);
    const { image, sum } = (await graph.getState(config)).values as typeof State.State;
    t.note("bytes", [image instanceof Uint8Array, image.length, image[3], image[19_999], sum]);
  }),
];
