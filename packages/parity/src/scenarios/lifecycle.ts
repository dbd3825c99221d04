import type { GraphInterruptEvent, GraphResumeEvent } from "@langchain/langgraph";
import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

/** Hears of pauses and notes them. */
function watcher(lg: LangGraph) {
  const seen: unknown[] = [];
  class Watcher extends lg.GraphCallbackHandler {
    override handleInterrupt({
      runId,
      status,
      checkpointId,
      checkpointNs,
      interrupts,
    }: GraphInterruptEvent): void {
      seen.push({ pauses: status, at: checkpointNs, ids: [typeof runId, typeof checkpointId], interrupts });
    }
    override handleResume({ runId, status, checkpointId, checkpointNs }: GraphResumeEvent): void {
      seen.push({
        resumes: status,
        at: checkpointNs.map((part) => part.split(":")[0]),
        ids: [typeof runId, typeof checkpointId],
      });
    }
  }
  return { handler: new Watcher(), seen };
}

function asking(lg: LangGraph, ask: () => unknown, more: object = {}) {
  const State = lg.Annotation.Root({ said: lg.Annotation<unknown> });
  return new lg.StateGraph(State)
    .addNode("asks", () => ({ said: ask() }))
    .addNode("ends", () => ({}))
    .addEdge(lg.START, "asks")
    .addEdge("asks", "ends")
    .compile(more);
}

/** GraphCallbackHandler: who hears that runs pause and go on. */
export const lifecycle = [
  scenario("a handler hears of a question and of the answer", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    const graph = asking(lg, () => lg.interrupt("?"), { checkpointer: t.saver() });
    const config = { ...thread("1"), callbacks: [handler] };
    await t.invoke(graph, { said: 1 }, config);
    t.note("heard", seen.splice(0));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), config);
    t.note("heard", seen);
  }),

  scenario("a handler hears of several questions at once", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    const State = lg.Annotation.Root({ a: lg.Annotation<unknown>, b: lg.Annotation<unknown> });
    const graph = new lg.StateGraph(State)
      .addNode("x", () => ({ a: lg.interrupt("x?") }))
      .addNode("y", () => ({ b: lg.interrupt("y?") }))
      .addEdge(lg.START, "x")
      .addEdge(lg.START, "y")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { a: 0 }, { ...thread("1"), callbacks: [handler] });
    t.note("heard", seen);
  }),

  scenario("a handler hears of breakpoints, before and after", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    for (const stops of [{ interruptBefore: ["ends"] }, { interruptAfter: ["asks"] }]) {
      const graph = asking(lg, () => 1, { checkpointer: t.saver(), ...stops });
      const config = { ...thread("1"), callbacks: [handler] };
      await t.invoke(graph, { said: 1 }, config);
      await t.invoke(graph, null, config);
      t.note("heard", seen.splice(0));
    }
  }),

  scenario("a handler of a run that does not pause hears nothing", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    await t.invoke(
      asking(lg, () => 1),
      { said: 1 },
      { callbacks: [handler] },
    );
    t.note("heard", seen);
  }),

  scenario("a handler given by withConfig hears, also of streams", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    const graph = asking(lg, () => lg.interrupt("?"), { checkpointer: t.saver() }).withConfig({
      callbacks: [handler],
    });
    await t.stream(graph, { said: 1 }, { ...thread("1"), streamMode: "updates" });
    t.note("heard", seen.splice(0));
    await t.stream(graph, new lg.Command({ resume: 2 }), { ...thread("1"), streamMode: "updates" });
    t.note("heard", seen);
  }),

  scenario("a handler hears of a question within a subgraph once, and where it goes on", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    const State = lg.Annotation.Root({ said: lg.Annotation<unknown> });
    const graph = new lg.StateGraph(State)
      .addNode(
        "outer",
        asking(lg, () => lg.interrupt("inner?")),
      )
      .addEdge(lg.START, "outer")
      .compile({ checkpointer: t.saver() });
    const config = { ...thread("1"), callbacks: [handler] };
    await t.invoke(graph, { said: 1 }, config);
    t.note("heard", seen.splice(0));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), config);
    t.note("heard", seen);
  }),

  scenario("handlers wait for one another, in the order given", async (lg, t) => {
    const order: string[] = [];
    class Slow extends lg.GraphCallbackHandler {
      override async handleInterrupt(): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push("slow");
      }
    }
    class Quick extends lg.GraphCallbackHandler {
      override handleInterrupt(): void {
        order.push("quick");
      }
    }
    const graph = asking(lg, () => lg.interrupt("?"), { checkpointer: t.saver() });
    await t.invoke(graph, { said: 1 }, { ...thread("1"), callbacks: [new Slow(), new Quick()] });
    t.note("order", order);
  }),

  scenario("a program wired by hand tells handlers, too", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        asks: Channel.subscribeTo("a")
          .pipe(() => lg.interrupt("?"))
          .pipe(Channel.writeTo(["b"])),
      },
      channels: { a: new LastValue(), b: new LastValue() },
      inputChannels: "a",
      outputChannels: "b",
      checkpointer: t.saver(),
    });
    const config = { ...thread("1"), callbacks: [handler] };
    t.note("waits", [await program.invoke("x", config)]);
    await t.invoke(program, new lg.Command({ resume: "yes" }), config);
    t.note("heard", seen);
  }),

  scenario("what is a handler is told by its brand", async (lg, t) => {
    const { handler } = watcher(lg);
    const { GraphCallbackHandler } = lg;
    t.note(
      "is one",
      [handler, {}, null, undefined, "x"].map((value) => GraphCallbackHandler.isInstance(value)),
    );
  }),

  scenario("an entrypoint tells handlers of its tasks' questions", async (lg, t) => {
    const { handler, seen } = watcher(lg);
    const ask = lg.task("ask", (what: string) => lg.interrupt(what) as string);
    const workflow = lg.entrypoint({ name: "flow", checkpointer: t.saver() }, (what: string) => ask(what));
    const config = { ...thread("1"), callbacks: [handler] };
    await t.invoke(workflow as never, "why?", config);
    // LangGraph names the question of a task twice: the task's and its caller's are one
    const questions = seen.splice(0).flatMap((event) => (event as { interrupts: unknown[] }).interrupts);
    t.note("heard", [...new Set(questions.map((one) => JSON.stringify(one)))]);
    await t.invoke(workflow as never, new lg.Command({ resume: "so" }), config);
    t.note("heard", seen);
  }),

  scenario("callbacks are told what a run gave, and of an entrypoint that waits nothing", async (lg, t) => {
    const asks = lg.entrypoint({ name: "asks", checkpointer: t.saver() }, (what: string) => {
      return lg.interrupt(what) as unknown;
    });
    const ends: unknown[] = [];
    const config = {
      ...thread("1"),
      callbacks: [{ handleChainEnd: (output: unknown) => void ends.push(output) }],
    };
    // LangGraph tells of what it writes after a function, too: the run itself ends last
    const note = (what: string): void => t.note(what, ends.splice(0).at(-1));
    for (const answer of [5, [1], { a: 1 }, "text"]) {
      await asks.invoke("?", config);
      note("waits");
      await asks.invoke(new lg.Command({ resume: answer }), config);
      note("ends");
    }
    const nothing = lg.entrypoint("nothing", () => null);
    await nothing.invoke("go", config);
    note("nothing");
    const graph = asking(lg, () => "yes");
    for (const outputKeys of ["said", ["said"]]) {
      await graph.invoke({ said: "in" }, { ...config, outputKeys });
      note("graph");
    }
  }),
];
