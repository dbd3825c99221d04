import { HumanMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { CHANGE_SETS, type ChannelChange, type Claim } from "../src/index.ts";
import type { PostgresSaver } from "../src/postgres/index.ts";
import { commitChannels, commitValue, putValue } from "./steps.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();
const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
const root = (threadId: string) => ({ threadId, namespace: "" });
const CONFLICT = expect.objectContaining({ code: "THREAD_CONFLICT" }) as Error;

const TABLES = ["meta", "threads", "namespaces", "lanes", "names", "items", "checkpoints", "writes"];
const NUMBERS = { threads: "tid", namespaces: "nsid" };

/** @returns what makes the server as it is now: it has lost what came since, and gives the same numbers again */
async function tail(): Promise<() => Promise<unknown>> {
  await schema.open().setup();
  const s = `"${schema.name}"`;
  await schema.sql(TABLES.map((table) => `CREATE TABLE ${s}.kept_${table} AS TABLE ${s}.${table};`).join(""));
  const back = TABLES.map(
    (table) => `DELETE FROM ${s}.${table};
      INSERT INTO ${s}.${table} OVERRIDING SYSTEM VALUE TABLE ${s}.kept_${table};`,
  );
  for (const [table, column] of Object.entries(NUMBERS)) {
    const sequence = `pg_get_serial_sequence('${s}.${table}', '${column}')`;
    const [row] = await schema.sql(`SELECT last_value, is_called FROM ${s}.${table}_${column}_seq`);
    back.push(`SELECT setval(${sequence}, ${String(row?.["last_value"])}, ${String(row?.["is_called"])});`);
  }
  return () => schema.sql(back.join(""));
}

async function take(saver: PostgresSaver, threadId = "t"): Promise<Claim> {
  return (await saver[CHANGE_SETS].open(root(threadId), { claim: "fail" })).claim as Claim;
}

async function record(
  saver: PostgresSaver,
  claim: Claim,
  checkpointId: string,
  value: unknown = "recorded",
): Promise<void> {
  const place = { ...root(claim.threadId), checkpointId };
  await saver[CHANGE_SETS].record(claim, place, [{ taskId: "task", writes: [["n", value]] }]);
}

const messages = (...segments: (ChannelChange & { op: "list" })["segments"]): ChannelChange => ({
  op: "list",
  segments,
});

async function commit(
  saver: PostgresSaver,
  claim: Claim,
  id: string,
  parentId: string | undefined,
  channels: Readonly<Record<string, ChannelChange>>,
  namespace = "",
): Promise<void> {
  await commitChannels(saver, claim, id, parentId, channels, { namespace, version: Number(id) });
}

/** A run whose thread holds one message, and that loses what it stored within a subgraph then. */
async function lostWithin() {
  const saver = schema.open();
  const claim = await take(saver);
  const first = new HumanMessage({ id: "a", content: "first" });
  await commit(saver, claim, "1", undefined, { messages: messages({ add: [first] }) });
  const lose = await tail();
  const said = new HumanMessage({ id: "b", content: "said within" });
  await commit(saver, claim, "2", undefined, { messages: messages({ add: [said] }) }, "sub");
  await lose();
  return { saver, claim, next: { messages: messages({ keep: [0, 1] }, { add: [said] }) } };
}

async function texts(saver: PostgresSaver, threadId = "t"): Promise<unknown[]> {
  const values = (await saver.getTuple(at(threadId)))?.checkpoint.channel_values ?? {};
  return (values["messages"] as HumanMessage[]).map(({ content }) => content);
}

it("a thread that was lost, whose number another tenant's thread has now, is not written to or read there", async () => {
  const [acme, globex] = ["acme", "globex"].map((tenant) => schema.open({ tenant })) as [
    PostgresSaver,
    PostgresSaver,
  ];
  const lose = await tail();
  const lost = await take(acme);
  await commit(acme, lost, "1", undefined, { messages: messages({ add: [new HumanMessage("ours")] }) });
  const reading = await schema.open({ tenant: "acme" })[CHANGE_SETS].open(root("t"));
  await lose();
  const theirs = await take(globex);
  await commit(globex, theirs, "5", undefined, {
    messages: messages({ add: [new HumanMessage("theirs")] }),
  });
  const numbers = await schema.sql(`SELECT tid, nsid FROM "${schema.name}".namespaces`);
  expect(numbers).toEqual([{ tid: "1", nsid: "1" }]);
  await expect(record(acme, lost, "1")).rejects.toThrow(CONFLICT);
  await expect(commit(acme, lost, "2", "1", {})).rejects.toThrow(CONFLICT);
  const list = reading.checkpoint?.channels.get("messages");
  await expect(async () => list?.load()).rejects.toThrow(CONFLICT);
  await acme[CHANGE_SETS].release(lost);
  await commit(globex, theirs, "6", "5", {});
  expect(await texts(globex)).toEqual(["theirs"]);
  expect(await acme.getTuple(at("t"))).toBeUndefined();
});

it("a run whose claim was lost is fenced off by the next one", async () => {
  const [first, second] = [schema.open(), schema.open()];
  await putValue(first, "t", "1", 1);
  const lose = await tail();
  const lost = await take(first);
  await lose();
  const claim = await take(second);
  await expect(record(first, lost, "1")).rejects.toThrow(CONFLICT);
  await expect(commitValue(first, lost, "2", "1", "lost")).rejects.toThrow(CONFLICT);
  await first[CHANGE_SETS].release(lost);
  await record(second, claim, "1");
  await commitValue(second, claim, "2", "1", "kept");
  expect((await first.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: "kept" });
});

it("what another process stored under the numbers of a checkpoint that was lost is not taken for it", async () => {
  const [first, second] = [schema.open(), schema.open()];
  await putValue(first, "t", "1", 1);
  const lose = await tail();
  const lost = await take(first);
  await commitValue(first, lost, "2", "1", "lost");
  await first[CHANGE_SETS].release(lost);
  await lose();
  const claim = await take(second);
  await commitValue(second, claim, "3", "1", "kept");
  await second[CHANGE_SETS].release(claim);
  const again = await first[CHANGE_SETS].open(root("t"), { claim: "fail" });
  expect(again.headId).toBe("3");
  expect((await first.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: "kept" });
});

it("a step does not refer to what a subgraph stored before it, where that was lost", async () => {
  const { saver, claim, next } = await lostWithin();
  await expect(commit(saver, claim, "3", "1", next)).rejects.toThrow(CONFLICT);
  expect(await texts(schema.open())).toEqual(["first"]);
  await saver[CHANGE_SETS].release(claim);
  await commit(saver, await take(saver), "4", "1", next);
  expect(await texts(schema.open())).toEqual(["first", "said within"]);
});

it("nor does what a task has written", async () => {
  const saver = schema.open();
  const claim = await take(saver);
  await commitValue(saver, claim, "1", undefined);
  const lose = await tail();
  const said = new HumanMessage({ id: "b", content: "said within" });
  await commit(saver, claim, "2", undefined, { messages: messages({ add: [said] }) }, "sub");
  await lose();
  await expect(record(saver, claim, "1", [said])).rejects.toThrow(CONFLICT);
  expect((await schema.open().getTuple(at("t")))?.pendingWrites).toEqual([]);
});

it("nor does the next run of the same process", async () => {
  const { saver, claim, next } = await lostWithin();
  await saver[CHANGE_SETS].release(claim);
  const refused = await take(saver);
  await expect(commit(saver, refused, "3", "1", next)).rejects.toThrow(CONFLICT);
  await saver[CHANGE_SETS].release(refused);
  await commit(saver, await take(saver), "4", "1", next);
  expect(await texts(schema.open())).toEqual(["first", "said within"]);
});

it("a subgraph whose number another thread's has now does not go on there", async () => {
  const [first, second] = [schema.open(), schema.open()];
  const claim = await take(first);
  await commit(first, claim, "1", undefined, {});
  const lose = await tail();
  await commit(first, claim, "2", undefined, { n: { op: "set", value: "lost" } }, "sub");
  await lose();
  const other = await take(second, "other");
  await commit(second, other, "5", undefined, { n: { op: "set", value: "theirs" } });
  await expect(commit(first, claim, "3", "2", { n: { op: "set", value: "lost" } }, "sub")).rejects.toThrow(
    CONFLICT,
  );
  expect((await schema.open().getTuple(at("other")))?.checkpoint.channel_values).toEqual({ n: "theirs" });
});

it("writes are not recorded under a checkpoint that was lost", async () => {
  const saver = schema.open();
  const claim = await take(saver);
  await commitValue(saver, claim, "1", undefined);
  const lose = await tail();
  await commitValue(saver, claim, "2", "1");
  await lose();
  await expect(record(saver, claim, "2")).rejects.toThrow(CONFLICT);
  expect(await schema.sql(`SELECT * FROM "${schema.name}".writes`)).toEqual([]);
});

it.each(["a run", "a put"])(
  "a name that was lost, and its number given to another, is stored anew by %s",
  async (by) => {
    const [first, second] = [schema.open(), schema.open()];
    const store = async (
      saver: PostgresSaver,
      threadId: string,
      channels: readonly string[],
    ): Promise<void> => {
      const set = Object.fromEntries(channels.map((name) => [name, { op: "set", value: name } as const]));
      if (by === "a run") {
        const claim = await take(saver, threadId);
        await commit(saver, claim, "1", undefined, set);
        await saver[CHANGE_SETS].release(claim);
        return;
      }
      const versions = Object.fromEntries(channels.map((name) => [name, 1]));
      const values = Object.fromEntries(channels.map((name) => [name, name]));
      const checkpoint = { v: 4, id: "1", ts: "x", channel_values: values, channel_versions: versions };
      const metadata = { source: "update", step: 0, parents: {} } as const;
      await saver.put(at(threadId), { ...checkpoint, versions_seen: {} }, metadata, versions);
    };
    await store(first, "before", ["both"]);
    const lose = await tail();
    await store(first, "lost", ["approved", "last"]);
    await lose();
    // the last one has its number again
    await store(second, "theirs", ["rejected", "last"]);
    await store(first, "ours", ["approved", "last"]);
    for (const saver of [first, second, schema.open()]) {
      const read = async (threadId: string) =>
        (await saver.getTuple(at(threadId)))?.checkpoint.channel_values;
      expect(await read("ours")).toEqual({ approved: "approved", last: "last" });
      expect(await read("theirs")).toEqual({ rejected: "rejected", last: "last" });
      expect(await read("before")).toEqual({ both: "both" });
    }
  },
);

it("a reader that knows names which were lost reads the others", async () => {
  const [reader, writer] = [schema.open(), schema.open()];
  const lose = await tail();
  await commit(writer, await take(writer), "1", undefined, { approved: { op: "set", value: 1 } });
  expect((await reader.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ approved: 1 });
  await lose();
  const cold = schema.open();
  await commit(cold, await take(cold), "1", undefined, { rejected: { op: "set", value: 1 } });
  const listed: unknown[] = [];
  for await (const tuple of reader.list(at("t"))) listed.push(tuple.checkpoint.channel_values);
  expect(listed).toEqual([{ rejected: 1 }]);
  expect((await reader.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ rejected: 1 });
});
