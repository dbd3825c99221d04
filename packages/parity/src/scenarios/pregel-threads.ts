import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

/** Adds its input to what the thread holds, then doubles it. */
function memory(lg: LangGraph, more: object) {
  const { Channel, Pregel } = pregelOf(lg);
  const { LastValue, BinaryOperatorAggregate, EphemeralValue } = channelsOf(lg);
  return new Pregel({
    nodes: {
      add: Channel.subscribeTo("input").pipe(Channel.writeTo(["total", "next"])),
      twice: Channel.subscribeTo(["next"])
        .join(["total"])
        .pipe(({ total }: { total: number }) => total * 2)
        .pipe(Channel.writeTo(["output"])),
    },
    channels: {
      input: new EphemeralValue<number>(),
      next: new EphemeralValue<number>(),
      total: new BinaryOperatorAggregate<number>(
        (a, b) => a + b,
        () => 0,
      ),
      output: new LastValue<number>(),
    },
    inputChannels: "input",
    outputChannels: "output",
    ...more,
  });
}

/** Programs wired by hand whose state is kept. */
export const pregelThreads = [
  scenario("by hand: a thread goes on with what its channels hold", async (lg, t) => {
    const saver = t.saver();
    const program = memory(lg, { checkpointer: saver });
    await t.invoke(program, 1, thread("1"));
    await t.invoke(program, 2, thread("1"));
    await t.invoke(program, 5, thread("2"));
    await t.state(program, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("by hand: the history of a thread, and an old state of it", async (lg, t) => {
    const program = memory(lg, { checkpointer: t.saver(), streamChannels: ["total", "output"] });
    await t.invoke(program, 1, thread("1"));
    await t.invoke(program, 2, thread("1"));
    const states = await t.history(program, thread("1"));
    const old = states.find(({ next }) => next[0] === "twice");
    if (old === undefined) throw new Error("no state before twice");
    await t.state(program, old.config);
    await t.invoke(program, null, old.config);
    await t.history(program, thread("1"), { limit: 3 });
  }),

  scenario("by hand: durability exit stores what the run ended with", async (lg, t) => {
    const saver = t.saver();
    const program = memory(lg, { checkpointer: saver });
    await t.invoke(program, 1, { ...thread("1"), durability: "exit" });
    await t.saved(saver, "1");
  }),

  scenario("by hand: updateState as a node writes what its writers write", async (lg, t) => {
    const saver = t.saver();
    const program = memory(lg, { checkpointer: saver });
    await t.invoke(program, 1, thread("1"));
    await program.updateState(thread("1"), 10, "add");
    await t.state(program, thread("1"));
    await t.invoke(program, null, thread("1"));
    await program.updateState(thread("1"), 7, "twice");
    await t.state(program, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("by hand: updateState as the node that ran last, as an input, as nobody", async (lg, t) => {
    const program = memory(lg, { checkpointer: t.saver() });
    await t.fails(() => program.updateState(thread("1"), 4));
    await t.invoke(program, 1, thread("1"));
    await program.updateState(thread("1"), 4);
    await t.state(program, thread("1"));
    await program.updateState(thread("1"), 100, "__input__");
    await t.state(program, thread("1"));
    await program.updateState(thread("1"), null, "__end__");
    await t.state(program, thread("1"));
    await t.fails(() => program.updateState(thread("1"), 4, "nobody"));
  }),

  scenario("by hand: updateState runs the mappers of a node's writers", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        only: Channel.subscribeTo("a").pipe(
          Channel.writeTo(["b"], { c: (value: number) => (value > 1 ? value * 2 : undefined), d: "d" }),
        ),
        mute: Channel.subscribeTo("c").pipe((value: number) => value),
      },
      channels: { a: new LastValue(), b: new LastValue(), c: new LastValue(), d: new LastValue() },
      inputChannels: "a",
      outputChannels: ["b", "c", "d"],
      checkpointer: t.saver(),
    });
    await program.updateState(thread("1"), 1, "only");
    await t.state(program, thread("1"));
    await program.updateState(thread("1"), 2, "only");
    await t.state(program, thread("1"));
    await t.fails(() => program.updateState(thread("1"), 2, "mute"));
  }),

  scenario("by hand: updateState of a program of one node needs no name", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: { only: Channel.subscribeTo("a").pipe(Channel.writeTo(["b"])) },
      channels: { a: new LastValue(), b: new LastValue() },
      inputChannels: "a",
      outputChannels: "b",
      checkpointer: t.saver(),
    });
    await program.updateState(thread("1"), "x");
    await t.state(program, thread("1"));
  }),

  scenario("by hand: a node of the input channel's name stands for it", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        a: Channel.subscribeTo("a").pipe(Channel.writeTo(["b"])),
        z: Channel.subscribeTo("b").pipe(Channel.writeTo(["c"])),
      },
      channels: { a: new LastValue(), b: new LastValue(), c: new LastValue() },
      inputChannels: "a",
      outputChannels: "c",
      checkpointer: t.saver(),
    });
    await program.updateState(thread("1"), "x");
    await t.state(program, thread("1"));
    await t.invoke(program, null, thread("1"));
  }),

  scenario("by hand: several updates are steps of their own", async (lg, t) => {
    const saver = t.saver();
    const program = memory(lg, { checkpointer: saver });
    await program.bulkUpdateState(thread("1"), [
      { updates: [{ values: 3, asNode: "__input__" }] },
      { updates: [{ values: 3, asNode: "add" }] },
      { updates: [{ values: 6, asNode: "twice" }] },
    ]);
    await t.state(program, thread("1"));
    t.note("steps", (await t.history(program, thread("1"))).length);
  }),

  scenario("by hand: a copy of a state", async (lg, t) => {
    const program = memory(lg, { checkpointer: t.saver() });
    await t.invoke(program, 1, thread("1"));
    await program.updateState(thread("1"), null, "__copy__");
    await t.history(program, thread("1"));
  }),

  scenario("by hand: a Command updates channels and sends to nodes", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, Topic } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("a")
          .pipe((value: unknown) => `got ${String(value)}`)
          .pipe(Channel.writeTo(["log"])),
      },
      channels: { a: new LastValue(), log: new Topic<string>({ accumulate: true }) },
      inputChannels: "a",
      outputChannels: "log",
      checkpointer: t.saver(),
    });
    await t.invoke(program, "x", thread("1"));
    await t.invoke(program, new lg.Command({ update: { a: "updated" } }), thread("1"));
    await t.invoke(program, new lg.Command({ goto: new lg.Send("one", "sent") }), thread("1"));
    await t.state(program, thread("1"));
  }),

  scenario("by hand: what a program is called without", async (lg, t) => {
    const program = memory(lg, { checkpointer: t.saver() });
    await t.fails(() => program.invoke(1));
    await t.fails(() => program.invoke(null as never, thread("1")));
    await t.fails(() => memory(lg, {}).getState(thread("1")));
    await t.fails(() => memory(lg, {}).updateState(thread("1"), 1, "add"));
  }),

  scenario("by hand: a branch wakes who subscribes to a delta channel when it is written", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const ran: string[] = [];
    const program = new Pregel({
      nodes: {
        write: Channel.subscribeTo("input")
          .pipe((input: string) => [input])
          .pipe(Channel.writeTo(["log"])),
        read: Channel.subscribeTo("log")
          .pipe((log: string[]) => {
            ran.push(`read ${log.length > 0}`);
            return "read";
          })
          .pipe(Channel.writeTo(["output"])),
      },
      channels: {
        input: new LastValue<string>(),
        log: new lg.DeltaChannel<string[], string[]>((log, writes) => [...log, ...writes.flat()]),
        output: new LastValue<string>(),
      },
      inputChannels: "input",
      outputChannels: "output",
      checkpointer: t.saver(),
    });
    await program.invoke("one", thread("1"));
    await program.invoke("two", thread("1"));
    const states = await t.history(program, thread("1"));
    for (const { config, next } of states.toReversed()) {
      if (next[0] !== "write") continue;
      await program.invoke(null, config);
      const updated = await program.updateState(config, undefined);
      t.note("next", (await program.getState(updated)).next);
      await program.invoke(null, updated);
    }
    t.note("ran", ran);
  }),
];
