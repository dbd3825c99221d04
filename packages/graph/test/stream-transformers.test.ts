import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import {
  type ProtocolEvent,
  START,
  StateGraph,
  StreamChannel,
  type StreamTransformer,
  type TransformerFactory,
} from "@skein/graph";
import { sleep, State } from "./support/trail.ts";
import { all, plain, twoSteps } from "./support/two-steps.ts";

const making =
  (made: unknown): TransformerFactory =>
  () =>
    made as never;

const rejecting =
  (at: string, running: Promise<void>): TransformerFactory =>
  () => ({
    ...plain,
    process: (async ({ method, params }: ProtocolEvent) => {
      // what it stops has begun, however busy the machine is
      await running;
      await sleep(1);
      const isLast = method === "values" && (params.data as { trail?: string[] }).trail?.length === 2;
      if (at === "first" || isLast) throw new Error("cannot read this late");
      return true;
    }) as never,
  });

/** Leaves a promise in the run stream that it rejects when the run has failed. */
const leaving = (): StreamTransformer<object> => {
  const settle: { reject?: (error: Error) => void } = {};
  const late = new Promise<never>((_resolve, reject) => (settle.reject = reject));
  return { ...plain, init: () => ({ late }), fail: () => settle.reject?.(new Error("nobody waits")) };
};

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
    await sleep(0);
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

describe("transformers of a run stream", () => {
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

  it("stops the run when a transformer throws: nobody could follow the rest of it", async () => {
    const { builder, ran, open } = twoSteps();
    const run = await builder.compile().streamEvents({}, { version: "v3", transformers: [bad] });
    open();
    await expect(run.output).rejects.toThrow("cannot read this");
    await sleep(10);
    expect(ran).toEqual(["a"]);
  });

  it("stops the run when an asynchronous transformer rejects, also at the last event", async () => {
    for (const at of ["first", "last"]) {
      const { builder, ran, running, open } = twoSteps();
      const transformers = [rejecting(at, running)];
      const run = await builder.compile().streamEvents({}, { version: "v3", transformers });
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
      const { builder } = twoSteps();
      const run = await builder.compile().streamEvents({}, { version: "v3", transformers: [leaving] });
      run.abort();
      await run.output.catch(() => undefined);
      await sleep(5);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
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
