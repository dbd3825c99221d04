import type { LangGraph } from "../engines.ts";
import type { Recorder, Snapshot } from "../recorder.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

type Thread = ReturnType<typeof thread>;

/** around -> sub: pre -> (done -> then, asks -> after); its caller merges what it writes. */
function waiting(lg: LangGraph, t: Recorder) {
  const sub = new lg.StateGraph(trailState(lg))
    .addNode("pre", leaves("pre"))
    .addNode("done", leaves("done"))
    .addNode("asks", () => ({ trail: [`asks ${lg.interrupt("?")}`], total: 1 }))
    .addNode("then", leaves("then"))
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "pre")
    .addEdge("pre", "done")
    .addEdge("pre", "asks")
    .addEdge("done", "then")
    .addEdge("asks", "after");
  return new lg.StateGraph(trailState(lg))
    .addNode("sub", sub.compile())
    .addEdge(lg.START, "sub")
    .compile({ checkpointer: t.saver() });
}
type Graph = ReturnType<typeof waiting>;

/** The config of the state within. */
async function within(graph: Graph): Promise<Thread> {
  const { tasks } = (await graph.getState(thread("1"), { subgraphs: true })) as unknown as Snapshot;
  const state = tasks[0]?.state as Snapshot;
  return state.config as Thread;
}

/** The newest state: without the id of a checkpoint. */
function newest({ configurable }: Thread): Thread {
  const { checkpoint_ns } = configurable as unknown as Record<string, string>;
  return thread("1", { checkpoint_ns });
}

/** The config of the first state within that had a step's number. */
async function older(graph: Graph, step: number): Promise<Thread> {
  const found: unknown[] = [];
  for await (const { config, metadata } of graph.getStateHistory(newest(await within(graph)))) {
    if (metadata?.step === step) found.push(config);
  }
  return found.at(-1) as Thread;
}

const edited = (name: string, edit: (graph: Graph) => Promise<unknown>): Scenario =>
  scenario(`what a waiting subgraph hands back after ${name}`, async (lg, t) => {
    const graph = waiting(lg, t);
    await graph.invoke({}, thread("1"));
    await edit(graph);
    await graph.invoke(null, thread("1"));
    const { tasks, values } = await graph.getState(thread("1"));
    const asks = tasks.some(({ interrupts }) => interrupts.length > 0);
    t.note("values", asks ? await graph.invoke(new lg.Command({ resume: "yes" }), thread("1")) : values);
  });

const edit = (name: string, total = 10): { trail: string[]; total: number } => ({ trail: [name], total });

/** What a subgraph that waits hands to its caller when somebody has edited it, or gone back in it. */
export const editedSubgraphs: readonly Scenario[] = [
  ...(["asks", "done", "then", "after"] as const).map((asNode) =>
    edited(`an update as ${asNode}`, async (graph) =>
      graph.updateState(await within(graph), edit("U"), asNode),
    ),
  ),
  edited("an update that names no checkpoint", async (graph) =>
    graph.updateState(newest(await within(graph)), edit("U"), "asks"),
  ),
  edited("two updates of one state", async (graph) => {
    const config = await within(graph);
    await graph.updateState(config, edit("U", 100), "asks");
    await graph.updateState(config, edit("V", 5), "asks");
  }),
  edited("two updates of one state, of which the first is gone on from", async (graph) => {
    const config = await within(graph);
    const first = await graph.updateState(config, edit("U", 100), "asks");
    await graph.updateState(config, edit("V", 5), "asks");
    await graph.updateState(first as Thread, edit("W", 7), "after");
  }),
  edited("an update of an older state", async (graph) =>
    graph.updateState(await older(graph, 0), edit("U"), "pre"),
  ),
  edited("updates one after the other from an older state", async (graph) =>
    graph.bulkUpdateState(await older(graph, 0), [
      { updates: [{ values: edit("U"), asNode: "pre" }] },
      { updates: [{ values: edit("V"), asNode: "asks" }] },
    ]),
  ),
  edited("two updates as one step", async (graph) =>
    graph.bulkUpdateState(await within(graph), [
      {
        updates: [
          { values: edit("U"), asNode: "done" },
          { values: edit("V"), asNode: "asks" },
        ],
      },
    ]),
  ),
  edited("a copy of the newest state", async (graph) =>
    graph.updateState(await within(graph), null, "__copy__"),
  ),
  edited("a copy of a state that was updated", async (graph) => {
    const updated = await graph.updateState(await within(graph), edit("U"), "asks");
    await graph.updateState(updated as Thread, null, "__copy__");
  }),
  edited("a copy of the input", async (graph) => graph.updateState(await older(graph, -1), null, "__copy__")),
  ...[
    [0, 1],
    [1, 1],
    [-1, 0],
    [0, 0, 0],
  ].map((steps) =>
    edited(`going back to its steps ${steps.join(" and ")}`, async (graph) => {
      for (const step of steps) await graph.invoke(null, await older(graph, step));
    }),
  ),
  edited("going back and an update", async (graph) => {
    await graph.invoke(null, await older(graph, 0));
    await graph.updateState(await within(graph), edit("U"), "asks");
  }),
];
