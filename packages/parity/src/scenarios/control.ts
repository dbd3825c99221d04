import { scenario } from "../scenario.ts";
import { late, leaves, thread, type Trail, trailState } from "./kit.ts";

export const control = [
  scenario("Send runs a node once per send, each with its own input", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("plan", leaves("plan"))
      .addNode("work", async (input: { item: number }) => {
        await late(4 - 2 * input.item);
        return { trail: [`work ${input.item}`], total: input.item };
      })
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", () => [0, 1, 2].map((item) => new lg.Send("work", { item })), ["work"])
      .addEdge("work", "end")
      .compile();
    await t.invoke(graph, {});
    await t.steps(graph, {});
    await t.steps(graph, {}, { streamMode: "values" });
  }),

  scenario("Sends and a node by name from one condition", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("plan", leaves("plan"))
      .addNode("work", (input: { item: number }) => ({ trail: [`work ${input.item ?? "by edge"}`] }))
      .addNode("other", leaves("other"))
      .addEdge(lg.START, "plan")
      .addConditionalEdges(
        "plan",
        () => [new lg.Send("work", { item: 1 }), "other", new lg.Send("work", { item: 2 })] as never,
        ["work", "other"],
      )
      .compile();
    await t.steps(graph, {});
  }),

  scenario("Sends from START", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", (input: { item: string }) => ({ trail: [input.item] }))
      .addConditionalEdges(
        lg.START,
        (state) => state.trail.map((item) => new lg.Send("work", { item: `${item}!` })),
        ["work"],
      )
      .compile();
    await t.invoke(graph, { trail: ["x", "y"] });
  }),

  scenario("checkpoints of a step of Sends", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("plan", leaves("plan"))
      .addNode("work", (input: { item: number }) => ({ trail: [`work ${input.item}`] }))
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", () => [1, 2].map((item) => new lg.Send("work", { item })), ["work"])
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("Command updates and goes to a node", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ update: { trail: ["a"], last: "a" }, goto: "c" }), {
        ends: ["b", "c"],
      })
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: ["updates", "values"] });
  }),

  scenario("Command goes to several nodes, to Sends, and nowhere", async (lg, t) => {
    const going = (goto: unknown) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", () => new lg.Command({ update: { trail: ["a"] }, goto: goto as never }), {
          ends: ["b", "c", lg.END],
        })
        .addNode("b", (input: Trail) => ({ trail: [`b of ${input.total ?? "send"}`] }))
        .addNode("c", leaves("c"))
        .addEdge(lg.START, "a")
        .compile();
    await t.steps(going(["b", "c"]), {});
    await t.steps(going([new lg.Send("b", { x: 1 }), "c", new lg.Send("b", { total: 9 })]), {});
    await t.steps(going(new lg.Send("c", {})), {});
    await t.steps(going(lg.END), {});
    await t.steps(going([]), {});
  }),

  scenario("a Command's goto comes on top of the node's static edges", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ update: { trail: ["a"] }, goto: "b" }), { ends: ["b"] })
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addEdge("a", "c")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a list of Commands and updates from one node", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "a",
        () => [new lg.Command({ update: { trail: ["a1"] }, goto: "b" }), { trail: ["a2"] }] as never,
        { ends: ["b"] },
      )
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {});
    await t.steps(graph, {});
  }),

  scenario("Command with an update as pairs", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "a",
        () =>
          new lg.Command({
            update: [
              ["trail", ["one"]],
              ["trail", ["two"]],
              ["last", "x"],
            ] as never,
          }),
      )
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {});
    await t.steps(graph, {});
  }),

  scenario("Command as input: update and goto", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ update: { trail: ["by command"] }, goto: "b" }), thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("Command to the parent graph leaves the subgraph and goes on there", async (lg, t) => {
    const inner = new lg.StateGraph(trailState(lg))
      .addNode(
        "inner",
        () => new lg.Command({ graph: lg.Command.PARENT, update: { trail: ["from inner"] }, goto: "other" }),
      )
      .addNode("never", leaves("never"))
      .addEdge(lg.START, "inner")
      .addEdge("inner", "never")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner, { ends: ["other"] })
      .addNode("other", leaves("other"))
      .addEdge(lg.START, "sub")
      .compile();
    await t.invoke(graph, {});
    await t.steps(graph, {});
  }),

  scenario("of commands for the parent in one step, the one that comes last is followed", async (lg, t) => {
    for (const last of ["a", "b"]) {
      let free: (() => void) | undefined;
      const other = new Promise<void>((resolve) => {
        free = resolve;
      });
      const up = (name: string) => async () => {
        if (name === last) await other;
        else setTimeout(() => free?.());
        return new lg.Command({
          graph: lg.Command.PARENT,
          goto: `to ${name}`,
          update: { trail: [`from ${name}`] },
        });
      };
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("a", up("a"))
        .addNode("b", up("b"))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "b")
        .compile();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("inner", inner, { ends: ["to a", "to b"] })
        .addNode("to a", leaves("to a"))
        .addNode("to b", leaves("to b"))
        .addEdge(lg.START, "inner")
        .compile({ checkpointer: t.saver() });
      await t.invoke(graph, {}, thread("1"));
      await t.state(graph, thread("1"));
    }
  }),
];
