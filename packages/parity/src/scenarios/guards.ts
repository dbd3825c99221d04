import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { type Trail, leaves, thread, trailState } from "./kit.ts";

/** What each guard of the engine's errors says of something. */
const judged = (lg: LangGraph, value: unknown): Record<string, boolean> => ({
  bubbleUp: lg.isGraphBubbleUp(value),
  interrupt: lg.isGraphInterrupt(value),
  parentCommand: lg.isParentCommand(value),
  drained: lg.isGraphDrained(value),
  nodeError: lg.isNodeError(value),
  nodeTimeout: lg.isNodeTimeoutError(value),
  command: lg.isCommand(value),
  interrupted: lg.isInterrupted(value),
});

export const guards = [
  scenario("guards of errors and results tell the engine's own from one another", async (lg, t) => {
    const values: Readonly<Record<string, unknown>> = {
      interrupt: new lg.GraphInterrupt([{ id: "i", value: "sure?" }]),
      "interrupt of a node": new lg.NodeInterrupt("sure?"),
      "command for the parent": new lg.ParentCommand(new lg.Command({ goto: "there", graph: "parent" })),
      recursion: new lg.GraphRecursionError("too long"),
      update: new lg.InvalidUpdateError("wrong"),
      command: new lg.Command({ resume: 1 }),
      "result that waits": { [lg.INTERRUPT]: [{ id: "i", value: 1 }] },
      "result that waits for nothing": { [lg.INTERRUPT]: [] },
      error: new Error("user: mine"),
      object: { name: "mine" },
    };
    for (const [name, value] of Object.entries(values)) t.note(name, judged(lg, value));
  }),

  scenario("what a node catches of a graph that it calls", async (lg, t) => {
    const State = trailState(lg);
    const caught: unknown[] = [];
    const inner = (name: string, node: () => never | Partial<Trail>) =>
      new lg.StateGraph(State).addNode(name, node).addEdge(lg.START, name).compile();
    const asks = inner("asks", () => ({ last: String(lg.interrupt("sure?")) }));
    const leavesIt = inner("leaves", () => {
      throw new lg.ParentCommand(new lg.Command({ graph: lg.Command.PARENT, goto: "after" }));
    });
    const calling = (graph: typeof asks) => async (): Promise<Partial<Trail>> => {
      try {
        await graph.invoke({ last: "x" });
      } catch (error) {
        caught.push(judged(lg, error));
        throw error;
      }
      return { trail: ["called"] };
    };
    for (const [id, graph] of [
      ["1", asks],
      ["2", leavesIt],
    ] as const) {
      const outer = new lg.StateGraph(State)
        .addNode("call", calling(graph), { ends: ["after"] })
        .addNode("after", leaves("after"))
        .addEdge(lg.START, "call")
        .compile({ checkpointer: t.saver() });
      await t.invoke(outer, { last: "y" }, thread(id));
    }
    t.note("caught", caught);
  }),

  scenario(
    "a node catches from a graph that it calls the very signal that was thrown there",
    async (lg, t) => {
      class Own extends lg.NodeInterrupt {}
      const throws = {
        question: () => lg.interrupt("?") as string,
        NodeInterrupt: () => {
          throw new lg.NodeInterrupt("node");
        },
        "one's own": () => {
          throw new Own("own");
        },
        GraphInterrupt: () => {
          throw new lg.GraphInterrupt([{ value: "graph" }]);
        },
        "no question": () => {
          throw new lg.GraphInterrupt();
        },
      };
      for (const [what, act] of Object.entries(throws)) {
        for (const depth of [1, 2]) {
          let thrown: unknown;
          let inner = new lg.StateGraph(trailState(lg))
            .addNode("asks", () => {
              try {
                return { last: act() };
              } catch (error) {
                thrown = error;
                throw error;
              }
            })
            .addEdge(lg.START, "asks")
            .compile();
          if (depth === 2) {
            const middle = new lg.StateGraph(trailState(lg)).addNode("within", inner);
            inner = middle.addEdge(lg.START, "within").compile() as never;
          }
          const graph = new lg.StateGraph(trailState(lg))
            .addNode("calls", async (state) => {
              try {
                return await inner.invoke(state);
              } catch (error) {
                const { name, interrupts } = error as InstanceType<LangGraph["GraphInterrupt"]>;
                const kinds = [lg.NodeInterrupt, lg.GraphInterrupt, Own].map((kind) => error instanceof kind);
                t.note(what, { name, interrupts, kinds, same: error === thrown });
                throw error;
              }
            })
            .addEdge(lg.START, "calls")
            .compile({ checkpointer: t.saver() });
          await t.invoke(graph, {}, thread("1"));
          await t.state(graph, thread("1"));
        }
      }
    },
  ),
];
