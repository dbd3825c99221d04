import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

export const commands = [
  scenario("a Command in a loop ends itself", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "again",
        (state) => new lg.Command({ update: { total: 1 }, goto: state.total < 3 ? "again" : lg.END }),
        { ends: ["again", lg.END] },
      )
      .addEdge(lg.START, "again")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("goto END beside another target", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ goto: [lg.END, "b"] }), { ends: ["b", lg.END] })
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("goto to one node twice runs it once; Sends to it come on top", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ goto: ["b", "b", new lg.Send("b", { total: 7 })] }), {
        ends: ["b"],
      })
      .addNode("b", (state) => ({ trail: [`b of ${state.total}`] }))
      .addEdge(lg.START, "a")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("two parallel Commands go to one node", async (lg, t) => {
    const going = (name: string) => () => new lg.Command({ update: { trail: [name] }, goto: "c" });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", going("a"), { ends: ["c"] })
      .addNode("b", going("b"), { ends: ["c"] })
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a Command with nothing in it", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({}))
      .addEdge(lg.START, "a")
      .compile();
    await t.steps(graph, { last: "in" });
  }),

  scenario("a Command that goes to an empty name, to false or to zero goes nowhere", async (lg, t) => {
    for (const goto of ["", false, 0, null, []]) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => new lg.Command({ update: { trail: ["a"] }, goto: goto as never }), {
          ends: ["b"],
        })
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .compile();
      await t.steps(graph, {});
    }
  }),

  scenario("a Command that a Send carries is one when the thread goes on", async (lg, t) => {
    const carried = [
      new lg.Command({ goto: new lg.Send("work", new lg.Command({ goto: new lg.Send("work", "deep") })) }),
      new lg.Command({ goto: ["end"], update: { trail: ["of a command"] } }),
      "text",
    ];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "work",
        (input: unknown) => (lg.isCommand(input) ? input : { trail: [JSON.stringify(input)] }),
        { ends: ["work", "end"] },
      )
      .addNode("end", leaves("end"))
      .addConditionalEdges(lg.START, () => carried.map((args) => new lg.Send("work", args)), ["work"])
      .compile({ checkpointer: t.saver(), interruptBefore: ["work"] });
    await t.invoke(graph, {}, thread("1"));
    for (let step = 0; step < 4; step += 1) await t.invoke(graph, null, thread("1"));
  }),

  scenario("several Commands from one node: all updates, all targets", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "a",
        () =>
          [
            new lg.Command({ update: { trail: ["one"] }, goto: "b" }),
            new lg.Command({ update: { trail: ["two"] }, goto: "c" }),
          ] as never,
        { ends: ["b", "c"] },
      )
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a Command of a Send's task updates and goes on", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "work",
        (input: { item: number }) => new lg.Command({ update: { total: input.item }, goto: "end" }),
        {
          ends: ["end"],
        },
      )
      .addNode("end", leaves("end"))
      .addConditionalEdges(lg.START, () => [1, 2, 3].map((item) => new lg.Send("work", { item })), ["work"])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a Command to the parent with Sends, from a Send's subgraph", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ item: lg.Annotation<number>() }))
      .addNode(
        "up",
        (state) =>
          new lg.Command({
            graph: lg.Command.PARENT,
            update: { trail: [`up ${state.item}`] },
            goto: new lg.Send("work", { item: state.item }),
          }),
      )
      .addEdge(lg.START, "up")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner, { ends: ["work"] })
      .addNode("work", (input: { item: number }) => ({ trail: [`work ${input.item}`] }))
      .addConditionalEdges(lg.START, () => [1, 2].map((item) => new lg.Send("sub", { item })), ["sub"])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a Command to the parent climbs one graph, not two", async (lg, t) => {
    const deepest = new lg.StateGraph(trailState(lg))
      .addNode(
        "deep",
        () => new lg.Command({ graph: lg.Command.PARENT, update: { last: "deep" }, goto: "beside" }),
      )
      .addEdge(lg.START, "deep")
      .compile();
    const middle = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("down", deepest, { ends: ["beside"] })
      .addNode("beside", (state) => ({ last: `${state.last}, beside` }))
      .addEdge(lg.START, "down")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("middle", middle)
      .addNode("after", (state) => ({ trail: [`after ${state.last}`] }))
      .addEdge(lg.START, "middle")
      .addEdge("middle", "after")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "updates", subgraphs: true });
  }),

  scenario("a Command to the parent, as saved", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("first", () => ({ last: "first" }))
      .addNode(
        "up",
        () => new lg.Command({ graph: lg.Command.PARENT, update: { trail: ["up"] }, goto: "other" }),
      )
      .addEdge(lg.START, "first")
      .addEdge("first", "up")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner, { ends: ["other"] })
      .addNode("other", leaves("other"))
      .addEdge(lg.START, "sub")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a Command to the parent from a graph that a node calls", async (lg, t) => {
    const inner = new lg.StateGraph(trailState(lg))
      .addNode(
        "up",
        () => new lg.Command({ graph: lg.Command.PARENT, update: { last: "up" }, goto: "other" }),
      )
      .addEdge(lg.START, "up")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("call", async () => inner.invoke({}) as never, { ends: ["other"] })
      .addNode("other", leaves("other"))
      .addEdge(lg.START, "call")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("update and goto as input of an empty thread, and of a finished one", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    await t.invoke(graph, new lg.Command({ goto: ["a", "b"] }), thread("1"));
    await t.invoke(graph, new lg.Command({ goto: new lg.Send("b", { trail: ["sent"] }) }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("only an update as input of a thread that waits at a breakpoint", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", (state) => ({ trail: [`b saw ${state.last}`] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver, interruptBefore: ["b"] });
    await t.invoke(graph, { last: "old" }, thread("1"));
    await t.invoke(graph, new lg.Command({ update: { last: "new" } }), thread("1"));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a Command's update with an Overwrite", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ update: { trail: new lg.Overwrite(["fresh"]) as never } }))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.steps(graph, { trail: ["old"] });
  }),

  scenario("what a Command sends and writes beside an answer outlives later answers by id", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", ({ last }: { last?: string }) => {
        const who = last ?? "by edge";
        return { trail: [`${who}: ${lg.interrupt(`${who} one?`)}, ${lg.interrupt(`${who} two?`)}`] };
      })
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    let { __interrupt__: open } = await t.invoke(graph, {}, thread("1"));
    const answers = () =>
      Object.fromEntries(
        (open as { id: string; value: string }[]).map(({ id, value }) => [id, `${value} yes`]),
      );
    const also = { goto: new lg.Send("ask", { last: "sent" }), update: { total: 5 } };
    ({ __interrupt__: open } = await t.invoke(
      graph,
      new lg.Command({ resume: answers(), ...also }),
      thread("1"),
    ));
    ({ __interrupt__: open } = await t.invoke(graph, new lg.Command({ resume: answers() }), thread("1")));
    await t.invoke(graph, new lg.Command({ resume: answers() }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("two parallel Commands write a key without reducer", async (lg, t) => {
    const going = (name: string) => () => new lg.Command({ update: { last: name } });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", going("a"))
      .addNode("b", going("b"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile();
    await t.fails(() => graph.invoke({}));
  }),

  scenario("what isCommand takes for a command", async (lg, t) => {
    t.note("isCommand", [
      lg.isCommand(new lg.Command({ goto: "a" })),
      lg.isCommand({}),
      lg.isCommand(null),
      lg.isCommand("text"),
    ]);
    t.note("toJSON", JSON.parse(JSON.stringify(new lg.Command({ goto: "a", update: { x: 1 }, resume: 2 }))));
  }),
];
