import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

type Item = { item: number };
const works = (input: Item) => ({ trail: [`work ${input.item}`], total: input.item });

export const sends = [
  scenario("a step of many Sends keeps their order whatever finishes first", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", async (input: Item) => {
        await late((7 - input.item) % 4);
        return works(input);
      })
      .addConditionalEdges(
        lg.START,
        () => Array.from({ length: 8 }, (_, item) => new lg.Send("work", { item })),
        ["work"],
      )
      .compile();
    await t.invoke(graph, {});
    await t.steps(graph, {});
  }),

  scenario("Sends with few at a time", async (lg, t) => {
    let running = 0;
    let most = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", async (input: Item) => {
        running += 1;
        most = Math.max(most, running);
        await late(1);
        running -= 1;
        return works(input);
      })
      .addConditionalEdges(
        lg.START,
        () => Array.from({ length: 6 }, (_, item) => new lg.Send("work", { item })),
        ["work"],
      )
      .compile();
    await t.invoke(graph, {}, { maxConcurrency: 2 });
    t.note("most at once", most);
  }),

  scenario("Sends from two nodes of one step", async (lg, t) => {
    const plan = (base: number) => () => [0, 1].map((item) => new lg.Send("work", { item: base + item }));
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("b", leaves("b"))
      .addNode("a", leaves("a"))
      .addNode("work", works)
      .addEdge(lg.START, "b")
      .addEdge(lg.START, "a")
      .addConditionalEdges("b", plan(10), ["work"])
      .addConditionalEdges("a", plan(20), ["work"])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("Sends of Sends", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("split", (input: Item) => ({ trail: [`split ${input.item}`] }))
      .addNode("work", works)
      .addConditionalEdges(lg.START, () => [1, 2].map((item) => new lg.Send("split", { item })), ["split"])
      .addConditionalEdges(
        "split",
        (state) => state.trail.map((_, index) => new lg.Send("work", { item: index })),
        ["work"],
      )
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a condition after a Send sees the Send's input merged with the state", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", (input: { last: string }) => ({ trail: [input.last] }))
      .addNode("end", leaves("end"))
      .addConditionalEdges(lg.START, () => ["x", "y"].map((last) => new lg.Send("work", { last })), ["work"])
      .addConditionalEdges("work", (state) => {
        t.note("condition saw", state);
        return "end";
      })
      .addEdge("end", lg.END)
      .compile();
    await t.invoke(graph, { last: "in" });
  }),

  scenario("a Send and an edge to one node", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("work", (input: Partial<Item>) => ({ trail: [`work ${input.item ?? "by edge"}`] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "work")
      .addConditionalEdges("a", () => new lg.Send("work", { item: 1 }), ["work"])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("Sends and a join: the join waits for its named sources only", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("work", works)
      .addNode("join", leaves("join"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", () => [1, 2].map((item) => new lg.Send("work", { item })), ["work"])
      .addEdge(["a", "work"], "join")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("one of several Sends fails: its siblings' results are kept and not run again", async (lg, t) => {
    const saver = t.saver();
    const ran: number[] = [];
    let broken = true;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", async (input: Item) => {
        ran.push(input.item);
        if (input.item === 1) {
          await late(5);
          if (broken) throw new Error("user: one");
        }
        return works(input);
      })
      .addConditionalEdges(lg.START, () => [0, 1, 2].map((item) => new lg.Send("work", { item })), ["work"])
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, thread("1")));
    await t.saved(saver, "1");
    broken = false;
    await t.invoke(graph, null, thread("1"));
    t.note("ran", ran);
  }),

  scenario("the input of a Send is handed over as it is", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", (input: unknown) => {
        t.note("input", input);
        return {};
      })
      .addConditionalEdges(
        lg.START,
        () => ["text", 5, null, [1, 2], { total: 1, unknown: true }].map((args) => new lg.Send("work", args)),
        ["work"],
      )
      .compile();
    await t.invoke(graph, { last: "in" });
  }),

  scenario("a state with Sends waiting, as getState and the tasks stream show it", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("plan", leaves("plan"))
      .addNode("work", works)
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", () => [1, 2].map((item) => new lg.Send("work", { item })), ["work"])
      .compile({ checkpointer: t.saver(), interruptBefore: ["work"] });
    await t.stream(graph, {}, { ...thread("1"), streamMode: "tasks" });
    await t.state(graph, thread("1"));
    await t.stream(graph, null, { ...thread("1"), streamMode: "updates" });
  }),

  scenario("no Sends at all end the run", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("plan", leaves("plan"))
      .addNode("work", works)
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", () => [], ["work"])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("map and reduce: Sends, then one node that sees all of them", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", works)
      .addNode("reduce", (state) => ({ last: `${state.total} of ${state.trail.join("+")}` }))
      .addConditionalEdges(lg.START, () => [3, 4, 5].map((item) => new lg.Send("work", { item })), ["work"])
      .addEdge("work", "reduce")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("what a node edits of a Send's input is nobody else's", async (lg, t) => {
    type Entry = { n: number; tags: string[] };
    const State = lg.Annotation.Root({
      entries: lg.Annotation<Entry[]>(),
      trail: lg.Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    });
    const edit = ({ entry }: { entry: Entry }) => {
      entry.n += 100;
      entry.tags.push("edited");
      return { trail: [`${entry.n} ${entry.tags.join()}`] };
    };
    const graph = new lg.StateGraph(State)
      .addNode(
        "plan",
        ({ entries }) => new lg.Command({ goto: [new lg.Send("edit", { entry: entries[0] })] }),
        {
          ends: ["edit"],
        },
      )
      .addNode("edit", edit)
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", ({ entries }) => entries.map((entry) => new lg.Send("edit", { entry })), [
        "edit",
      ])
      .compile({ checkpointer: t.saver() });
    const entries = [1, 2].map((n) => ({ n, tags: [`tag ${n}`] }));
    await t.invoke(graph, { entries }, thread("1"));
    await t.state(graph, thread("1"));
    t.note("as they were given", entries);
  }),

  scenario("a Send and a Command hold what they were given when they were made", async (lg, t) => {
    const made = new Date(0);
    const list: unknown[] = [1, { deep: [2] }];
    const given = { list, made, bare: Object.assign(Object.create(null), { deep: [3] }) as object };
    const round: Record<string, unknown> = { name: "round" };
    round["self"] = round;
    const send = new lg.Send("n", given);
    const goto = ["a", send];
    const command = new lg.Command({ goto });
    list.push("later");
    goto.push("later");
    const circle = new lg.Send("n", round).args;
    const targets = command.goto as readonly unknown[];
    t.note("made", [send.args.list, send.args.bare, send.args.made === made]);
    t.note("targets", [targets.length, targets[1] === send]);
    t.note("round", [circle === round, circle["self"] === circle, circle["name"]]);
    t.note("plain", [new lg.Send("n", "text").args, new lg.Send("n", null).args, new lg.Send("n", [1]).args]);
  }),
];
