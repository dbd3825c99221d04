import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import { late } from "./kit.ts";

const add = (n: number) => (value: number) => value + n;

/** Says a word after a while. */
const say = (word: string, ms: number) => async (input: string) => {
  await late(ms);
  return `${input}${word}`;
};

/** What kinds of channels do between nodes that are wired by hand. */
export const pregelChannels = [
  scenario("by hand: two nodes write one sum", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, BinaryOperatorAggregate } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input")
          .pipe(add(1))
          .pipe(Channel.writeTo(["sum"])),
        two: Channel.subscribeTo("input")
          .pipe(add(2))
          .pipe(Channel.writeTo(["sum"])),
        end: Channel.subscribeTo("sum").pipe(Channel.writeTo(["output"])),
      },
      channels: {
        input: new LastValue<number>(),
        sum: new BinaryOperatorAggregate<number>(
          (a, b) => a + b,
          () => 0,
        ),
        output: new LastValue<number>(),
      },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.invoke(program, 10);
  }),

  scenario("by hand: two nodes that write one channel without a reducer are refused", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input").pipe(Channel.writeTo(["output"])),
        two: Channel.subscribeTo("input").pipe(Channel.writeTo(["output"])),
      },
      channels: { input: new LastValue(), output: new LastValue() },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.fails(() => program.invoke(1));
  }),

  scenario("by hand: a topic collects what several write, in the order of their names", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, Topic } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        b: Channel.subscribeTo("input")
          .pipe(say("b", 1))
          .pipe(Channel.writeTo(["inbox"])),
        a: Channel.subscribeTo("input")
          .pipe(say("a", 9))
          .pipe(Channel.writeTo(["inbox"])),
        all: Channel.subscribeTo("inbox")
          .pipe((words: string[]) => words.join(","))
          .pipe(Channel.writeTo(["output"])),
      },
      channels: {
        input: new LastValue<string>(),
        inbox: new Topic<string>(),
        output: new LastValue<string>(),
      },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.invoke(program, "x");
  }),

  scenario("by hand: a topic that accumulates, and one of unique values", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, Topic } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        first: Channel.subscribeTo("input").pipe(Channel.writeTo(["all", "unique", "next"])),
        second: Channel.subscribeTo("next").pipe(Channel.writeTo(["all", "unique"])),
      },
      channels: {
        input: new LastValue<number>(),
        next: new LastValue<number>(),
        all: new Topic<number>({ accumulate: true }),
        unique: new Topic<number>({ accumulate: true, unique: true }),
      },
      inputChannels: "input",
      outputChannels: ["all", "unique"],
    });
    await t.invoke(program, 7);
    await t.invoke(program, 8);
  }),

  scenario("by hand: a value that lasts one step is gone in the next", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue, EphemeralValue } = channelsOf(lg);
    const seen: unknown[] = [];
    const program = new Pregel({
      nodes: {
        one: Channel.subscribeTo("input").pipe(Channel.writeTo(["brief", "next"])),
        two: Channel.subscribeTo(["next"])
          .join(["brief"])
          .pipe((input: unknown) => (seen.push(input), "later"))
          .pipe(Channel.writeTo(["last"])),
        three: Channel.subscribeTo(["last"])
          .join(["brief", "next"])
          .pipe((input: unknown) => (seen.push(input), "end"))
          .pipe(Channel.writeTo(["output"])),
      },
      channels: {
        input: new LastValue<string>(),
        brief: new EphemeralValue<string>(),
        next: new LastValue<string>(),
        last: new LastValue<string>(),
        output: new LastValue<string>(),
      },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.invoke(program, "x");
    t.note("what the nodes saw", seen);
  }),
];
