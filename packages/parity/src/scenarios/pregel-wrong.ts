import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";

type Params = ConstructorParameters<ReturnType<typeof pregelOf>["Pregel"]>[0];

/** A program that works, with some of it replaced. */
function make(lg: LangGraph, more: (parts: Params) => object) {
  const { Channel, Pregel } = pregelOf(lg);
  const { LastValue } = channelsOf(lg);
  const parts: Params = {
    nodes: { one: Channel.subscribeTo("a").pipe(Channel.writeTo(["b"])) },
    channels: { a: new LastValue(), b: new LastValue() },
    inputChannels: "a",
    outputChannels: "b",
  };
  return new Pregel({ ...parts, ...more(parts) });
}

/** Programs that cannot work, and calls that cannot. */
export const pregelWrong = [
  scenario("by hand, wrong: a node subscribes to a channel that is not there", async (lg, t) => {
    const { Channel } = pregelOf(lg);
    await t.fails(() => make(lg, ({ nodes }) => ({ nodes: { ...nodes, two: Channel.subscribeTo("c") } })));
  }),

  scenario("by hand, wrong: nobody subscribes to the input channel", async (lg, t) => {
    await t.fails(() => make(lg, () => ({ inputChannels: "b" })));
    await t.fails(() => make(lg, () => ({ inputChannels: ["b"] })));
    await t.fails(() => make(lg, () => ({ inputChannels: "nowhere" })));
    await t.fails(() => make(lg, () => ({ nodes: {} })));
  }),

  scenario("by hand, wrong: outputs and streams of channels that are not there", async (lg, t) => {
    await t.fails(() => make(lg, () => ({ outputChannels: "c" })));
    await t.fails(() => make(lg, () => ({ outputChannels: ["b", "c"] })));
    await t.fails(() => make(lg, () => ({ streamChannels: "c" })));
    await t.fails(() => make(lg, () => ({ streamChannels: ["c"] })));
  }),

  scenario("by hand, wrong: breakpoints at nodes that are not there", async (lg, t) => {
    await t.fails(() => make(lg, () => ({ interruptBefore: ["two"] })));
    await t.fails(() => make(lg, () => ({ interruptAfter: ["one", "two"] })));
    t.note("all", make(lg, () => ({ interruptBefore: "*", interruptAfter: ["one"] })).interruptAfter);
  }),

  scenario("by hand, wrong: names and channels that the engine keeps for itself", async (lg, t) => {
    const { Channel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    await t.fails(() =>
      make(lg, ({ nodes }) => ({ nodes: { ...nodes, __interrupt__: Channel.subscribeTo("a") } })),
    );
    await t.fails(() =>
      make(lg, ({ channels }) => ({ channels: { ...channels, __pregel_tasks: new LastValue() } })),
    );
    await t.fails(async () => {
      const nodes = { one: Channel.subscribeTo("a").pipe(Channel.writeTo(["__pregel_tasks"])) };
      await make(lg, () => ({ nodes })).invoke(1);
    });
  }),

  scenario("by hand, wrong: nodes that are none, and no channels at all", async (lg, t) => {
    await t.fails(() => make(lg, () => ({ nodes: { one: () => 1 } })));
    await t.fails(() => make(lg, () => ({ nodes: { one: {} } })));
  }),

  scenario("by hand, wrong: subscriptions and joins that mean nothing", async (lg, t) => {
    const { Channel } = pregelOf(lg);
    await t.fails(() => Channel.subscribeTo(["a", "b"], { key: "k" } as never));
    await t.fails(() => Channel.subscribeTo("a").join(["b"]) && Channel.subscribeTo("a").join("b" as never));
  }),

  scenario("by hand, wrong: inputs that no channel takes", async (lg, t) => {
    const several = make(lg, () => ({ inputChannels: ["a", "b"] }));
    await t.fails(() => several.invoke("text"));
    await t.fails(() => several.invoke({ c: 1 }));
    await t.fails(() => several.invoke({}));
    await t.fails(() => several.invoke(null));
    await t.fails(() => make(lg, () => ({})).invoke(undefined));
    await t.fails(() => several.invoke(["a"]));
  }),

  scenario("by hand, wrong: checked when it is asked for", async (lg, t) => {
    const program = make(lg, () => ({ autoValidate: false, outputChannels: "c" }));
    await t.fails(() => program.validate());
    const fine = make(lg, () => ({ autoValidate: false }));
    await t.invoke(fine.validate(), 1);
    t.note("itself", fine.validate() === fine);
  }),

  scenario("by hand, wrong: a write outside of a node", async (lg, t) => {
    const { Channel } = pregelOf(lg);
    let failed = false;
    await Channel.writeTo(["a"])
      .invoke(1)
      .catch(() => (failed = true));
    t.note("failed", failed);
  }),
];
