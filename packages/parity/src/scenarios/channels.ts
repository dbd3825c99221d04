import type { RunnableConfig } from "@langchain/core/runnables";
import { channelsOf } from "../entries.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

interface Channel {
  readonly lc_graph_name: string;
  update(writes: unknown[]): boolean;
  get(): unknown;
  isAvailable(): boolean;
  checkpoint(): unknown;
  consume(): boolean;
  finish(): boolean;
  fromCheckpoint(stored?: unknown): Channel;
  equals(other: unknown): boolean;
}

/** What can be seen of a channel, errors included. */
async function look(t: Recorder, what: string, channel: unknown): Promise<void> {
  const { lc_graph_name } = channel as Channel;
  t.note(`${what}: available`, [lc_graph_name, (channel as Channel).isAvailable()]);
  for (const read of ["get", "checkpoint"] as const) {
    try {
      t.note(`${what}: ${read}`, { value: (channel as Channel)[read]() });
    } catch (error) {
      t.note(`${what}: ${read}`, (error as Error).name);
    }
  }
}

/** Writes one step after the other, looking after each; then goes on from what is stored. */
async function steps(t: Recorder, made: unknown, ...writes: unknown[][]): Promise<void> {
  let channel = made as Channel;
  await look(t, "made", channel);
  for (const values of writes) {
    t.note("update", { values, changed: channel.update(values) });
    await look(t, "then", channel);
  }
  let stored: unknown;
  try {
    stored = channel.checkpoint();
  } catch {
    stored = undefined;
  }
  channel = channel.fromCheckpoint(stored);
  await look(t, "restored", channel);
  t.note("signals", [channel.consume(), channel.finish()]);
  await look(t, "signalled", channel);
}

const sum = (left: number, right: number): number => left + right;
const appendAll = (left: string[], writes: string[]): string[] => [...left, ...writes];

const at = (id?: string): RunnableConfig =>
  thread("1", { checkpoint_ns: "", ...(id === undefined ? {} : { checkpoint_id: id }) });

export const channels = [
  scenario("LastValue by hand", async (lg, t) => {
    const { LastValue } = channelsOf(lg);
    await steps(t, new LastValue(), [], ["a"], ["b"]);
    await steps(t, new LastValue(() => "first"), ["a"]);
    await t.fails(() => new LastValue().update(["a", "b"]));
  }),

  scenario("LastValueAfterFinish by hand", async (lg, t) => {
    const { LastValueAfterFinish } = channelsOf(lg);
    await steps(t, new LastValueAfterFinish(), [], ["a"], ["b", "c"]);
    const channel = new LastValueAfterFinish();
    channel.update(["x"]);
    t.note("finish", [channel.finish(), channel.finish()]);
    await look(t, "finished", channel);
    t.note("consume", [channel.consume(), channel.consume()]);
    await look(t, "consumed", channel);
  }),

  scenario("AnyValue by hand", async (lg, t) => {
    const { AnyValue } = channelsOf(lg);
    await steps(t, new AnyValue(), [1, 1], [], []);
    await steps(t, new AnyValue(), [0], [false]);
  }),

  scenario("EphemeralValue by hand", async (lg, t) => {
    const { EphemeralValue } = channelsOf(lg);
    await steps(t, new EphemeralValue(), ["a"], [], []);
    await steps(t, new EphemeralValue(false), ["a", "b"], ["c"]);
    await t.fails(() => new EphemeralValue().update(["a", "b"]));
  }),

  scenario("BinaryOperatorAggregate by hand", async (lg, t) => {
    const { BinaryOperatorAggregate } = channelsOf(lg);
    await steps(t, new BinaryOperatorAggregate(sum), [1, 2], [], [3]);
    await steps(t, new BinaryOperatorAggregate(sum, () => 10), [1], [new lg.Overwrite(100), 5] as never);
    t.note("equals", [
      new BinaryOperatorAggregate(sum).equals(new BinaryOperatorAggregate(sum)),
      new BinaryOperatorAggregate(sum).equals(new BinaryOperatorAggregate((a: number) => a)),
    ]);
  }),

  scenario("Topic by hand", async (lg, t) => {
    const { Topic } = channelsOf(lg);
    await steps(t, new Topic(), ["a", ["b", "c"]], ["d"], []);
    await steps(t, new Topic({ accumulate: true }), ["a"], ["a", "b"], []);
    await steps(t, new Topic({ unique: true }), ["a", "a", "b"], ["b", "c"], []);
    await steps(t, new Topic({ unique: true, accumulate: true }), ["a", "a", "b"], ["b", "c"], []);
  }),

  scenario("NamedBarrierValue by hand", async (lg, t) => {
    const { NamedBarrierValue } = channelsOf(lg);
    await steps(t, new NamedBarrierValue(new Set(["a", "b"])), ["a"], ["a"], ["b"]);
    await t.fails(() => new NamedBarrierValue(new Set(["a"])).update(["c"]));
  }),

  scenario("NamedBarrierValueAfterFinish by hand", async (lg, t) => {
    const { NamedBarrierValueAfterFinish } = channelsOf(lg);
    await steps(t, new NamedBarrierValueAfterFinish(new Set(["a", "b"])), ["a"], ["b"]);
    const channel = new NamedBarrierValueAfterFinish(new Set(["a"]));
    t.note("early", [channel.finish(), channel.consume()]);
    channel.update(["a"]);
    t.note("finish", [channel.finish(), channel.finish()]);
    await look(t, "finished", channel);
    t.note("consume", [channel.consume(), channel.consume()]);
    await look(t, "consumed", channel);
  }),

  scenario("DynamicBarrierValue by hand", async (lg, t) => {
    const { DynamicBarrierValue } = channelsOf(lg);
    await steps(t, new DynamicBarrierValue(), ["early"], [{ __names: ["a", "b"] }], ["a", "other"], ["b"]);
    await steps(t, new DynamicBarrierValue(), [{ __names: ["a"] }], []);
    await t.fails(() => new DynamicBarrierValue().update([{ __names: ["a"] }, { __names: ["b"] }] as never));
  }),

  scenario("UntrackedValueChannel by hand", async (lg, t) => {
    const { UntrackedValueChannel } = channelsOf(lg);
    await steps(t, new UntrackedValueChannel(), ["a"], [], ["b"]);
    await steps(t, new UntrackedValueChannel({ guard: false, initialValueFactory: () => "i" } as never), [
      "a",
      "b",
    ]);
    await t.fails(() => new UntrackedValueChannel().update(["a", "b"]));
  }),

  scenario("DeltaChannel by hand", async (lg, t) => {
    const { DeltaChannel, isDeltaChannel, LastValue } = channelsOf(lg);
    await steps(t, new DeltaChannel(appendAll as never), ["a"], [], ["b", "c"]);
    const channel = new DeltaChannel(appendAll as never).fromCheckpoint(["seed"] as never);
    channel.update([new lg.Overwrite(["over"]), "lost"] as never);
    await look(t, "overwritten", channel);
    t.note("is", [
      isDeltaChannel(channel),
      isDeltaChannel(new LastValue()),
      isDeltaChannel(undefined as never),
    ]);
    t.note("equals", [
      channel.equals(new DeltaChannel(appendAll as never)),
      channel.equals(new DeltaChannel(appendAll as never, { snapshotFrequency: 3 })),
    ]);
    await t.fails(() => new DeltaChannel(appendAll as never, { snapshotFrequency: 0 }));
    await t.fails(() => channel.update([new lg.Overwrite([]), new lg.Overwrite([])] as never));
  }),

  scenario("checkpoints of channels made by hand, with a snapshot of a delta channel", async (lg, t) => {
    const {
      LastValue,
      DeltaChannel,
      createCheckpoint,
      deltaChannelsToSnapshot,
      empty,
      channelsFromCheckpoint,
    } = channelsOf(lg);
    const definitions = {
      last: new LastValue(),
      none: new LastValue(),
      delta: new DeltaChannel(appendAll as never, { snapshotFrequency: 2 }),
      more: new DeltaChannel(appendAll as never),
      noChannel: 5,
    };
    const first = lg.emptyCheckpoint();
    const live = empty(definitions as never, first) as unknown as Record<string, Channel>;
    t.note("names", Object.keys(live).sort());
    live["last"]?.update([7]);
    live["delta"]?.update(["d"]);
    const due = deltaChannelsToSnapshot(live as never, { delta: [2, 2], more: [1, 5000] });
    t.note("due", [...due].sort());
    t.note("not due", [...deltaChannelsToSnapshot(live as never, { delta: [1, 1] })]);
    const {
      id: _id,
      ts: _ts,
      ...made
    } = createCheckpoint({ ...first, channel_versions: { delta: 3 } }, live as never, 4, {
      id: "an id",
      channelsToSnapshot: due,
      getNextVersion: (version: unknown) => ((version as number | undefined) ?? 0) + 1,
    } as never);
    t.note("checkpoint", made);
    const again = (await channelsFromCheckpoint(
      definitions as never,
      { ...first, ...made } as never,
    )) as unknown as typeof live;
    for (const name of ["last", "delta", "more"]) await look(t, name, again[name]);
  }),

  scenario(
    "channelsFromCheckpoint replays what a saver has; task ids of steps that were not stored",
    async (lg, t) => {
      const { channelsFromCheckpoint, exitDeltaTaskId, DeltaChannel } = channelsOf(lg);
      const saver = t.saver();
      const task = "0f0e0d0c-0000-4000-8000-00000000000a";
      const root = { ...lg.emptyCheckpoint(), id: "1ef00000-0000-6000-8000-000000000001" };
      const child = { ...lg.emptyCheckpoint(), id: "1ef00000-0000-6000-8000-000000000002" };
      await saver.put(
        at(),
        { ...root, channel_values: { log: ["seed"] } },
        { source: "loop", step: 0, parents: {} },
      );
      await saver.putWrites(
        at(root.id),
        [
          ["log", "w1"],
          ["log", "w2"],
        ],
        task,
      );
      await saver.put(at(root.id), child, { source: "loop", step: 1, parents: {} });
      const { log } = (await channelsFromCheckpoint(
        { log: new DeltaChannel(appendAll as never) } as never,
        child,
        {
          saver,
          config: at(child.id),
        },
      )) as unknown as Record<string, Channel>;
      await look(t, "replayed", log);
      t.note("ids", [exitDeltaTaskId(3, task), exitDeltaTaskId(123, task.toUpperCase())]);
    },
  ),

  scenario("a channel class of one's own in a graph", async (lg, t) => {
    const { BaseChannel } = channelsOf(lg);
    class Max extends (BaseChannel as unknown as new () => { lc_graph_name: string }) {
      override lc_graph_name = "Max";
      value: number | undefined;
      fromCheckpoint(stored?: number): Max {
        const channel = new Max();
        channel.value = stored;
        return channel;
      }
      update(values: number[]): boolean {
        if (values.length === 0) return false;
        this.value = Math.max(this.value ?? -Infinity, ...values);
        return true;
      }
      get(): number {
        if (this.value === undefined) throw new lg.EmptyChannelError();
        return this.value;
      }
      checkpoint(): number {
        return this.get();
      }
    }
    const saver = t.saver();
    const graph = new lg.StateGraph({ max: new Max() as never, n: lg.Annotation<number> } as never)
      .addNode("a", () => ({ max: 3 }) as never)
      .addNode("b", () => ({ max: 9 }) as never)
      .addEdge(lg.START, "a" as never)
      .addEdge(lg.START, "b" as never)
      .compile({ checkpointer: saver });
    await t.invoke(graph as never, { n: 1 }, thread("1"));
    await t.invoke(graph as never, { max: 20 }, thread("1"));
    await t.saved(saver, "1");
  }),
];
