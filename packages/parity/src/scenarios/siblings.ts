import { type BaseCheckpointSaver, InMemoryCache, MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import { type Difference, scenario } from "../scenario.ts";
import { late, leaves, thread, type Trail, trailState } from "./kit.ts";

/** How a sibling of the task that fails takes its signal. */
const manners = {
  polite: (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    }),
  rude: (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("user: told to stop")), { once: true });
    }),
} as const;

/** bad fails while a sibling runs; once it is mended, both work. */
function failing(lg: LangGraph, saver: BaseCheckpointSaver, running: (signal: AbortSignal) => Promise<void>) {
  const switches = { broken: true, runs: 0 };
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("bad", async () => {
      await late(10);
      if (switches.broken) throw new Error("user: broken");
      return { trail: ["bad"] };
    })
    .addNode("sibling", async (_state, { signal }) => {
      switches.runs += 1;
      if (switches.broken) await running(signal as AbortSignal);
      return { trail: [`sibling ${switches.runs}`] };
    })
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "bad")
    .addEdge(lg.START, "sibling")
    .addEdge(["bad", "sibling"], "after")
    .compile({ checkpointer: saver });
  return { graph, switches };
}

/** A node whose results are cached beside one that can be broken; both join in a third. */
function cachedBeside(lg: LangGraph, saver: BaseCheckpointSaver) {
  const switches = { broken: false, runs: 0 };
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("bad", async () => {
      await late(20);
      if (switches.broken) throw new Error("user: broken");
      return { trail: ["bad"] };
    })
    .addNode(
      "cached",
      () => {
        switches.runs += 1;
        return { trail: [`cached ${switches.runs}`] };
      },
      { cachePolicy: { ttl: 60 } },
    )
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "bad")
    .addEdge(lg.START, "cached")
    .addEdge(["bad", "cached"], "after")
    .compile({ checkpointer: saver, cache: new InMemoryCache() });
  return { graph, switches };
}

const cachedSiblings = [
  scenario("all tasks of a step begin, also when one fails as soon as it begins", async (lg, t) => {
    for (const maxConcurrency of [undefined, 2]) {
      const begun: string[] = [];
      const begins = (name: string) => (): Partial<Trail> => {
        begun.push(name);
        return { trail: [name] };
      };
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          throw new Error("user: at once");
        })
        .addNode("b", begins("b"))
        .addNode("c", begins("c"))
        .addConditionalEdges(lg.START, () => ["a", "b", "c"], ["a", "b", "c"])
        .compile();
      await t.fails(() => graph.invoke({}, maxConcurrency === undefined ? {} : { maxConcurrency }));
      t.note("begun", begun);
    }
  }),

  scenario(
    "what tasks write to the stream as they begin comes before what any of them returns",
    async (lg, t) => {
      const names = ["a", "b", "c"] as const;
      const graph = new lg.StateGraph(trailState(lg));
      for (const name of names) {
        graph.addNode(name, (_, { writer }) => {
          writer?.(name);
          return { trail: [name] };
        });
      }
      graph.addConditionalEdges(lg.START, () => [...names] as never[]);
      await t.stream(graph.compile(), {}, { streamMode: ["custom", "updates"] });
      await t.stream(graph.compile(), {}, { streamMode: ["custom", "updates"], maxConcurrency: 2 });
    },
  ),

  scenario("a sibling of a task that fails is told by an abort, not by the failure", async (lg, t) => {
    const { graph } = failing(lg, t.saver(), async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      const { name, code } = signal.reason as DOMException;
      t.note("reason", [name, code]);
      signal.throwIfAborted();
    });
    await t.fails(() => graph.invoke({}, thread("1")));
  }),

  scenario("a result from the cache beside a task that fails", async (lg, t) => {
    const saver = t.saver();
    const { graph, switches } = cachedBeside(lg, saver);
    await t.invoke(graph, { last: "x" }, thread("0"));
    switches.broken = true;
    await t.streamFails(graph, { last: "x" }, { ...thread("1"), streamMode: ["tasks", "updates"] });
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
    await graph.clearCache();
    switches.broken = false;
    await t.stream(graph, null, { ...thread("1"), streamMode: ["tasks", "updates"] });
    t.note("runs of the cached node", switches.runs);
  }),

  scenario("what finished beside a failure is in the cache for the next thread", async (lg, t) => {
    const { graph, switches } = cachedBeside(lg, t.saver());
    switches.broken = true;
    await t.streamFails(graph, { last: "x" }, { ...thread("1"), streamMode: ["updates"] });
    switches.broken = false;
    await t.stream(graph, { last: "x" }, { ...thread("2"), streamMode: ["tasks", "updates"] });
    await t.invoke(graph, null, thread("1"));
    t.note("runs of the cached node", switches.runs);
  }),
];

const failingSiblings = (Object.keys(manners) as (keyof typeof manners)[]).map((manner) =>
  scenario(`a task fails beside a ${manner} one that has its signal`, async (lg, t) => {
    const saver = t.saver();
    const { graph, switches } = failing(lg, saver, manners[manner]);
    await t.streamFails(graph, {}, { ...thread("1"), streamMode: ["tasks", "updates"] });
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
    switches.broken = false;
    await t.invoke(graph, null, thread("1"));
    t.note("runs of the sibling", switches.runs);
  }),
);

export const siblings = [...failingSiblings, ...cachedSiblings];

/** What becomes of a sibling that does not listen. */
export const deafSiblings: readonly Difference[] = [
  {
    id: "siblings-of-a-failure",
    name: "a sibling that finishes although another task failed is not run again",
    there: ["sibling 2", 2],
    here: ["sibling 1", 1],
    async run(lg) {
      const { graph, switches } = failing(lg, new MemorySaver(), () => late(40));
      await graph.invoke({}, thread("1")).catch(() => undefined);
      switches.broken = false;
      const { trail } = await graph.invoke(null, thread("1"));
      return [trail.find((entry) => entry.startsWith("sibling")), switches.runs];
    },
  },
  {
    id: "one-task-at-a-time",
    name: "all tasks of a step run when one may run at a time",
    there: [null, ["b"]],
    here: [["a", "b"], []],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "b")
        .compile({ checkpointer: new MemorySaver() });
      const output = (await graph.invoke({}, { ...thread("1"), maxConcurrency: 1 })) as
        | { trail: string[] }
        | undefined;
      return [output?.trail ?? null, (await graph.getState(thread("1"))).next];
    },
  },
];
