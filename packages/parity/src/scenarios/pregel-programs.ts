import { RunnableLambda } from "@langchain/core/runnables";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";

const add = (n: number) => (value: number) => value + n;

/** Programs of channels and nodes that are wired by hand. */
export const pregelPrograms = [
  scenario("by hand: one node from its input to its output", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input")
          .pipe(add(1))
          .pipe(Channel.writeTo(["output"])),
      },
      channels: { input: new LastValue<number>(), output: new LastValue<number>() },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.invoke(program, 2);
    await t.invoke(program, 0);
    t.note("two at a time", await program.batch([5, 6]));
  }),

  scenario("by hand: a chain of nodes, a step each", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, EphemeralValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input")
          .pipe(add(1))
          .pipe(Channel.writeTo(["between"])),
        two: Channel.subscribeTo("between")
          .pipe(add(10))
          .pipe(Channel.writeTo(["output"])),
      },
      channels: {
        input: new LastValue<number>(),
        between: new EphemeralValue<number>(),
        output: new LastValue<number>(),
      },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.invoke(program, 2);
    await t.stream(program, 2, { streamMode: ["values", "updates"] });
    // declared as its own working
    t.note("what a channel wakes", (program as unknown as { triggerToNodes: unknown }).triggerToNodes);
  }),

  scenario("by hand: a node without a function hands on what it gets", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: { pass: Channel.subscribeTo("input").pipe(Channel.writeTo(["output", "copy"])) },
      channels: { input: new LastValue(), output: new LastValue(), copy: new LastValue() },
      inputChannels: "input",
      outputChannels: ["output", "copy"],
    });
    await t.invoke(program, { a: [1, null] });
  }),

  scenario(
    "by hand: subscribed to several channels, a node runs when all of them have a value",
    async (lg, t) => {
      const { Channel, Pregel } = pregelOf(lg);
      const { LastValue } = channelsOf(lg);
      const seen: unknown[] = [];
      const program = new Pregel({
        nodes: {
          both: Channel.subscribeTo(["left", "right"])
            .pipe((input: unknown) => (seen.push(input), input))
            .pipe(Channel.writeTo(["output"])),
          slow: Channel.subscribeTo("left").pipe(Channel.writeTo([], { right: "from slow" })),
        },
        channels: { left: new LastValue<string>(), right: new LastValue<string>(), output: new LastValue() },
        inputChannels: ["left", "right"],
        outputChannels: "output",
      });
      await t.invoke(program, { left: "l" });
      t.note("seen", seen.splice(0));
      await t.invoke(program, { left: "l", right: "r" });
      t.note("seen", seen);
    },
  ),

  scenario("by hand: a key puts the value into an object", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input", { key: "named" })
          .join(["other"])
          .pipe((input: Record<string, unknown>) => ({ ...input, keys: Object.keys(input).sort() }))
          .pipe(Channel.writeTo(["output"])),
      },
      channels: { input: new LastValue(), other: new LastValue(), output: new LastValue() },
      inputChannels: ["input", "other"],
      outputChannels: "output",
    });
    await t.invoke(program, { input: 1 });
    await t.invoke(program, { input: 1, other: 2 });
  }),

  scenario("by hand: a cycle goes on until a mapper writes nothing", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        double: Channel.subscribeTo("value")
          .pipe((value: number) => value * 2)
          .pipe(Channel.writeTo(["output"], { value: (value: number) => (value < 50 ? value : undefined) })),
      },
      channels: { value: new LastValue<number>(), output: new LastValue<number>() },
      inputChannels: "value",
      outputChannels: ["output", "value"],
    });
    await t.invoke(program, 3);
    await t.stream(program, 3, { streamMode: "values" });
  }),

  scenario("by hand: a cycle without an end meets the recursion limit", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        loop: Channel.subscribeTo("value")
          .pipe(add(1))
          .pipe(Channel.writeTo(["value"])),
      },
      channels: { value: new LastValue<number>() },
      inputChannels: "value",
      outputChannels: "value",
    });
    await t.streamFails(program, 0, { recursionLimit: 4 });
    await t.fails(() => program.withConfig({ recursionLimit: 3 }).invoke(0));
  }),

  scenario("by hand: constants, mappers and Runnables among the writes", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input").pipe(
          Channel.writeTo(["same"], {
            constant: "always",
            nothing: null,
            mapped: async (value: number) => value + 1,
            runnable: RunnableLambda.from((value: number) => value + 2),
            skipped: () => undefined,
            empty: () => null,
          }),
        ),
      },
      channels: Object.fromEntries(
        ["input", "same", "constant", "nothing", "mapped", "runnable", "skipped", "empty"].map((name) => [
          name,
          new LastValue(),
        ]),
      ),
      inputChannels: "input",
      outputChannels: ["same", "constant", "nothing", "mapped", "runnable", "skipped", "empty"],
    });
    await t.invoke(program, 1);
    await t.stream(program, 1, { streamMode: "updates" });
  }),

  scenario(
    "by hand: functions after one another, and a writer in the middle of a sequence",
    async (lg, t) => {
      const { Channel, Pregel } = pregelOf(lg);
      const { LastValue, Topic } = channelsOf(lg);
      const inner = RunnableLambda.from(add(1))
        .pipe(Channel.writeTo(["log"]))
        .pipe(add(100));
      const program = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input")
            .pipe(add(1000))
            .pipe(inner as never)
            .pipe(add(10_000))
            .pipe(Channel.writeTo(["log"]))
            .pipe(Channel.writeTo(["output"], { log: (value: number) => -value })),
        },
        channels: {
          input: new LastValue<number>(),
          log: new Topic<number>({ accumulate: true }),
          output: new LastValue<number>(),
        },
        inputChannels: "input",
        outputChannels: ["output", "log"],
      });
      await t.invoke(program, 1);
    },
  ),

  scenario("by hand: nodes of one program may stand in another", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const shared = Channel.subscribeTo("input").pipe(add(1));
    const channels = () => ({ input: new LastValue<number>(), output: new LastValue<number>() });
    const parts = { inputChannels: "input", outputChannels: "output" } as const;
    const plus = new Pregel({
      nodes: { one: shared.pipe(Channel.writeTo(["output"])) },
      channels: channels(),
      ...parts,
    });
    const more = new Pregel({
      nodes: { one: shared.pipe(add(10)).pipe(Channel.writeTo(["output"])) },
      channels: channels(),
      ...parts,
    });
    await t.invoke(plus, 1);
    await t.invoke(more, 1);
    t.note("the node itself", await shared.invoke(5));
    t.note("two runs at once", await Promise.all([plus.invoke(1), plus.invoke(2), more.invoke(3)]));
  }),
];
