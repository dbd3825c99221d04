import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { Annotation, type GraphRunStream, START, StateGraph } from "@skein/graph";
import { sleep, State } from "./support/trail.ts";
import { all, twoSteps } from "./support/two-steps.ts";

async function started(run: GraphRunStream): Promise<void> {
  for await (const { method } of run) if (method === "tasks") return;
}

describe("a run stream", () => {
  it("is stopped by abort: no further node runs, and every reader fails with the reason", async () => {
    const { builder, ran } = twoSteps();
    const run = await builder.compile().streamEvents({}, { version: "v3" });
    const reading = [all(run), all(run.values), all(run.lifecycle), all(run.messages), all(run.subgraphs)];
    await started(run);
    run.abort(new Error("enough"));
    for (const one of [run.output, ...reading]) await expect(one).rejects.toThrow("enough");
    expect(ran).toEqual(["a"]);
    expect(run.signal.aborted).toBe(true);
  });

  it("is stopped by the run stream of a subgraph, too", async () => {
    const { builder, ran } = twoSteps();
    const outer = new StateGraph(State).addNode("in", builder.compile()).addEdge(START, "in").compile();
    const run = await outer.streamEvents({}, { version: "v3" });
    for await (const sub of run.subgraphs) {
      sub.abort(new Error("enough"));
      break;
    }
    await expect(run.output).rejects.toThrow("enough");
    await sleep(0);
    expect(ran).not.toContain("b");
  });

  it("as server-sent events is stopped when its reader leaves", async () => {
    const { builder, ran, open } = twoSteps();
    const text = await builder.compile().streamEvents({}, { version: "v3", encoding: "text/event-stream" });
    const reader = text.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toContain('event: lifecycle\ndata: {"event":"running"');
    await reader.cancel();
    open();
    await sleep(10);
    expect(ran).not.toContain("b");
  });

  it("that waits is interrupted at every level, and completed only where it is (A10)", async () => {
    const inner = new StateGraph(Annotation.Root({ own: Annotation<string>() }))
      .addNode("quick", () => ({ own: "x" }))
      .addEdge(START, "quick")
      .compile();
    const stopping = new StateGraph(Annotation.Root({ own: Annotation<string>() }))
      .addNode("stop", () => ({ own: "x" }))
      .addEdge(START, "stop")
      .compile({ interruptBefore: ["stop"] });
    const graph = new StateGraph(State)
      .addNode("done", inner)
      .addNode("waits", stopping)
      .addEdge(START, "done")
      .addEdge("done", "waits")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "1" } };
    const run = await graph.streamEvents({}, { version: "v3", ...config });
    const stages = (await all(run.lifecycle)).map(({ event, graph_name: name }) => `${event} ${name}`);
    expect(stages).toEqual([
      "running root",
      "started done",
      "completed done",
      "started waits",
      "interrupted waits",
      "interrupted root",
    ]);
    const resumed = await graph.streamEvents(null, { version: "v3", ...config });
    expect((await all(resumed.lifecycle)).at(-1)).toMatchObject({ event: "completed" });
  });

  it("gives two calls within one node a stream each, of which each is a root", async () => {
    const inner = new StateGraph(State)
      .addNode("work", ({ trail }) => ({ trail: [`${trail[0]} done`] }))
      .addEdge(START, "work")
      .compile();
    const seen: unknown[] = [];
    const outer = new StateGraph(State)
      .addNode("calls", async () => {
        const runs = await Promise.all(
          ["1", "2"].map((name) => inner.streamEvents({ trail: [name] }, { version: "v3" })),
        );
        for (const run of runs) seen.push((await run.output).trail, (await all(run.values)).length);
        return {};
      })
      .addEdge(START, "calls")
      .compile();
    await outer.invoke({});
    expect(seen).toEqual([["1", "1 done"], 2, ["2", "2 done"], 2]);
  });
});
