import { once } from "node:events";
import { join } from "node:path";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { commitValue } from "./steps.ts";
import { startProgram } from "./support/program.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });
const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
const ROOT = { threadId: "t", namespace: "" };

const worker = (...args: string[]) =>
  startProgram(join(import.meta.dirname, "worker.ts"), `${schema.url}#${schema.name}`, ...args);

describe("several processes on one database", () => {
  it("make the tables, write at the same time and lose nothing; a living one's thread is not taken (F6)", async () => {
    const workers = ["a", "b"].map((name) => worker("put", name, "30"));
    // every one of them adds to one number, in a run of its own
    const counters = [worker("count", "n", "30"), worker("count", "n", "30")];
    const ends = await Promise.all([...workers, ...counters].map(async (child) => once(await child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
    const saver = schema.open();
    expect((await saver.getTuple(at("n")))?.checkpoint.channel_values).toEqual({ n: 60 });
    let shared = 0;
    for await (const { checkpoint } of saver.list(at("shared"))) {
      expect(checkpoint.channel_values["list"]).toEqual([
        { id: checkpoint.id, text: checkpoint.id.repeat(100) },
      ]);
      shared += 1;
    }
    expect(shared).toBe(60);
    const holder = await worker("claim", "t");
    await once(holder.stdout, "data");
    const [held] = await schema.sql(`SELECT epoch FROM "${schema.name}".threads WHERE thread_id = 't'`);
    const take = async (): Promise<Opened> => saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await expect(take()).rejects.toThrow(coded("THREAD_CONFLICT", "onConflict"));
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const opened = await take();
    expect(opened.headId).toBe("1");
    expect(String(opened.claim?.epoch)).not.toBe(held?.["epoch"]);
  });

  it("a run that lost its thread to another can write no more", async () => {
    const [one, two] = [schema.open(), schema.open()];
    const first = await one[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await commitValue(one, first.claim as Claim, "1", undefined);
    await schema.sql(`UPDATE "${schema.name}".threads SET lease_until = 1`);
    const second = await two[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await expect(commitValue(one, first.claim as Claim, "2", "1")).rejects.toThrow(coded("THREAD_CONFLICT"));
    const writes = [{ taskId: "a", writes: [["n", 1] as [string, unknown]] }];
    const record = one[CHANGE_SETS].record(first.claim as Claim, { ...ROOT, checkpointId: "1" }, writes);
    await expect(record).rejects.toThrow(coded("THREAD_CONFLICT"));
    // giving it back late takes nothing from the new holder
    await one[CHANGE_SETS].release(first.claim as Claim);
    await commitValue(two, second.claim as Claim, "2", "1");
  });

  it("many commits and reads of one thread at once, in one process, are all applied", async () => {
    const saver = schema.open();
    const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    const claim = opened.claim as Claim;
    // subgraphs that run side by side commit under one claim
    const subgraphs = Array.from({ length: 6 }, async (_, i) => {
      const namespace = `sub:${i}`;
      let parentId: string | undefined;
      for (let n = 1; n <= 5; n += 1) {
        const add = [new HumanMessage({ id: `${i}-${n}`, content: `${i}-${n}` })];
        const keep = n > 1 ? [{ keep: [0, n - 1] as const }] : [];
        await saver[CHANGE_SETS].commit(claim, {
          namespace,
          parentId,
          expectedHead: parentId,
          checkpoint: {
            id: String(n),
            ts: "x",
            metadata: { source: "loop", step: n, parents: {} },
            channelVersions: { messages: n },
            versionsSeen: {},
          },
          channels: new Map([["messages", { op: "list", segments: [...keep, { add }] }]]),
          writes: [],
        });
        parentId = String(n);
        await saver.getTuple({ configurable: { thread_id: "t", checkpoint_ns: namespace } });
      }
    });
    await Promise.all(subgraphs);
    for (let i = 0; i < 6; i += 1) {
      const config = { configurable: { thread_id: "t", checkpoint_ns: `sub:${i}` } };
      const list = (await schema.open().getTuple(config))?.checkpoint.channel_values[
        "messages"
      ] as BaseMessage[];
      expect(list.map(({ content }) => content)).toEqual([1, 2, 3, 4, 5].map((n) => `${i}-${n}`));
    }
  });
});
