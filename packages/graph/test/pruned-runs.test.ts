import type { PruneOptions } from "@skein/checkpointer";
import { Annotation, Command, interrupt, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { ALL_SAVERS, type Saver } from "../../checkpointer/test/savers.ts";

/** docs/decisions/2026-11-21-shared-reducer-key.md */
const State = Annotation.Root({
  turn: Annotation<string>(),
  trail: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  total: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
type Update = Partial<typeof State.State>;
const thread = { configurable: { thread_id: "t" } };
type Node = (state: typeof State.State) => Update;
type Kind = Readonly<{ checkpointer?: true }>;

const PER_TASK: Kind = {};
const KEPT: Kind = { checkpointer: true };
const KINDS = [
  ["of one task", [PER_TASK]],
  ["that keeps its state", [KEPT]],
  ["of one task within another", [PER_TASK, PER_TASK]],
  ["that keeps its state within another that does", [KEPT, KEPT]],
  ["that keeps its state within one of a task", [PER_TASK, KEPT]],
  ["of one task within one that keeps its state", [KEPT, PER_TASK]],
] as const;

/** How the third turn stops within the subgraph, what is done then, and how it goes on. */
interface Stop {
  readonly stop: () => string;
  readonly meanwhile?: (graph: Graph) => Promise<unknown>;
  readonly goOn: (graph: Graph) => Promise<unknown>;
}

const WAITS: Stop = {
  stop: () => interrupt<string, string>("go on?"),
  goOn: (graph) => graph.invoke(new Command({ resume: "yes" }), thread),
};
const STOPS: Readonly<Record<string, Stop>> = {
  "waits for an answer": WAITS,
  "waits again, because one went back within it": { ...WAITS, meanwhile: goBackWithin },
  "was broken off": { stop: failsOnce(), goOn: (graph) => graph.invoke(null, thread) },
};

interface Waiting {
  readonly state: { readonly config: { readonly configurable: { readonly checkpoint_ns: string } } };
}

/** To where the subgraph's first node is to run. */
async function goBackWithin(graph: Graph): Promise<void> {
  const [task] = (await graph.getState(thread, { subgraphs: true })).tasks;
  const { checkpoint_ns } = (task as unknown as Waiting).state.config.configurable;
  const at = { configurable: { ...thread.configurable, checkpoint_ns } };
  for await (const { config, next } of graph.getStateHistory(at)) {
    if (!next.includes("first")) continue;
    await graph.invoke(null, config);
    return;
  }
}

function failsOnce(): () => string {
  let failed = false;
  return () => {
    failed = !failed;
    if (failed) throw new Error("broken off");
    return "yes";
  };
}

const notes =
  (name: string): Node =>
  ({ turn }) => ({ trail: [`${turn} ${name}`], total: 1 });

/** before -> sub (first -> the next subgraph, or the node that stops -> last) */
function around(checkpointer: Saver, kinds: readonly Kind[], stop: () => string) {
  const inner: Node = ({ turn }) => ({ trail: [`${turn} ${turn === "t2" ? stop() : "went on"}`], total: 10 });
  const nested = kinds.reduceRight<Node>((sub, kind, depth) => within(sub, kind, depth), inner);
  return new StateGraph(State)
    .addNode("before", notes("before"))
    .addNode("sub", nested)
    .addEdge(START, "before")
    .addEdge("before", "sub")
    .compile({ checkpointer });
}
type Graph = ReturnType<typeof around>;

function within(sub: Node, kind: Kind, depth: number): Node {
  const graph = new StateGraph(State)
    .addNode("first", notes(`first ${depth}`))
    .addNode("sub", sub)
    .addNode("last", notes(`last ${depth}`))
    .addEdge(START, "first")
    .addEdge("first", "sub")
    .addEdge("sub", "last")
    .compile(kind);
  return graph as unknown as Node;
}

const OPTIONS: readonly PruneOptions[] = [
  { keepLast: 0 },
  { keepLast: 1 },
  { keepTurnBoundaries: true },
  { maxAge: 0, now: Date.now() + 1e9 },
];

describe.each(ALL_SAVERS)("a subgraph on $name", ({ open }) => {
  describe.each(KINDS)("%s", (_, kinds) => {
    it.each(Object.entries(STOPS))(
      "that %s gives back the same after a prune",
      async (_name, { stop, meanwhile, goOn }) => {
        const result = async (options: PruneOptions | undefined): Promise<unknown> => {
          const { saver, reopen, close } = open();
          const graph = around(saver, kinds, stop);
          for (const turn of ["t0", "t1"]) await graph.invoke({ turn }, thread);
          await graph.invoke({ turn: "t2" }, thread).catch(() => {});
          await meanwhile?.(graph);
          if (options !== undefined) await saver.prune("t", options);
          const end = await goOn(around(reopen(), kinds, stop));
          await close();
          return end;
        };
        const whole = await result(undefined);
        const { trail } = whole as typeof State.State;
        expect(new Set(trail).size).toBe(trail.length);
        const pruned = [];
        for (const options of OPTIONS) pruned.push([options, await result(options)]);
        expect(pruned).toEqual(OPTIONS.map((options) => [options, whole]));
      },
    );
  });

  it("that has given back what it wrote keeps nothing of its run", async () => {
    const { saver, close } = open();
    const graph = around(saver, [PER_TASK], WAITS.stop);
    for (const turn of ["t0", "t1", "t2"]) await graph.invoke({ turn }, thread);
    await WAITS.goOn(graph);
    expect(await saver.prune("t", { keepLast: 1 })).toMatchObject({ checkpointsKept: 1 });
    await close();
  });
});
