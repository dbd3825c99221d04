import type { ProtocolEvent, StreamEmitter } from "@langchain/langgraph";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import {
  chain,
  counting,
  later,
  listed,
  noteRun,
  type Run,
  settled,
  stage,
  untimed,
  V3,
} from "./event-streams-kit.ts";
import { trailState } from "./kit.ts";

const extension = (run: Run, name: string) => (run.extensions as Record<string, never>)[name] as never;

const total = () => {
  const { promise, resolve } = later<number>();
  let events = 0;
  return {
    init: () => ({ total: promise }),
    process: () => {
      events += 1;
      return true;
    },
    finalize: () => resolve(events),
  };
};

const broken = () => {
  const { promise, reject } = later<number>();
  return {
    init: () => ({ broken: promise }),
    process: () => true,
    finalize: () => reject(new Error("user: no total")),
  };
};

const quiet = () => ({ init: () => ({}), process: ({ method }: ProtocolEvent) => method !== "tasks" });

const echo = () => {
  let emit: StreamEmitter | undefined;
  return {
    init: () => ({}),
    onRegister: (emitter: StreamEmitter) => void (emit = emitter),
    process({ method, params }: ProtocolEvent) {
      if (method !== "updates") return true;
      const data = { echo: params.node };
      const echoed = { namespace: ["elsewhere:1"], timestamp: 0, data };
      emit?.push(["elsewhere:1"], { type: "event", seq: 0, method: "custom", params: echoed });
      return true;
    },
  };
};

const tells = () => {
  let emit: StreamEmitter | undefined;
  return {
    init: () => ({}),
    onRegister: (emitter: StreamEmitter) => void (emit = emitter),
    process({ method, params }: ProtocolEvent) {
      if (method !== "updates" || params.node !== "a") return true;
      const cause = { type: "toolCall", tool_call_id: "c1" };
      const data = { event: "started", graph_name: "helper", cause };
      const told = { namespace: ["helper:1"], timestamp: 0, data };
      emit?.push(["helper:1"], { type: "event", seq: 0, method: "lifecycle", params: told });
      return true;
    },
  };
};

export const eventStreamTransformers = [
  scenario("v3: a transformer with a state, in run.extensions", async (lg, t) => {
    const graph = chain(lg).compile();
    for (let call = 0; call < 2; call += 1) {
      const run = await graph.streamEvents({}, { ...V3, transformers: [counting(lg, "counts")] });
      t.note("counts", await listed(run.extensions.counts as never));
      t.note("names", Object.keys(run.extensions));
    }
  }),

  scenario(
    "v3: what a transformer pushes into a named channel is an event, where it belongs",
    async (lg, t) => {
      const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
        .addNode("work", () => ({ last: "x" }))
        .addEdge(lg.START, "work")
        .compile();
      const graph = new lg.StateGraph(trailState(lg)).addNode("in", inner).addEdge(lg.START, "in").compile();
      const spy = () => {
        const seen = lg.StreamChannel.remote<string>("nodes");
        return {
          init: () => ({ seen }),
          process({ method, params }: ProtocolEvent) {
            if (method === "updates") seen.push(`${params.node} wrote`);
            return true;
          },
        };
      };
      const run = await graph.streamEvents({}, { ...V3, transformers: [spy] });
      t.note("events", await listed(run, untimed));
      t.note("seen", await listed(run.extensions.seen));
    },
  ),

  scenario("v3: a promise of a transformer is the last event", async (lg, t) => {
    const run = await chain(lg)
      .compile()
      .streamEvents({}, { ...V3, transformers: [total] });
    t.note("total", await run.extensions.total);
    t.note("last", (await listed(run, untimed)).slice(-2));
  }),

  scenario("v3: a promise that is rejected is no event, and the run ends", async (lg, t) => {
    const run = await chain(lg)
      .compile()
      .streamEvents({}, { ...V3, transformers: [broken] });
    t.note("broken", await settled(run.extensions.broken));
    t.note("last", (await listed(run, untimed)).at(-1));
  }),

  scenario("v3: a transformer keeps events out of the run's, not from the others", async (lg, t) => {
    const transformers = [quiet, counting(lg, "counts")] as const;
    const run = await chain(lg)
      .compile()
      .streamEvents({ last: "in" }, { ...V3, transformers });
    t.note("events", await listed(run, untimed));
    t.note("counts", (await listed(run.extensions.counts as never)).at(-1));
    t.note("values", await listed(run.values));
  }),

  scenario("v3: a transformer puts events of its own into the stream", async (lg, t) => {
    const transformers = [echo, counting(lg, "counts")] as const;
    const run = await chain(lg)
      .compile()
      .streamEvents({}, { ...V3, transformers });
    t.note("events", await listed(run, untimed));
    t.note("subgraphs", await listed(run.subgraphs, ({ name, index }) => [name, index]));
    t.note("counts", (await listed(run.extensions.counts as never)).at(-1));
  }),

  scenario("v3: a transformer tells that a graph starts, and why", async (lg, t) => {
    const run = await chain(lg)
      .compile()
      .streamEvents({}, { ...V3, transformers: [tells] });
    t.note("lifecycle", await listed(run.lifecycle, stage));
    t.note("events", await listed(run, untimed));
  }),

  scenario("v3: transformers of compile, of withConfig and of the call, in this order", async (lg, t) => {
    const order: string[] = [];
    const named = (name: string) => () => ({
      init: () => ({ [name]: name }),
      process({ method, params }: ProtocolEvent) {
        if (method === "updates") order.push(`${name} ${params.node}`);
        return true;
      },
    });
    const graph = chain(lg).compile({ transformers: [named("compiled")] });
    const bound = graph.withConfig({ streamTransformers: [named("bound")] });
    const run = await bound.streamEvents({}, { ...V3, transformers: [named("own")] });
    await run.output;
    t.note("order", order);
    t.note("extensions", run.extensions);
    const plain = await graph.streamEvents({}, V3);
    await plain.output;
    t.note("without", plain.extensions);
    t.note("how many", [graph.streamTransformers.length, bound.streamTransformers.length]);
  }),

  scenario("v3: transformers of a subgraph's compile are not its caller's", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("work", () => ({ last: "x" }))
      .addEdge(lg.START, "work")
      .compile({ transformers: [counting(lg, "inner")] });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("in", inner)
      .addEdge(lg.START, "in")
      .compile({ transformers: [counting(lg, "outer")] });
    const run = await graph.streamEvents({}, V3);
    t.note("names", Object.keys(run.extensions));
    t.note("counts", (await listed(extension(run, "outer"))).at(-1));
    t.note("invoked", await graph.invoke({}));
  }),

  scenario("v3: a native transformer's view stands on the run", async (lg, t) => {
    const native = () => ({ ...counting(lg, "counts")(), __native: true as const });
    const run = await chain(lg)
      .compile()
      .streamEvents({}, { ...V3, transformers: [native] });
    const { counts } = run as unknown as { counts: AsyncIterable<unknown> };
    t.note(
      "counts",
      counts === undefined ? "none" : (run as never as { counts: { size: number } }).counts.size >= 0,
    );
    t.note("extensions", run.extensions);
    t.note("is native", lg.isNativeTransformer(native()));
    t.note("is not", lg.isNativeTransformer(counting(lg, "x")()));
    await run.output;
  }),

  scenario("v3: of a program of channels, with transformers of its own", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, EphemeralValue } = channelsOf(lg);
    const shout = Channel.subscribeTo("said")
      .pipe((text: string) => text.toUpperCase())
      .pipe(Channel.writeTo(["shouted"]));
    const program = new Pregel({
      nodes: { shout },
      channels: { said: new EphemeralValue<string>(), shouted: new LastValue<string>() },
      inputChannels: "said",
      outputChannels: "shouted",
      streamTransformers: [counting(lg, "counts")],
    } as never);
    const run = await program.streamEvents("hello", V3);
    await noteRun(t, run as never);
    t.note("counts", (await listed(extension(run as never, "counts"))).at(-1));
  }),
];
