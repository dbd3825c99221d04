import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import { late, thread } from "./kit.ts";

/** Three nodes in a row, the middle one of which does what is given. */
function row(lg: LangGraph, middle: (value: string) => unknown, more: object = {}) {
  const { Channel, Pregel } = pregelOf(lg);
  const { LastValue } = channelsOf(lg);
  return new Pregel({
    nodes: {
      first: Channel.subscribeTo("input")
        .pipe((value: string) => `${value}1`)
        .pipe(Channel.writeTo(["a"])),
      second: Channel.subscribeTo("a")
        .pipe(middle as never)
        .pipe(Channel.writeTo(["b"])),
      third: Channel.subscribeTo("b")
        .pipe((value: unknown) => ({ value }))
        .pipe(Channel.writeTo(["output"])),
    },
    channels: {
      input: new LastValue<string>(),
      a: new LastValue<string>(),
      b: new LastValue<unknown>(),
      output: new LastValue<unknown>(),
    },
    inputChannels: "input",
    outputChannels: "output",
    ...more,
  });
}

const slow = async (): Promise<string> => {
  await late(200);
  return "late";
};

const same = (value: string): string => value;

/** How programs wired by hand stop, fail and go on. */
export const pregelControl = [
  scenario("by hand: a node asks, and is answered", async (lg, t) => {
    const saver = t.saver();
    const program = row(lg, (value) => `${value}:${lg.interrupt({ of: value })}`, { checkpointer: saver });
    await t.invoke(program, "x", thread("1"));
    await t.state(program, thread("1"));
    await t.invoke(program, new lg.Command({ resume: "yes" }), thread("1"));
    await t.state(program, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("by hand: a question in every stream mode", async (lg, t) => {
    const program = row(lg, () => lg.interrupt("really?"), { checkpointer: t.saver() });
    await t.stream(program, "x", { ...thread("1"), streamMode: ["values", "updates", "tasks"] });
    await t.stream(program, new lg.Command({ resume: 1 }), {
      ...thread("1"),
      streamMode: ["values", "updates"],
    });
  }),

  scenario("by hand: a question before there is any output, and after there is one", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = (outputChannels: "input" | "object" | "output") =>
      new Pregel({
        nodes: {
          writes: Channel.subscribeTo("input").pipe(Channel.writeTo(["a"], { object: { an: "object" } })),
          asks: Channel.subscribeTo("a")
            .pipe(() => lg.interrupt("?"))
            .pipe(Channel.writeTo(["output"])),
        },
        channels: {
          input: new LastValue(),
          a: new LastValue(),
          object: new LastValue(),
          output: new LastValue(),
        },
        inputChannels: "input",
        outputChannels,
        checkpointer: t.saver(),
      });
    for (const name of ["output", "object", "input"] as const) {
      t.note(name, [await program(name).invoke("x", thread("1"))]);
    }
  }),

  scenario("by hand: breakpoints of the program", async (lg, t) => {
    const before = row(lg, same, { checkpointer: t.saver(), interruptBefore: ["second"] });
    t.note("stopped", [await before.invoke("x", thread("1"))]);
    await t.state(before, thread("1"));
    await t.invoke(before, null, thread("1"));
    const after = row(lg, same, { checkpointer: t.saver(), interruptAfter: ["first", "third"] });
    t.note("stopped", [await after.invoke("x", thread("1"))]);
    t.note("stopped", [await after.invoke(null, thread("1"))]);
    await t.state(after, thread("1"));
  }),

  scenario("by hand: breakpoints of a call, and an edit at one", async (lg, t) => {
    const program = row(lg, same, { checkpointer: t.saver() });
    const stops = { ...thread("1"), interruptBefore: "*" };
    t.note("stopped", [await program.invoke("x", stops as never)]);
    t.note("stopped", [await program.invoke(null, stops as never)]);
    await program.updateState(thread("1"), "edited", "first");
    await t.state(program, thread("1"));
    await t.invoke(program, null, thread("1"));
  }),

  scenario("by hand: the program's retry policy, and a node's own", async (lg, t) => {
    const attempts = { second: 0 };
    const flaky = (value: string): string => {
      attempts.second += 1;
      if (attempts.second < 3) throw new Error("user: not yet");
      return value;
    };
    const quick = { initialInterval: 1, jitter: false, logWarning: false };
    await t.invoke(row(lg, flaky, { retryPolicy: { ...quick, maxAttempts: 3 } }), "x");
    t.note("attempts", attempts.second);
    attempts.second = 0;
    const program = row(lg, flaky, { retryPolicy: { ...quick, maxAttempts: 3 } });
    program.nodes.second.retryPolicy = { ...quick, maxAttempts: 2 };
    await t.fails(() => row(lg, flaky, { nodes: program.nodes }).invoke("x"));
    t.note("attempts", attempts.second);
  }),

  scenario("by hand: a failed node leaves the thread where it was, and is run again", async (lg, t) => {
    const saver = t.saver();
    let broken = true;
    const program = row(
      lg,
      (value) => {
        if (broken) throw new Error("user: broken");
        return value;
      },
      { checkpointer: saver },
    );
    await t.fails(() => program.invoke("x", thread("1")));
    await t.state(program, thread("1"));
    broken = false;
    await t.invoke(program, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("by hand: a sibling that finished is not run again", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, Topic } = channelsOf(lg);
    const runs: string[] = [];
    const program = new Pregel({
      nodes: {
        asks: Channel.subscribeTo("input")
          .pipe(() => (runs.push("asks"), lg.interrupt("?")))
          .pipe(Channel.writeTo(["log"])),
        done: Channel.subscribeTo("input")
          .pipe(() => (runs.push("done"), "done"))
          .pipe(Channel.writeTo(["log"])),
      },
      channels: { input: new LastValue(), log: new Topic<string>({ accumulate: true }) },
      inputChannels: "input",
      outputChannels: "log",
      checkpointer: t.saver(),
    });
    t.note("waits", [await program.invoke("x", thread("1"))]);
    await t.invoke(program, new lg.Command({ resume: "answer" }), thread("1"));
    t.note("runs", runs.toSorted());
  }),

  scenario("by hand: a program in a node of another, and in a StateGraph", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const inner = row(lg, (value) => `${value}:${lg.interrupt("inner?")}`);
    const outer = new Pregel({
      nodes: {
        calls: Channel.subscribeTo("in")
          .pipe(inner)
          .pipe(Channel.writeTo(["out"])),
      },
      channels: { in: new LastValue<string>(), out: new LastValue<unknown>() },
      inputChannels: "in",
      outputChannels: "out",
      checkpointer: t.saver(),
    });
    t.note("waits", [await outer.invoke("x", thread("1"))]);
    await t.state(outer, thread("1"), { subgraphs: true });
    await t.invoke(outer, new lg.Command({ resume: "yes" }), thread("1"));
    t.note(
      "subgraphs",
      [...outer.getSubgraphs()].map(([name]) => name),
    );

    const State = lg.Annotation.Root({ input: lg.Annotation<string>, output: lg.Annotation<unknown> });
    const object = row(lg, same, { inputChannels: ["input"], outputChannels: ["output"] });
    const graph = new lg.StateGraph(State)
      .addNode("calls", object as never)
      .addEdge(lg.START, "calls")
      .compile();
    await t.invoke(graph as never, { input: "x" });
    await t.stream(graph as never, { input: "x" }, { subgraphs: true, streamMode: "updates" });
  }),

  scenario("by hand: a limit of time for a node and for a step", async (lg, t) => {
    const program = row(lg, slow);
    program.nodes.second.timeout = { runTimeout: 10 };
    await t.fails(() => row(lg, slow, { nodes: program.nodes }).invoke("x"));
    let failed = false;
    await row(lg, slow, { stepTimeout: 10 })
      .invoke("x")
      .catch(() => (failed = true));
    t.note("a step's", failed);
  }),

  scenario("by hand: a cache keeps what a node wrote", async (lg, t) => {
    const { InMemoryCache } = await import("@langchain/langgraph-checkpoint");
    let runs = 0;
    const cache = new InMemoryCache();
    const program = row(lg, (value) => `${value}${(runs += 1)}`, { cache });
    program.nodes.second.cachePolicy = { ttl: 60 };
    const cached = row(lg, same, { nodes: program.nodes, cache });
    await t.invoke(cached, "x");
    await t.stream(cached, "x", { streamMode: "updates" });
    t.note("runs", runs);
  }),

  scenario("by hand: context, store and configurable reach a node", async (lg, t) => {
    const store = new lg.InMemoryStore();
    await store.put(["a"], "k", { kept: true });
    const program = row(
      lg,
      ((_: string, config: Record<string, unknown>) =>
        Promise.all([
          (config["context"] as { who: string }).who,
          (config["configurable"] as { mine: string }).mine,
          lg
            .getStore()
            ?.get(["a"], "k")
            .then((item) => item?.value),
        ])) as never,
      { store },
    );
    await t.invoke(program, "x", { context: { who: "me" }, configurable: { mine: "own" } });
  }),
];
