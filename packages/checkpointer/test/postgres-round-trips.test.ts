import { setImmediate } from "node:timers/promises";
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type ChannelChange, type Claim } from "../src/index.ts";
import type { PostgresSaver } from "../src/postgres/index.ts";
import { putValue } from "./steps.ts";
import { countingSaver } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();
const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
const ROOT = { threadId: "t", namespace: "" };

const step = (n: number, release = false): Parameters<PostgresSaver[typeof CHANGE_SETS]["commit"]>[1] => {
  const message = new HumanMessage({ id: `m${n}`, content: `text ${n}` });
  const segments = [...(n > 1 ? [{ keep: [0, n - 1] as const }] : []), { add: [message] }];
  const channels: [string, ChannelChange][] = [
    ["messages", { op: "list", segments }],
    ["full_messages", { op: "log", lane: "messages", entries: [{ add: message }] }],
  ];
  return {
    namespace: "",
    parentId: n > 1 ? String(n - 1).padStart(4, "0") : undefined,
    expectedHead: n > 1 ? String(n - 1).padStart(4, "0") : undefined,
    checkpoint: {
      id: String(n).padStart(4, "0"),
      ts: "2026-01-01T00:00:00.000Z",
      metadata: { source: "loop", step: n, parents: {} },
      channelVersions: { messages: n, full_messages: n },
      versionsSeen: { node: { messages: n } },
    },
    channels: new Map(channels),
    writes: n > 1 ? [{ taskId: `task${n}`, writes: [["messages", [message]]] }] : [],
    release,
  };
};

describe("round trips", () => {
  it("a superstep of one task is one, as is opening a thread, known or not", async () => {
    const { saver, sent } = await countingSaver(schema.name);
    const run = async (first: number, last: number, from = saver): Promise<number[]> => {
      const trips: number[] = [];
      const mark = (): void => void trips.push(sent.splice(0).length);
      const { claim } = await from[CHANGE_SETS].open(ROOT, { claim: "fail" });
      mark();
      for (let n = first; n <= last; n += 1) {
        await from[CHANGE_SETS].commit(claim as Claim, step(n, n === last));
        mark();
      }
      return trips;
    };
    // channels and nodes that this database has not met before get their numbers
    expect(await run(1, 5)).toEqual([1, 2, 1, 1, 1, 1]);
    expect(await run(6, 8)).toEqual([1, 1, 1, 1]);
    const other = await countingSaver(schema.name);
    const cold = other.saver[CHANGE_SETS];
    other.sent.length = 0;
    const { claim, checkpoint } = await cold.open(ROOT, { claim: "fail" });
    expect(other.sent).toHaveLength(1);
    // what stands at the end of a list comes with it
    expect(await checkpoint?.channels.get("messages")?.load()).toHaveLength(8);
    expect(other.sent).toHaveLength(1);
    await cold.commit(claim as Claim, step(9, true));
    expect(other.sent).toHaveLength(2);
  });

  it("a list of more than comes with a thread is read by one, and so is what is read later", async () => {
    const { saver } = await countingSaver(schema.name);
    const trips = async (
      lists: Readonly<Record<string, readonly string[]>>,
      wait?: () => unknown,
    ): Promise<number[]> => {
      const place = { threadId: globalThis.crypto.randomUUID(), namespace: "" };
      const { claim } = await saver[CHANGE_SETS].open(place, { claim: "fail" });
      const channels = Object.entries(lists).map(
        ([name, add]) => [name, { op: "list", segments: [{ add }] }] as [string, ChannelChange],
      );
      await saver[CHANGE_SETS].commit(claim as Claim, { ...step(1, true), channels: new Map(channels) });
      const counts: number[] = [];
      for (const [name, list] of Object.entries(lists)) {
        const other = await countingSaver(schema.name);
        const { checkpoint } = await other.saver[CHANGE_SETS].open(place);
        await wait?.();
        other.sent.length = 0;
        expect(await checkpoint?.channels.get(name)?.load()).toEqual(list);
        counts.push(other.sent.length);
      }
      return counts;
    };
    const few = Array<string>(64).fill("f");
    expect(await trips({ few })).toEqual([0]);
    expect(await trips({ few }, setImmediate)).toEqual([1]);
    expect(await trips({ many: [...few, "m"] })).toEqual([1]);
    expect(await trips({ long: few.fill("x".repeat(1_300), 10) })).toEqual([1]);
    // of lanes beside the longest fewer come
    const lists = { most: few.slice(0, 18), others: few.slice(0, 16), more: few.slice(0, 17) };
    expect(await trips(lists)).toEqual([0, 0, 1]);
  });

  it("nothing that was erased meanwhile is read from what came with a thread", async () => {
    const { saver } = await countingSaver(schema.name);
    const { claim } = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    for (const n of [1, 2, 3]) await saver[CHANGE_SETS].commit(claim as Claim, step(n, n === 3));
    const other = await countingSaver(schema.name);
    const { checkpoint } = await other.saver[CHANGE_SETS].open(ROOT);
    await saver.eraseMessage(at("t"), "m2");
    const messages = await checkpoint?.channels.get("messages")?.load();
    expect(JSON.stringify(messages)).toContain("text 3");
    expect(JSON.stringify(messages)).not.toContain("text 2");
  });

  it("a put of the contract is two, as are its writes; a checkpoint that is there behind a moved head is found", async () => {
    const { saver, sent } = await countingSaver(schema.name);
    for (const id of ["1", "2", "3"]) await putValue(saver, "t", id, Number(id));
    sent.length = 0;
    await putValue(saver, "t", "4", 4);
    expect(sent).toHaveLength(2);
    sent.length = 0;
    await saver.putWrites(
      { configurable: { ...at("t").configurable, checkpoint_id: "4" } },
      [["n", 5]],
      "task",
    );
    expect(sent).toHaveLength(2);
    await saver.moveHead("t", "2");
    await putValue(saver, "t", "4", 44);
    const tuples = [];
    for await (const tuple of saver.list(at("t"))) tuples.push(tuple);
    expect(tuples.map(({ checkpoint }) => [checkpoint.id, checkpoint.channel_values["n"]])).toEqual([
      ["4", 44],
      ["3", 3],
      ["2", 2],
      ["1", 1],
    ]);
  });

  it("steps that nobody waits for are sent together, and none of them twice", async () => {
    const { saver, sent } = await countingSaver(schema.name);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    await sets.commit(claim as Claim, step(1));
    await sets.commit(claim as Claim, step(2));
    sent.length = 0;
    const stored = [3, 4, 5, 6, 7].map((n) => sets.commit(claim as Claim, step(n)));
    await Promise.all(stored);
    expect(sent).toHaveLength(2);
    // a record has its place between them
    sent.length = 0;
    const between = [
      sets.commit(claim as Claim, step(8)),
      sets.commit(claim as Claim, step(9)),
      sets.record(claim as Claim, { ...ROOT, checkpointId: "0009" }, [
        { taskId: "early", writes: [["n", 1]] },
      ]),
      sets.commit(claim as Claim, step(10)),
      sets.commit(claim as Claim, step(11, true)),
    ];
    await Promise.all(between);
    expect(sent).toHaveLength(5);
    const tuples = [];
    for await (const tuple of saver.list(at("t"))) tuples.push(tuple);
    expect(tuples.map(({ checkpoint }) => Number(checkpoint.id))).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]);
    expect(tuples[2]?.pendingWrites?.map(([task]) => task)).toEqual(["early", "task10"]);
    for (const [i, { checkpoint }] of tuples.entries())
      expect(checkpoint.channel_values["messages"]).toHaveLength(11 - i);
  });

  it("where the thread was lost none of those sent together is stored, and each says so", async () => {
    const { saver } = await countingSaver(schema.name);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    for (const n of [1, 2]) await sets.commit(claim as Claim, step(n));
    await schema.open()[CHANGE_SETS].open(ROOT, { claim: "take" });
    const results = await Promise.allSettled(
      [3, 4, 5].map(async (n) => sets.commit(claim as Claim, step(n))),
    );
    expect(
      results.map((result) => result.status === "rejected" && (result.reason as { code: string }).code),
    ).toEqual(["THREAD_CONFLICT", "THREAD_CONFLICT", "THREAD_CONFLICT"]);
    const tuple = await schema.open().getTuple(at("t"));
    expect(tuple?.checkpoint.id).toBe("0002");
  });

  it.each([
    { how: "one by one", later: [4] },
    { how: "together", later: [4, 5, 6] },
  ])("steps that are sent $how do not go on from one that the server has lost", async ({ later }) => {
    const { saver, sent } = await countingSaver(schema.name);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    for (const n of [1, 2]) await sets.commit(claim as Claim, step(n));
    await schema.sql(`CREATE FUNCTION "${schema.name}".lose() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN DELETE FROM "${schema.name}".checkpoints WHERE seq = NEW.seq; RETURN NULL; END $$;
      CREATE TRIGGER lose AFTER INSERT ON "${schema.name}".checkpoints FOR EACH ROW WHEN (NEW.seq = 3)
        EXECUTE FUNCTION "${schema.name}".lose()`);
    sent.length = 0;
    const acknowledged = sets.commit(claim as Claim, step(3));
    const results = await Promise.allSettled(later.map(async (n) => sets.commit(claim as Claim, step(n))));
    await acknowledged;
    expect(sent).toHaveLength(2);
    for (const result of results)
      expect(result).toMatchObject({ status: "rejected", reason: { code: "THREAD_CONFLICT" } });
    const cold = schema.open();
    expect((await cold.getTuple(at("t")))?.checkpoint.id).toBe("0002");
    // nothing came with a step that was refused
    const items = await schema.sql(`SELECT max(ord) AS last FROM "${schema.name}".items`);
    expect(items).toEqual([{ last: 2 }]);
    const again = await cold[CHANGE_SETS].open(ROOT, { claim: "take" });
    expect(again.headId).toBe("0002");
  });

  it("where another program took the place of those sent together, the run hears of it", async () => {
    const { saver } = await countingSaver(schema.name);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    for (const n of [1, 2]) await sets.commit(claim as Claim, step(n));
    // a put takes no claim; one with a smaller id leaves the head where it is, and takes a number
    await putValue(schema.open(), "t", "0000", 5);
    await Promise.all([3, 4, 5].map((n) => sets.commit(claim as Claim, step(n))));
    expect((await schema.open().getTuple(at("t")))?.checkpoint.channel_values["messages"]).toHaveLength(5);
    await putValue(schema.open(), "t", "0099", 5);
    const lost = await Promise.allSettled([6, 7].map(async (n) => sets.commit(claim as Claim, step(n))));
    expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("lists that are loaded together are read together", async () => {
    const { saver, sent } = await countingSaver(schema.name);
    const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    const lists = Array.from({ length: 6 }, (_, i) => [`l${i}`, [{ id: `a${i}` }, { id: `b${i}` }]] as const);
    await saver[CHANGE_SETS].commit(opened.claim as Claim, {
      ...step(1),
      channels: new Map(lists.map(([name, add]) => [name, { op: "list", segments: [{ add }] }])),
    });
    const again = await countingSaver(schema.name);
    const { checkpoint } = await again.saver[CHANGE_SETS].open(ROOT);
    // what came with the thread is gone by then
    await setImmediate();
    again.sent.length = 0;
    const loaded = await Promise.all(lists.map(([name]) => checkpoint?.channels.get(name)?.load()));
    expect(loaded).toEqual(lists.map(([, list]) => list));
    expect(again.sent).toHaveLength(1);
    expect(sent.length).toBeGreaterThan(0);
  });
});
