import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { chain, listed, noteRun, settled, stage, untimed, V3 } from "./event-streams-kit.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

/** A node that takes its time, between two that do not. */
const slow = (lg: LangGraph, ran: string[]) => {
  const node = (name: string, wait: number) => async () => {
    await late(wait);
    ran.push(name);
    return { trail: [name] };
  };
  return new lg.StateGraph(trailState(lg))
    .addNode({ a: node("a", 0), b: node("b", 40), c: node("c", 0) })
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile();
};

/** LangGraph's stream drops what nobody has read when a run fails: this leaves time to read. */
const failsLate = async (): Promise<never> => {
  await late(5);
  throw new Error("user: failed");
};

export const eventStreamViews = [
  scenario("v3: every event of a chain, its states, lifecycle and output", async (lg, t) => {
    await noteRun(t, await chain(lg).compile().streamEvents({ last: "in" }, V3));
  }),

  scenario(
    "v3: on a thread, each state says which checkpoint it is and which one it follows",
    async (lg, t) => {
      const graph = chain(lg).compile({ checkpointer: t.saver() });
      await noteRun(t, await graph.streamEvents({ trail: ["one"] }, { ...V3, ...thread("1") }));
      await t.history(graph, thread("1"));
      await noteRun(t, await graph.streamEvents({ trail: ["two"] }, { ...V3, ...thread("1") }));
      await t.history(graph, thread("1"));
    },
  ),

  scenario("v3: durability does not change what is told", async (lg, t) => {
    for (const durability of ["sync", "exit"] as const) {
      const graph = chain(lg).compile({ checkpointer: t.saver() });
      const run = await graph.streamEvents({ trail: ["in"] }, { ...V3, ...thread("1"), durability });
      t.note(durability, await listed(run, untimed));
    }
  }),

  scenario("v3: values are a list and a promise", async (lg, t) => {
    const run = await chain(lg)
      .compile()
      .streamEvents({ trail: ["in"] }, V3);
    t.note("awaited", await run.values);
    t.note("listed", await listed(run.values));
    t.note("listed again", await listed(run.values));
  }),

  scenario("v3: a state whose output is a part of it", async (lg, t) => {
    const State = trailState(lg);
    const graph = new lg.StateGraph({
      stateSchema: State,
      input: lg.Annotation.Root({ last: lg.Annotation<string>() }),
      output: lg.Annotation.Root({ total: State.spec.total }),
    })
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    await noteRun(t, await graph.streamEvents({ last: "in" }, V3));
  }),

  scenario("v3: outputKeys choose what states show, one key by its bare name", async (lg, t) => {
    for (const outputKeys of [["total"], "total"] as const) {
      const run = await chain(lg)
        .compile()
        .streamEvents({ trail: ["in"] }, { ...V3, outputKeys: outputKeys as never });
      await noteRun(t, run);
    }
  }),

  scenario("v3: a run that writes nothing has no output", async (lg, t) => {
    const graph = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("a", () => ({}))
      .addEdge(lg.START, "a")
      .compile();
    await noteRun(t, await graph.streamEvents({}, V3));
  }),

  scenario("v3: whoever comes late sees everything", async (lg, t) => {
    const run = await chain(lg)
      .compile()
      .streamEvents({ trail: ["in"] }, V3);
    await run.output;
    await noteRun(t, run);
  }),

  scenario("v3: several readers at once see the same, each at its own pace", async (lg, t) => {
    const run = await slow(lg, []).streamEvents({}, V3);
    const lazily = async () => {
      const seen: unknown[] = [];
      for await (const values of run.values) {
        await late(15);
        seen.push(values);
      }
      return seen;
    };
    const [lazy, quick, events] = await Promise.all([lazily(), listed(run.values), listed(run, untimed)]);
    t.note("the same", [lazy, quick]);
    t.note("events", events);
  }),

  scenario("v3: a slow reader does not slow the run", async (lg, t) => {
    const ran: string[] = [];
    const run = await slow(lg, ran).streamEvents({}, V3);
    const seen: unknown[] = [];
    for await (const values of run.values) {
      if (seen.length === 0) await run.output;
      seen.push([values, [...ran]]);
    }
    t.note("seen", seen);
  }),

  scenario("v3: a reader that leaves does not stop the run", async (lg, t) => {
    const ran: string[] = [];
    const run = await slow(lg, ran).streamEvents({}, V3);
    for await (const event of run) {
      t.note("first", untimed(event));
      break;
    }
    for await (const values of run.values) {
      t.note("first state", values);
      break;
    }
    t.note("output", await run.output);
    t.note("ran", ran);
  }),

  scenario("v3: what nodes write to the custom stream, with and without a name", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, config) => {
        for (const chunk of [{ name: "progress", payload: 1 }, { done: 2 }, "text", 3, null, [4]])
          config.writer?.(chunk);
        return {};
      })
      .addEdge(lg.START, "a")
      .compile();
    t.note("events", await listed(await graph.streamEvents({}, V3), untimed));
  }),

  scenario("v3: updates of nodes that write nothing, one value, and a key twice", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("nothing", () => ({}))
      .addNode("one", () => ({ last: "x" }))
      .addNode("twice", () => [new lg.Command({ update: { trail: ["1"] } }), { trail: ["2"] }] as never)
      .addEdge(lg.START, "nothing")
      .addEdge("nothing", "one")
      .addEdge("one", "twice")
      .compile();
    t.note("events", await listed(await graph.streamEvents({}, V3), untimed));
  }),

  scenario("v3: tasks that Sends start", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", async ({ item }: { item: number }) => {
        await late(10 * item);
        return { trail: [`work ${item}`] };
      })
      .addConditionalEdges(lg.START, () => [1, 2, 3].map((item) => new lg.Send("work", { item })), ["work"])
      .compile();
    await noteRun(t, await graph.streamEvents({}, V3));
  }),

  scenario("v3: a failed run: events up to the failure, and every view fails", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("bad", failsLate)
      .addEdge(lg.START, "a")
      .addEdge("a", "bad")
      .compile();
    const run = await graph.streamEvents({ trail: ["in"] }, V3);
    await noteRun(t, run);
    t.note("values, awaited", await settled(run.values));
    t.note("messages", await listed(run.messages));
    t.note("subgraphs", await listed(run.subgraphs));
  }),

  scenario("v3: nobody has to read a failed run", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", failsLate)
      .addEdge(lg.START, "bad")
      .compile();
    const run = await graph.streamEvents({}, V3);
    await late(20);
    t.note("output", await settled(run.output));
  }),

  scenario("v3: the recursion limit", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .addEdge("a", "a")
      .compile();
    const run = await graph.streamEvents({}, { ...V3, recursionLimit: 3 });
    t.note("values", (await listed(run.values)).at(-1));
    t.note("output", await settled(run.output));
  }),

  scenario("v3: an input that is none", async (lg, t) => {
    const run = await chain(lg)
      .compile()
      .streamEvents({ nothing: 1 } as never, V3);
    t.note("output", await settled(run.output));
    t.note("lifecycle", (await listed(run.lifecycle, stage)).length);
  }),

  scenario("v3: the call's own signal stops the run", async (lg, t) => {
    const ran: string[] = [];
    const stop = new AbortController();
    const run = await slow(lg, ran).streamEvents({}, { ...V3, signal: stop.signal });
    for await (const { trail } of run.values) if (trail.length > 0) break;
    stop.abort(new Error("user: enough"));
    t.note("output", await settled(run.output));
    t.note("lifecycle", await listed(run.lifecycle, stage));
    t.note("states", await listed(run.values));
    await late(60);
    t.note("the third node did not run", ran.includes("c"));
  }),

  scenario("v3: a run that is not aborted has a signal that is not", async (lg, t) => {
    const run = await chain(lg).compile().streamEvents({}, V3);
    t.note("signal", run.signal.aborted);
    t.note("path", run.path);
    t.note("extensions", run.extensions);
    await run.output;
  }),

  scenario("v3: as server-sent events", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("a", (state) => ({ last: `${state.last}, seen` }))
      .addEdge(lg.START, "a")
      .compile();
    const graph = new lg.StateGraph(trailState(lg)).addNode("in", inner).addEdge(lg.START, "in").compile();
    const text = await graph.streamEvents({ last: "x" }, { ...V3, encoding: "text/event-stream" });
    const lines: string[] = [];
    for await (const chunk of text) lines.push(new TextDecoder().decode(chunk as Uint8Array));
    t.note("text", lines);
  }),

  scenario("v3: a failed run as server-sent events ends in an error", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", failsLate)
      .addEdge(lg.START, "bad")
      .compile();
    const text = await graph.streamEvents({}, { ...V3, encoding: "text/event-stream" });
    const lines: string[] = [];
    for await (const chunk of text) lines.push(new TextDecoder().decode(chunk as Uint8Array));
    t.note("text", lines);
  }),

  scenario("v3: of an entrypoint with tasks", async (lg, t) => {
    const double = lg.task("double", async (n: number) => n * 2);
    const flow = lg.entrypoint("flow", async (n: number) => (await double(n)) + 1);
    await noteRun(t, await flow.streamEvents(3, V3));
  }),

  scenario("v3: config bound to the graph is used", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, config) => ({ last: String(config.configurable?.["user"]) }))
      .addEdge(lg.START, "a")
      .compile()
      .withConfig({ configurable: { user: "bound" } });
    t.note("output", await (await graph.streamEvents({}, V3)).output);
  }),

  scenario("v3: v1 and v2 are LangChain's events, as before", async (lg, t) => {
    for (const version of ["v1", "v2"] as const) {
      const names: unknown[] = [];
      for await (const { event, name } of chain(lg).compile().streamEvents({}, { version })) {
        names.push([event, name]);
      }
      t.note(version, names.length > 4 && names.at(0));
    }
  }),
];
