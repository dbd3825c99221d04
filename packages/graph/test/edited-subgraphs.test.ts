import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { Annotation, Command, type Durability, interrupt, START, StateGraph } from "../src/index.ts";
import { SAVERS } from "./support/savers.ts";

/** docs/decisions/2026-11-21-shared-reducer-key.md */
const State = Annotation.Root({
  trail: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  total: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
const leaves = (name: string) => (): typeof State.Update => ({ trail: [name], total: 1 });
const edit = (name: string, total: number): typeof State.Update => ({ trail: [name], total });

/** around -> sub: pre -> (done, asks -> after) */
function waiting(checkpointer: BaseCheckpointSaver) {
  const sub = new StateGraph(State)
    .addNode("pre", leaves("pre"))
    .addNode("done", leaves("done"))
    .addNode("asks", () => ({ trail: [`asks ${interrupt("?")}`], total: 1 }))
    .addNode("after", leaves("after"))
    .addEdge(START, "pre")
    .addEdge("pre", "done")
    .addEdge("pre", "asks")
    .addEdge("asks", "after")
    .compile();
  return new StateGraph(State).addNode("sub", sub).addEdge(START, "sub").compile({ checkpointer });
}
type Graph = ReturnType<typeof waiting>;
type Thread = { configurable: Record<string, string> };

async function within(graph: Graph): Promise<Thread> {
  const { tasks } = await graph.getState(thread, { subgraphs: true });
  const state = tasks[0]?.state as { config: Thread };
  return state.config;
}

const thread: Thread = { configurable: { thread_id: "t" } };

/** The config of the first state within that had a step's number. */
async function older(graph: Graph, step: number): Promise<Thread> {
  const { checkpoint_ns } = (await within(graph)).configurable;
  const found: unknown[] = [];
  const all = graph.getStateHistory({ configurable: { ...thread.configurable, checkpoint_ns } });
  for await (const { config, metadata } of all) if (metadata?.step === step) found.push(config);
  return found.at(-1) as Thread;
}

interface Edited {
  readonly name: string;
  edit(graph: Graph): Promise<unknown>;
  /** What the subgraph adds to what it was given. */
  readonly trail: readonly string[];
  readonly total: number;
}

async function editTwice(graph: Graph): Promise<void> {
  const config = await within(graph);
  await graph.updateState(config, edit("first", 100), "asks");
  await graph.updateState(config, edit("second", 5), "asks");
}

const EDITED: readonly Edited[] = [
  {
    name: "the second of two updates of one state",
    edit: editTwice,
    trail: ["pre", "second", "after"],
    total: 7,
  },
  {
    name: "all updates of one superstep",
    async edit(graph) {
      const updates = ["done", "asks"].map((asNode) => ({ values: edit(asNode, 10), asNode }));
      await graph.bulkUpdateState(await within(graph), [{ updates }]);
    },
    trail: ["pre", "done", "asks", "after"],
    total: 22,
  },
  {
    name: "what leads from an older state, and not what did before",
    edit: async (graph) => graph.updateState(await older(graph, 0), edit("by hand", 10), "pre"),
    trail: ["by hand", "asks yes", "done", "after"],
    total: 13,
  },
  {
    name: "what ran once, however often somebody went back",
    async edit(graph) {
      for (const step of [0, 0, -1]) await graph.invoke(null, await older(graph, step));
    },
    trail: ["pre", "asks yes", "done", "after"],
    total: 4,
  },
];

function postgres(): BaseCheckpointSaver {
  const storage = openPostgres();
  onTestFinished(() => storage.close());
  return storage.saver;
}

describe.each([...SAVERS, ["change sets in PostgreSQL", postgres] as const])(
  "a waiting subgraph that was edited, on %s",
  (_saver, make) => {
    const begun = async (durability: Durability): Promise<Graph> => {
      const graph = waiting(make());
      await graph.invoke({ trail: ["given"], total: 1000 }, { ...thread, durability });
      return graph;
    };

    describe.each<Durability>(["sync", "async"])("durability %s", (durability) => {
      it.each(EDITED)("hands back $name", async ({ edit: change, trail, total }) => {
        const graph = await begun(durability);
        await change(graph);
        const { tasks } = await graph.getState(thread);
        const asks = tasks.some(({ interrupts }) => interrupts.length > 0);
        const config = { ...thread, durability };
        const output = await (asks
          ? graph.invoke(new Command({ resume: "yes" }), config)
          : graph.invoke(null, config));
        expect(output).toEqual({ trail: ["given", ...trail], total: 1000 + total });
      });
    });

    it("durability exit: hands back the elements of a list", async () => {
      const graph = await begun("exit");
      await editTwice(graph);
      const { trail } = await graph.invoke(null, { ...thread, durability: "exit" });
      expect(trail).toEqual(["given", "pre", "second", "after"]);
    });
  },
);
