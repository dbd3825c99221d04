import { MemorySaver } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import {
  Annotation,
  type GraphRunStream,
  type ProtocolEvent,
  START,
  StateGraph,
  StreamChannel,
  type StreamTransformer,
  type TransformerFactory,
} from "../src/index.ts";

const State = Annotation.Root({
  trail: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

const tick = (milliseconds = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** a -> b, of which `a` waits until it is let go or stopped. */
function twoSteps() {
  const ran: string[] = [];
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const graph = new StateGraph(State)
    .addNode("a", async (_state, { signal }) => {
      ran.push("a");
      await Promise.race([
        opened,
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
      ]);
      return { trail: ["a"] };
    })
    .addNode("b", () => {
      ran.push("b");
      return { trail: ["b"] };
    })
    .addEdge(START, "a")
    .addEdge("a", "b");
  return { builder: graph, ran, open: () => gate.open?.() };
}

const plain: StreamTransformer<object> = { init: () => ({}), process: () => true };
const making =
  (made: unknown): TransformerFactory =>
  () =>
    made as never;

const rejecting =
  (at: string): TransformerFactory =>
  () => ({
    ...plain,
    process: (async ({ method, params }: ProtocolEvent) => {
      await tick(1);
      const isLast = method === "values" && (params.data as { trail?: string[] }).trail?.length === 2;
      if (at === "first" || isLast) throw new Error("cannot read this late");
      return true;
    }) as never,
  });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function started(run: GraphRunStream): Promise<void> {
  for await (const { method } of run) if (method === "tasks") return;
}

const native = (view: string) => making({ ...plain, __native: true, init: () => ({ view }) });

const bad = (): StreamTransformer<object> => ({
  ...plain,
  process({ method }: ProtocolEvent) {
    if (method === "updates") throw new Error("cannot read this");
    return true;
  },
});

const naming = (): StreamTransformer<{ names: StreamChannel<string> }> => {
  const names = StreamChannel.remote<string>("names");
  return {
    init: () => ({ names }),
    process({ method, params }) {
      if (method === "values") names.push((params.data as { trail: string[] }).trail.join());
      return true;
    },
  };
};

describe("stream transformers that are none are refused, before anything runs", () => {
  it.each<[string, unknown]>([
    ["no list", plain],
    ["no functions", [plain]],
    ["nothing made", [making(undefined)]],
    ["no init", [making({ process: () => true })]],
    ["no process", [making({ init: () => ({}) })]],
    ["a promise from init", [making({ ...plain, init: async () => ({ late: 1 }) })]],
    [
      "one name twice",
      [making({ ...plain, init: () => ({ a: 1 }) }), making({ ...plain, init: () => ({ a: 2 }) })],
    ],
    [
      "a native one named like the run's own",
      [making({ ...plain, __native: true, init: () => ({ values: [] }) })],
    ],
  ])("%s", async (_what, transformers) => {
    const { builder, ran } = twoSteps();
    const streaming = builder
      .compile()
      .streamEvents({}, { version: "v3", transformers: transformers as never });
    await expect(streaming).rejects.toMatchObject({ code: "INVALID_TRANSFORMER" });
    await tick();
    expect(ran).toEqual([]);
  });

  it("at compile and withConfig, too", () => {
    const { builder } = twoSteps();
    expect(() => builder.compile({ transformers: [plain] as never })).toThrow(GraphError);
    expect(() => builder.compile().withConfig({ streamTransformers: "x" as never })).toThrow(GraphError);
  });

  it("two native views of one name are allowed: a library puts its own in the place of another's", async () => {
    const { builder, open } = twoSteps();
    const run = await builder
      .compile()
      .streamEvents({}, { version: "v3", transformers: [native("1"), native("2")] });
    expect((run as unknown as { view: string }).view).toBe("2");
    open();
    await run.output;
  });
});

describe("a run stream", () => {
  it("costs nothing where nobody asks for it: invoke and stream make no transformer", async () => {
    let made = 0;
    const counting = (): StreamTransformer => {
      made += 1;
      return plain;
    };
    const { builder, open } = twoSteps();
    const graph = builder.compile({ transformers: [counting] });
    open();
    await graph.invoke({});
    for await (const _chunk of await graph.stream({})) continue;
    expect(made).toBe(0);
    await (
      await graph.streamEvents({}, { version: "v3" })
    ).output;
    expect(made).toBe(1);
  });

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
    await tick();
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
    await tick(10);
    expect(ran).not.toContain("b");
  });

  it("stops the run when a transformer throws: nobody could follow the rest of it", async () => {
    const { builder, ran, open } = twoSteps();
    const run = await builder.compile().streamEvents({}, { version: "v3", transformers: [bad] });
    open();
    await expect(run.output).rejects.toThrow("cannot read this");
    await tick(10);
    expect(ran).toEqual(["a"]);
  });

  it("stops the run when an asynchronous transformer rejects, also at the last event", async () => {
    for (const at of ["first", "last"]) {
      const { builder, ran, open } = twoSteps();
      const run = await builder.compile().streamEvents({}, { version: "v3", transformers: [rejecting(at)] });
      if (at === "last") open();
      await expect(all(run)).rejects.toThrow("cannot read this late");
      expect(ran).toEqual(at === "first" ? ["a"] : ["a", "b"]);
    }
  });

  it("does not keep a promise of a transformer that is rejected unhandled", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const rejecting = (): StreamTransformer<object> => {
        const settle: { reject?: (error: Error) => void } = {};
        const late = new Promise<never>((_resolve, reject) => (settle.reject = reject));
        return { ...plain, init: () => ({ late }), fail: () => settle.reject?.(new Error("nobody waits")) };
      };
      const { builder } = twoSteps();
      const run = await builder.compile().streamEvents({}, { version: "v3", transformers: [rejecting] });
      run.abort();
      await run.output.catch(() => undefined);
      await tick(5);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
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

  it("forwards channels of two runs of one graph to their own run only (I9)", async () => {
    const graph = new StateGraph(State)
      .addNode("work", () => ({ trail: ["done"] }))
      .addEdge(START, "work")
      .compile({ transformers: [naming] });
    const runs = await Promise.all(
      ["1", "2"].map((name) => graph.streamEvents({ trail: [name] }, { version: "v3" })),
    );
    const told = await Promise.all(
      runs.map(async (run) =>
        (await all(run)).filter(({ method }) => method === "custom:names").map(({ params }) => params.data),
      ),
    );
    expect(told).toEqual([
      ["1", "1,done"],
      ["2", "2,done"],
    ]);
    expect(await all(runs[0]?.extensions.names as StreamChannel<string>)).toEqual(["1", "1,done"]);
  });
});
