import { HumanMessage } from "@langchain/core/messages";
import {
  type BaseCheckpointSaver,
  InMemoryCache,
  MemorySaver,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import {
  Command,
  DeltaChannel,
  DeltaValue,
  interrupt,
  MessagesDeltaValue,
  Overwrite,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";

const thread = { configurable: { thread_id: "t" } };
const State = new StateSchema({
  log: new DeltaValue(
    z.array(z.unknown()).default(() => []),
    {
      inputSchema: z.unknown(),
      reducer: (log, lines) => [...log, ...lines],
      snapshotFrequency: 4,
    },
  ),
});
const savers: [string, () => BaseCheckpointSaver][] = [
  ["LangGraph's saver", () => new MemorySaver()],
  ["ours", () => new ItemMemorySaver()],
];
const logging = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addNode("a", () => ({ log: "a" }))
    .addNode("b", () => ({ log: "b" }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer });

test.each(savers)("a delta value reads the same in every old state (%s)", async (_name, makeSaver) => {
  const graph = logging(makeSaver());
  for (const log of ["one", "two", "three"]) await graph.invoke({ log }, thread);
  const expected = ["one", "a", "b", "two", "a", "b", "three", "a", "b"];
  const found: unknown[] = [];
  for await (const { values } of graph.getStateHistory(thread)) {
    expect(values.log).toEqual(expected.slice(0, values.log.length));
    found.push(values.log.length);
  }
  expect(found).toEqual([9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0]);
});

test.each(savers)("branches of a delta value keep apart (%s)", async (_name, makeSaver) => {
  const graph = logging(makeSaver());
  await graph.invoke({ log: "in" }, thread);
  const { config: left } = await graph.getState(thread);
  let old: Awaited<ReturnType<typeof graph.getState>> | undefined;
  for await (const state of graph.getStateHistory(thread)) if (state.next[0] === "a") old = state;
  await graph.updateState(old?.config ?? {}, { log: "other" }, "a");
  await graph.invoke(null, thread);
  expect((await graph.getState(thread)).values.log).toEqual(["in", "other", "b"]);
  expect((await graph.getState(left)).values.log).toEqual(["in", "a", "b"]);
});

test("a saver with change sets gets what was appended, never the whole (I7)", () => {
  const channel = new DeltaChannel((log: object[], lines: object[]) => [...log, ...lines]).fromCheckpoint();
  const [one, two, three] = [{ n: 1 }, { n: 2 }, { n: 3 }];
  channel.update([one, two]);
  expect(channel.change()).toEqual({ op: "list", segments: [{ add: [one, two] }] });
  channel.update([three]);
  expect(channel.change()).toEqual({ op: "list", segments: [{ keep: [0, 2] }, { add: [three] }] });
});

test("data that looks like a snapshot stays data", () => {
  const channel = new DeltaChannel((_old: unknown, [last]: unknown[]) => last).fromCheckpoint();
  const data = { lg_name: "DeltaSnapshot", value: "mine" };
  channel.update([data]);
  const change = channel.change();
  if (change.op !== "set") throw new Error(change.op);
  expect(channel.fromCheckpoint(change.value as never).get()).toEqual(data);
  expect(channel.fromCheckpoint(channel.snapshot()).get()).toEqual(data);
});

/** A step of which one task waits for an answer, and the other has written. */
const halfDone = (checkpointer: BaseCheckpointSaver, write: unknown) =>
  new StateGraph(State)
    .addNode("write", () => ({ log: write }) as never)
    .addNode("ask", () => ({ log: interrupt<string, string>("go?") }))
    .addEdge(START, "write")
    .addEdge(START, "ask")
    .compile({ checkpointer });

test.each(savers)(
  "an Overwrite of a step that waits is one when it goes on (%s)",
  async (_name, makeSaver) => {
    const graph = halfDone(makeSaver(), new Overwrite(["over"]));
    await graph.invoke({ log: "in" }, thread);
    const { log } = await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(log).toEqual(["over"]);
  },
);

test.each(savers)(
  "JSON of the shape of an Overwrite is data when its step goes on: I10 (%s)",
  async (_name, make) => {
    const json = { __overwrite__: ["forged"] };
    const graph = halfDone(make(), json);
    await graph.invoke({ log: "in" }, thread);
    const { log } = await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(log).toHaveLength(3);
    expect(log).toEqual(expect.arrayContaining(["in", json, "yes"]));
  },
);

test("an Overwrite that LangGraph stored for an unfinished step is one here", async () => {
  const saver = new MemorySaver();
  const graph = halfDone(saver, "ours");
  await graph.invoke({ log: "in" }, thread);
  const tuple = await saver.getTuple(thread);
  const mine = tuple?.pendingWrites?.find(([, channel]) => channel === "log");
  if (tuple === undefined || mine === undefined) throw new Error("nothing waits");
  saver.writes = Object.create(null) as typeof saver.writes;
  for (const [task, channel, value] of tuple.pendingWrites ?? []) {
    const write = [channel, task === mine[0] ? { __overwrite__: ["theirs"] } : value] as PendingWrite;
    await saver.putWrites(tuple.config, [write], task);
  }
  const { log } = await graph.invoke(new Command({ resume: "yes" }), thread);
  expect(log).toEqual(["theirs"]);
});

test("messages of a delta channel get their ids when they are recorded", async () => {
  const graph = new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
    .addNode("a", () => ({ messages: [new HumanMessage("no id")] }))
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  const { messages } = await graph.invoke({}, thread);
  const ids = async () => (await graph.getState(thread)).values.messages.map(({ id }: HumanMessage) => id);
  expect(messages[0]?.id).toBeTypeOf("string");
  expect(await ids()).toEqual([messages[0]?.id]);
  expect(await ids()).toEqual(await ids());
});

const make = (snapshotFrequency: number) => () =>
  new DeltaChannel((log: unknown[]) => log, { snapshotFrequency });

test("a snapshot frequency that is no positive integer is refused", () => {
  for (const wrong of [0, -1, 1.5, Number.NaN]) expect(make(wrong)).toThrow("positive integer");
});

test("LangGraph's variable limits how long a delta value that nobody writes goes without a whole", async () => {
  vi.stubEnv("LANGGRAPH_DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT", "3");
  try {
    const saver = new MemorySaver();
    const Quiet = new StateSchema({ ...State.fields, last: z.string().default("") });
    const graph = new StateGraph(Quiet)
      .addNode("a", () => ({ last: "a" }))
      .addEdge(START, "a")
      .compile({ checkpointer: saver });
    await graph.invoke({ log: "in" }, thread);
    await graph.invoke({ last: "again" }, thread);
    const wholes: unknown[] = [];
    for await (const { checkpoint } of saver.list(thread)) wholes.push(checkpoint.channel_values["log"]);
    expect(wholes.some((whole) => whole !== undefined)).toBe(true);
  } finally {
    vi.unstubAllEnvs();
  }
});

const everyWay = savers.flatMap(([name, make]) =>
  (["sync", "async", "exit"] as const).map((durability) => [name, durability, make] as const),
);
test.each(everyWay)("the cached result of a node is kept as one that it made (%s, %s)", async (...way) => {
  const [, durability, makeSaver] = way;
  let runs = 0;
  const cached = () => ({ log: `b${(runs += 1)}` });
  const graph = new StateGraph(State)
    .addNode("a", () => ({ log: "a" }))
    .addNode("b", cached, { cachePolicy: { keyFunc: () => "same" } })
    .addNode("c", () => ({ log: "c" }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile({ checkpointer: makeSaver(), cache: new InMemoryCache() });
  for (const id of ["first", "second"]) {
    await graph.invoke({ log: "in" }, { configurable: { thread_id: id }, durability });
  }
  expect(runs).toBe(1);
  const expected = ["in", "a", "b1", "c"];
  const logs: unknown[] = [];
  for await (const { values } of graph.getStateHistory({ configurable: { thread_id: "second" } })) {
    logs.push(values.log);
  }
  expect(logs[0]).toEqual(expected);
  for (const log of logs) expect(log).toEqual(expected.slice(0, (log as unknown[]).length));
});

test.each(["sync", "async", "exit"] as const)(
  "what a saver fails to store of a delta value is made again, not lost (%s)",
  async (durability) => {
    let fails = true;
    class Failing extends MemorySaver {
      override async putWrites(...args: Parameters<MemorySaver["putWrites"]>) {
        const isIt = args[1].some(([channel, value]) => channel === "log" && value === "b");
        if (!isIt || !fails) return super.putWrites(...args);
        fails = false;
        throw new Error("the disk was full");
      }
    }
    const graph = logging(new Failing());
    const config = { ...thread, durability };
    await expect(graph.invoke({ log: "in" }, config)).rejects.toThrow("the disk was full");
    const stored = await graph.getState(thread);
    // durability exit has nothing to go on from
    await graph.invoke(stored.next.length > 0 ? null : { log: "in" }, config);
    expect((await graph.getState(thread)).values.log).toEqual(["in", "a", "b"]);
  },
);

test.each(["interrupt", "failure"])(
  "a chat of turns that end in a question or an error grows by what is new (%s)",
  async (end) => {
    const saver = new MemorySaver();
    const graph = new StateGraph(
      new StateSchema({
        log: new DeltaValue(
          z.array(z.unknown()).default(() => []),
          { inputSchema: z.unknown(), reducer: (log, lines) => [...log, ...lines] },
        ),
      }),
    )
      .addNode("a", () => ({ log: "a" }))
      .addNode("ends", () => {
        if (end === "failure") throw new Error("user: no");
        return { log: interrupt("?") };
      })
      .addEdge(START, "a")
      .addEdge("a", "ends")
      .compile({ checkpointer: saver });
    for (let turn = 0; turn < 20; turn += 1) await graph.invoke({ log: "in" }, thread).catch(() => {});
    const wholes: unknown[] = [];
    for await (const { checkpoint } of saver.list(thread))
      if (Object.hasOwn(checkpoint.channel_values, "log")) wholes.push(checkpoint.id);
    expect(wholes).toEqual([]);
    expect((await graph.getState(thread)).values.log).toHaveLength(40);
  },
);
