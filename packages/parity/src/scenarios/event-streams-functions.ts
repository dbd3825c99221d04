import type { LifecycleEntry, ProtocolEvent } from "@langchain/langgraph";
import { streamOf } from "../entries.ts";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { listed, noteRun, settled, stage, untimed } from "./event-streams-kit.ts";

type Source = Parameters<LangGraph["createGraphRunStream"]>[0];

async function* of(...chunks: unknown[]): AsyncGenerator<never> {
  for (const chunk of chunks) {
    await Promise.resolve();
    if (chunk instanceof Error) throw chunk;
    yield chunk as never;
  }
}

const event = (method: string, namespace: string[], data: unknown, seq = 1): ProtocolEvent => ({
  type: "event",
  seq,
  method,
  params: { namespace, timestamp: 0, data },
});

/** A lifecycle transformer, and what it told when it was shown these events. */
function told(
  lg: LangGraph,
  options: Parameters<LangGraph["createLifecycleTransformer"]>[0],
  events: readonly ProtocolEvent[],
) {
  const transformer = lg.createLifecycleTransformer(options);
  const emitted: unknown[] = [];
  const { _lifecycleLog: log, lifecycle } = transformer.init();
  transformer.onRegister?.({ push: (_namespace, one) => void emitted.push(untimed(one)) });
  const kept = events.map((one) => transformer.process(one));
  return { transformer, emitted, log, lifecycle, kept };
}

export const eventStreamFunctions = [
  scenario("v3: chunks of every mode as events", async (lg, t) => {
    const convert = (mode: string, payload: unknown) =>
      lg
        .convertToProtocolEvent({ namespace: ["n:1"], mode: mode as never, payload, seq: 7 })
        .map((one) => untimed(one));
    t.note("modes", lg.STREAM_EVENTS_V3_MODES);
    const meta = { langgraph_node: "n", run_id: "r" };
    for (const payload of [
      [{ event: "x" }, meta],
      [{ event: "x" }, {}],
      [{ event: "x" }],
      "text",
      ["text", meta],
      [{}, null],
    ])
      t.note("messages", convert("messages", payload));
    for (const payload of [{ n: { a: 1 } }, { n: 5 }, { n: null }, { n: [1] }, { a: 1, b: 2 }, {}, null, "x"])
      t.note("updates", convert("updates", payload));
    for (const payload of [
      { event: "on_tool_start", toolCallId: "c", name: "f", input: { a: 1 } },
      { event: "on_tool_start" },
      { event: "on_tool_event", toolCallId: "c", data: { at: 1 } },
      { event: "on_tool_event", toolCallId: "c", data: "text" },
      { event: "on_tool_event", toolCallId: "c" },
      { event: "on_tool_end", toolCallId: "c", output: "done" },
      { event: "on_tool_error", toolCallId: "c", error: new Error("user: broken") },
      { event: "on_tool_error", toolCallId: "c", error: "text" },
      { event: "on_tool_error", toolCallId: "c" },
      { event: "else" },
      null,
    ])
      t.note("tools", convert("tools", payload));
    for (const payload of [{ name: "n", a: 1 }, { a: 1 }, ["name"], 5, null, undefined])
      t.note("custom", convert("custom", payload));
    for (const payload of [{ id: "c", step: 1, source: "loop" }, { id: "c", values: {}, step: 1 }, {}, null])
      t.note("checkpoints", [convert("checkpoints", payload), lg.isCheckpointEnvelope(payload)]);
    t.note("others", [convert("values", { a: 1 }), convert("tasks", { id: "t" }), convert("debug", {})]);
  }),

  scenario("v3: which events a subscription gets", async (lg, t) => {
    const { inferChannel, isPrefixMatch, isSupportedChannel, matchesSubscription, ...more } = streamOf(lg);
    t.note("channels", [...more.SUPPORTED_CHANNELS].sort());
    for (const value of ["values", "input", "custom:x", "custom:", "debug", ""])
      t.note(value, isSupportedChannel(value));
    for (const method of [
      "values",
      "updates",
      "messages",
      "tools",
      "custom",
      "lifecycle",
      "input",
      "input.requested",
      "tasks",
      "checkpoints",
      "debug",
      "custom:x",
    ])
      t.note(method, inferChannel(event(method, [], {})));
    for (const data of [{ name: "a" }, { name: null }, null, 5])
      t.note("custom", inferChannel(event("custom", [], data)));
    t.note("segments", ["a:1", "a", "a:1:2", ""].map(more.normalizeNamespaceSegment));
    const namespaces = [[], ["a:1"], ["a:1", "b:2"], ["a"], ["a:1", "b:2", "c:3"]];
    for (const prefix of [[], ["a"], ["a:1"], ["a:2"], ["a", "b"], ["a:1", "b"]]) {
      t.note(
        prefix.join("|"),
        namespaces.map((namespace) => isPrefixMatch(namespace, prefix)),
      );
      for (const depth of [undefined, 0, 1]) {
        const wants = {
          channels: ["values" as const],
          namespaces: [prefix],
          ...(depth === undefined ? {} : { depth }),
        };
        t.note(
          "matches",
          namespaces.map((namespace) => matchesSubscription(event("values", namespace, {}), wants)),
        );
      }
    }
    const channels = ["custom" as const, "custom:a" as const];
    t.note(
      "by name",
      channels.map((channel) =>
        [{ name: "a" }, { name: "b" }, {}].map((data) =>
          matchesSubscription(event("custom", [], data), { channels: [channel] }),
        ),
      ),
    );
    const since = { channels: ["values" as const], since: 3 };
    t.note(
      "since",
      [2, 3, 4].map((seq) => matchesSubscription(event("values", [], {}, seq), since)),
    );
  }),

  scenario("v3: a run stream of chunks that come from elsewhere", async (lg, t) => {
    const source = of(
      [[], "values", { n: 1 }],
      [[], "updates", { a: { n: 1 } }],
      [["a:1"], "values", { deep: 1 }],
      [["a:1", "b:2"], "values", { deeper: 1 }],
      [[], "updates", { a: { n: 2 } }],
      [[], "values", { n: 2 }],
    );
    const run = lg.createGraphRunStream(source);
    await noteRun(t, run);
    for await (const sub of run.subgraphs)
      t.note(sub.name, [sub.index, await sub.output, await listed(sub.values)]);
  }),

  scenario("v3: a source that fails, and one that has nothing", async (lg, t) => {
    await noteRun(t, lg.createGraphRunStream(of([[], "values", { n: 1 }], new Error("user: gone"))));
    await noteRun(t, lg.createGraphRunStream(of()));
  }),

  scenario("v3: a run stream aborts the controller that it is given", async (lg, t) => {
    const mine = new AbortController();
    for (const options of [mine, { abortController: mine }] as const) {
      const run = lg.createGraphRunStream(of() as Source, [], options);
      t.note("the same signal", run.signal === mine.signal);
      run.abort(new Error("user: enough"));
      t.note("aborted", [mine.signal.aborted, await settled(run.output)]);
    }
  }),

  scenario("v3: the lifecycle transformer by hand", async (lg, t) => {
    const events = [
      event("updates", ["a:1"], {}),
      {
        ...event("updates", [], { node: "a" }),
        params: { namespace: [], timestamp: 0, node: "a", data: {} },
      },
      event("values", [], {}),
      event("tasks", ["b:2", "c:3"], {
        id: "4",
        name: "d",
        input: [],
        metadata: { lc_agent_name: "helper" },
      }),
      event("tasks", ["b:2"], { id: "3", name: "c", result: {}, interrupts: [] }),
      event("lifecycle", ["x:1"], { event: "started", cause: { type: "edge", from_node: "a" } }),
    ];
    for (const options of [
      {},
      { rootGraphName: "mine", initialStatus: "started" as const },
      { emitRootOnRegister: false, getGraphName: (ns: string[]) => ns.join("/") },
    ]) {
      const { transformer, emitted, log, lifecycle, kept } = told(lg, options, events);
      await transformer.finalize?.();
      t.note("emitted", emitted);
      t.note("kept", kept);
      t.note("lifecycle", await listed(lifecycle, stage));
      t.note("below b", await listed(lg.filterLifecycleEntries(log, ["b:2"]), stage));
      t.note("from the third on", (await listed(lg.filterLifecycleEntries(log, [], 2), stage)).length);
    }
  }),

  scenario("v3: how a run ended may be known better", async (lg, t) => {
    const answers: (() => Promise<LifecycleEntry["event"] | undefined>)[] = [
      async () => "interrupted",
      async () => undefined,
      async () => {
        throw new Error("user: do not know");
      },
    ];
    for (const getTerminalStatusOverride of answers) {
      const { transformer, lifecycle } = told(lg, { getTerminalStatusOverride }, [
        event("values", ["a:1"], {}),
      ]);
      await transformer.finalize?.();
      t.note("lifecycle", await listed(lifecycle, stage));
    }
    const asked = told(lg, {}, [
      event("input", [], { event: "requested", id: "q" }),
      event("values", ["a:1"], {}),
    ]);
    await asked.transformer.finalize?.();
    t.note("asked", await listed(asked.lifecycle, stage));
    const failed = told(lg, { serializeError: () => "in short" }, [event("values", ["a:1"], {})]);
    failed.transformer.fail?.(new Error("user: failed"));
    t.note("failed", await listed(failed.lifecycle, stage));
    for (const error of ["text", { an: "object" }]) {
      const { transformer, emitted } = told(lg, {}, []);
      transformer.fail?.(error);
      t.note("error", emitted);
    }
  }),

  scenario("v3: the values transformer by hand", async (lg, t) => {
    const transformer = lg.createValuesTransformer(["a:1"]);
    const { _valuesLog: log } = transformer.init();
    for (const namespace of [[], ["a:1"], ["a:2"], ["a:1", "b:1"]]) {
      t.note("kept", transformer.process(event("values", namespace, { namespace })));
    }
    transformer.process(event("updates", ["a:1"], { no: 1 }));
    await transformer.finalize?.();
    t.note("values", await listed(log));
  }),
];
