import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

/** Two steps; what is to be shown of them is up to the caller. */
function chain(lg: LangGraph, shown: object) {
  const { Channel, Pregel } = pregelOf(lg);
  const { LastValue, BinaryOperatorAggregate } = channelsOf(lg);
  return new Pregel({
    nodes: {
      one: Channel.subscribeTo("input")
        .pipe((value: number) => value + 1)
        .pipe(Channel.writeTo(["between", "log"])),
      two: Channel.subscribeTo("between")
        .pipe((value: number) => value * 10)
        .pipe(Channel.writeTo(["output", "log"])),
    },
    channels: {
      input: new LastValue<number>(),
      between: new LastValue<number>(),
      log: new BinaryOperatorAggregate<number[], number>(
        (all, one) => [...all, one],
        () => [],
      ),
      output: new LastValue<number>(),
    },
    inputChannels: "input",
    outputChannels: "output",
    ...shown,
  });
}

const MODES = ["values", "updates", "tasks", "debug", "checkpoints"] as const;

/** What programs wired by hand show of themselves. */
export const pregelStreams = [
  scenario("by hand: a stream shows values of all channels, unless it is told otherwise", async (lg, t) => {
    await t.stream(chain(lg, {}), 1, {});
    await t.stream(chain(lg, {}), 1, { streamMode: "updates" });
  }),

  scenario("by hand: streamChannels, several", async (lg, t) => {
    const program = chain(lg, { streamChannels: ["between", "output"] });
    for (const streamMode of ["values", "updates", "tasks"]) await t.stream(program, 1, { streamMode });
    t.note("channels", [program.streamChannelsAsIs, program.streamChannelsList]);
  }),

  scenario("by hand: streamChannels, one by its bare name", async (lg, t) => {
    const program = chain(lg, { streamChannels: "between" });
    for (const streamMode of ["values", "updates", "tasks"]) await t.stream(program, 1, { streamMode });
    t.note("channels", [program.streamChannelsAsIs, program.streamChannelsList]);
    t.note("all channels", chain(lg, {}).streamChannelsList);
  }),

  scenario("by hand: every mode at once, with a checkpointer", async (lg, t) => {
    const program = chain(lg, { checkpointer: t.saver() });
    await t.stream(program, 1, { ...thread("1"), streamMode: [...MODES] });
  }),

  scenario("by hand: checkpoints of a program with a bare stream channel", async (lg, t) => {
    const program = chain(lg, { checkpointer: t.saver(), streamChannels: "output" });
    await t.stream(program, 1, { ...thread("1"), streamMode: ["checkpoints", "values"] });
    await t.state(program, thread("1"));
  }),

  scenario("by hand: the program's own stream mode, one or several", async (lg, t) => {
    await t.stream(chain(lg, { streamMode: "updates" }), 1, {});
    await t.stream(chain(lg, { streamMode: ["updates", "values"] }), 1, {});
    t.note("modes", [chain(lg, {}).streamMode, chain(lg, { streamMode: "tasks" }).streamMode]);
    await t.invoke(chain(lg, { streamMode: "updates" }), 1);
  }),

  scenario("by hand: outputKeys of a call, by list and by bare name", async (lg, t) => {
    const program = chain(lg, {});
    await t.invoke(program, 1, { outputKeys: ["log", "between"] });
    await t.invoke(program, 1, { outputKeys: "log" });
    await t.stream(program, 1, { outputKeys: "between", streamMode: ["values", "updates"] });
    await t.fails(() => program.invoke(1, { outputKeys: ["nowhere"] as never }));
  }),

  scenario("by hand: invoke with a stream mode returns its chunks", async (lg, t) => {
    const program = chain(lg, {});
    await t.invoke(program, 1, { streamMode: "updates" });
    await t.invoke(program, 1, { streamMode: ["values", "updates"] });
  }),

  scenario("by hand: an output that nobody wrote", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const parts = {
      nodes: { one: Channel.subscribeTo("input").pipe(Channel.writeTo(["seen"])) },
      channels: { input: new LastValue(), seen: new LastValue(), output: new LastValue() },
      inputChannels: "input" as const,
    };
    const bare = new Pregel({ ...parts, outputChannels: "output" });
    const several = new Pregel({ ...parts, outputChannels: ["output"] });
    t.note("bare", [await bare.invoke(1)]);
    t.note("several", [await several.invoke(1)]);
    await t.stream(bare, 1, { outputKeys: "output", streamMode: ["values", "updates"] });
  }),

  scenario("by hand: an input channel that is an output channel, too", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: { one: Channel.subscribeTo("a").pipe(Channel.writeTo(["b"])) },
      channels: { a: new LastValue(), b: new LastValue() },
      inputChannels: ["a", "b"],
      outputChannels: ["a", "b"],
    });
    await t.invoke(program, { a: 1, unknown: 2 });
    await t.invoke(program, { a: 1, b: 3 });
    t.note("not subscribed to", [await program.invoke({ b: 3 })]);
    await t.stream(program, { b: 3 }, {});
  }),

  scenario("by hand: custom chunks, and a hidden node", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const program = new Pregel({
      nodes: {
        tells: Channel.subscribeTo("input")
          .pipe((value: number, config: unknown) => {
            (config as { writer: (chunk: unknown) => void }).writer({ at: value });
            return value;
          })
          .pipe(Channel.writeTo(["between"])),
        hides: Channel.subscribeTo("between", { tags: ["langsmith:hidden"] }).pipe(
          Channel.writeTo(["output"]),
        ),
      },
      channels: { input: new LastValue(), between: new LastValue(), output: new LastValue() },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.stream(program, 1, { streamMode: ["custom", "updates", "tasks"] });
  }),

  scenario("by hand: a node's tags and metadata reach what runs in it", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const { LastValue } = channelsOf(lg);
    const node = Channel.subscribeTo("input", { tags: ["mine"] })
      .pipe((_: unknown, config: { tags?: string[]; metadata?: Record<string, unknown> }) => ({
        tags: config.tags,
        step: config.metadata?.["langgraph_step"],
        node: config.metadata?.["langgraph_node"],
        triggers: config.metadata?.["langgraph_triggers"],
        own: config.metadata?.["own"],
      }))
      .pipe(Channel.writeTo(["output"]));
    node.metadata = { own: true };
    const program = new Pregel({
      nodes: { node },
      channels: { input: new LastValue(), output: new LastValue() },
      inputChannels: "input",
      outputChannels: "output",
    });
    await t.invoke(program, 1, { tags: ["call"] });
  }),

  scenario("by hand: streamEvents names the program and its nodes", async (lg, t) => {
    const program = chain(lg, { name: "counter" });
    const names: string[] = [];
    for await (const { event, name } of program.streamEvents(1, { version: "v2" })) {
      if (name === "counter" || event === "on_chain_end") names.push(`${event} ${name}`);
    }
    const known = new Set(["counter", "one", "two"]);
    t.note(
      "events",
      names.filter((line) => known.has(line.split(" ")[1] ?? "")),
    );
  }),
];
