import type { ProtocolEvent, StreamTransformer } from "@langchain/langgraph";
import { plainError } from "../normalise.ts";
import { scenario } from "../scenario.ts";
import { chain, later, listed, settled, V3 } from "./event-streams-kit.ts";
import { late, thread, trailState } from "./kit.ts";

const unreadable = () => ({
  init: () => ({}),
  process({ method }: ProtocolEvent) {
    if (method === "updates") throw new Error("user: cannot read this");
    return true;
  },
});

export const eventStreamEndings = [
  scenario("v3: events end when a transformer has done what it does at the end", async (lg, t) => {
    const done: string[] = [];
    const slow = () => ({
      init: () => ({}),
      process: () => true,
      async finalize() {
        await late(20);
        done.push("finalized");
      },
    });
    const run = await chain(lg)
      .compile()
      .streamEvents({}, { ...V3, transformers: [slow] });
    await run.output;
    t.note("when the output is there", [...done]);
    await listed(run);
    t.note("when events end", done);
  }),

  scenario("v3: a transformer that throws fails the run's stream, for all who read it", async (lg, t) => {
    const told: unknown[] = [];
    const other = () => ({
      init: () => ({ never: lg.StreamChannel.local() }),
      process: () => true,
      fail: (error: unknown) => void told.push(plainError(error)),
    });
    const run = await chain(lg)
      .compile()
      .streamEvents({ last: "in" }, { ...V3, transformers: [other, unreadable] });
    t.note("output", await settled(run.output));
    t.note("values", await listed(run.values));
    t.note("channel", await listed(run.extensions.never));
    t.note("told", told);
  }),

  scenario("v3: a failed run fails channels and tells transformers", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", async () => {
        await late(5);
        throw new Error("user: failed");
      })
      .addEdge(lg.START, "bad")
      .compile();
    const told: unknown[] = [];
    const watch = () => {
      const log = lg.StreamChannel.remote<string>("log");
      const { promise, reject } = later<never>();
      return {
        init: () => ({ log, promise }),
        process({ method }: ProtocolEvent) {
          if (method === "tasks") log.push("a task");
          return true;
        },
        finalize: () => void told.push("finalized"),
        fail(error: unknown) {
          told.push(plainError(error));
          reject(error);
        },
      };
    };
    const run = await graph.streamEvents({}, { ...V3, transformers: [watch] });
    t.note("promise", await settled(run.extensions.promise));
    t.note("log", (await listed(run.extensions.log)).at(-1));
    t.note("told", told);
  }),

  scenario("v3: an interrupted run ends transformers as one that is done", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [lg.interrupt("?")] }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    const told: string[] = [];
    const watch = () => ({
      init: () => ({}),
      process: () => true,
      finalize: () => void told.push("finalized"),
      fail: () => void told.push("failed"),
    });
    const run = await graph.streamEvents({}, { ...V3, ...thread("1"), transformers: [watch] });
    await run.output;
    await listed(run);
    t.note("told", told);
  }),

  scenario("v3: the built-in transformers within one of a program's own", async (lg, t) => {
    const own = () => {
      const values = lg.createValuesTransformer([]);
      const messages = lg.createMessagesTransformer([]);
      return {
        init: () => ({ states: values.init()._valuesLog, texts: messages.init().messages }),
        process: (event: ProtocolEvent) => values.process(event) && messages.process(event),
        finalize() {
          void values.finalize?.();
          void messages.finalize?.();
        },
      } satisfies StreamTransformer;
    };
    const run = await chain(lg)
      .compile()
      .streamEvents({ last: "in" }, { ...V3, transformers: [own] });
    t.note("states", await listed(run.extensions.states));
    t.note("texts", await listed(run.extensions.texts as never));
  }),
];
