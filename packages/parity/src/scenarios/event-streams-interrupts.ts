import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { listed, noteRun, type Run, settled, untimed, V3 } from "./event-streams-kit.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

const asking = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg))
    .addNode("before", leaves("before"))
    .addNode("ask", () => ({ trail: [`answer ${lg.interrupt({ question: "go on?" })}`] }))
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "before")
    .addEdge("before", "ask")
    .addEdge("ask", "after");

/** All but the end of the root graph, of which the engines say different things. */
async function noteWaiting(t: Parameters<typeof noteRun>[0], run: Run): Promise<void> {
  const events = await listed(run, untimed);
  t.note("events", events.slice(0, -1));
  t.note("values", await listed(run.values));
  t.note("output", await settled(run.output));
  t.note("interrupted", [run.interrupted, run.interrupts]);
}

export const eventStreamInterrupts = [
  scenario("v3: a run that asks, and one that is answered", async (lg, t) => {
    const graph = asking(lg).compile({ checkpointer: t.saver() });
    await noteWaiting(t, await graph.streamEvents({ trail: ["in"] }, { ...V3, ...thread("1") }));
    await t.state(graph, thread("1"));
    const resumed = await graph.streamEvents(new lg.Command({ resume: "yes" }), { ...V3, ...thread("1") });
    await noteRun(t, resumed);
  }),

  scenario("v3: interrupts are there as soon as the run asks", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [lg.interrupt("now?")] }))
      .addNode("slow", async () => {
        await late(60);
        return { trail: ["slow"] };
      })
      .addEdge(lg.START, "ask")
      .addEdge(lg.START, "slow")
      .compile({ checkpointer: t.saver() });
    const run = await graph.streamEvents({}, { ...V3, ...thread("1") });
    t.note("at first", [run.interrupted, run.interrupts.length]);
    for await (const values of run.values) if ("__interrupt__" in values) break;
    t.note("when it asks", [run.interrupted, run.interrupts]);
    t.note("output", await settled(run.output));
  }),

  scenario("v3: several questions of one step", async (lg, t) => {
    const ask = (name: string, wait: number) => async () => {
      await late(wait);
      return { trail: [`${name} ${lg.interrupt(`${name}?`)}`] };
    };
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("one", ask("one", 0))
      .addNode("two", ask("two", 25))
      .addEdge(lg.START, "one")
      .addEdge(lg.START, "two")
      .compile({ checkpointer: t.saver() });
    const run = await graph.streamEvents({}, { ...V3, ...thread("1") });
    await noteWaiting(t, run);
    const resume = Object.fromEntries(
      run.interrupts.map(({ interruptId, payload }) => [interruptId, `yes to ${String(payload)}`]),
    );
    const resumed = await graph.streamEvents(new lg.Command({ resume }), { ...V3, ...thread("1") });
    t.note("output", await resumed.output);
  }),

  scenario("v3: breakpoints before and after a node", async (lg, t) => {
    const graph = asking(lg).compile({
      checkpointer: t.saver(),
      interruptBefore: ["after"],
      interruptAfter: ["before"],
    });
    for (const input of [{ trail: ["in"] }, null, new lg.Command({ resume: "yes" })] as never[]) {
      await noteWaiting(t, await graph.streamEvents(input, { ...V3, ...thread("1") }));
    }
    await noteRun(t, await graph.streamEvents(null, { ...V3, ...thread("1") }));
  }),

  scenario("v3: a thread that goes back", async (lg, t) => {
    const graph = asking(lg).compile({ checkpointer: t.saver() });
    await graph.invoke({ trail: ["in"] }, thread("1"));
    await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
    const states = await t.history(graph, thread("1"));
    const old = states.find(({ next }) => next.includes("after"));
    const place = thread("1", { checkpoint_id: old?.config.configurable?.["checkpoint_id"] });
    await noteRun(t, await graph.streamEvents(null, { ...V3, ...place }));
  }),

  scenario("v3: an update of the state by whoever resumes", async (lg, t) => {
    const graph = asking(lg).compile({ checkpointer: t.saver() });
    await graph.invoke({ trail: ["in"] }, thread("1"));
    const command = new lg.Command({ resume: "yes", update: { trail: ["by the way"] } });
    await noteRun(t, await graph.streamEvents(command as never, { ...V3, ...thread("1") }));
  }),
];
