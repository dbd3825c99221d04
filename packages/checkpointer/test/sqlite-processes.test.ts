import { once } from "node:events";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { commitValue } from "./steps.ts";
import { startProgram } from "./support/program.ts";
import { databasePerTest } from "./support/database-per-test.ts";

const database = databasePerTest();

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });

const worker = (...args: string[]) =>
  startProgram(join(import.meta.dirname, "worker.ts"), database.path, ...args);

describe("several processes on one file", () => {
  it("make the tables and write at the same time, and lose nothing (F6)", async () => {
    const workers = ["a", "b", "c"].map((name) => worker("put", name, "40"));
    const ends = await Promise.all(workers.map(async (child) => once(await child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0]);
    const saver = SqliteSaver.fromConnString(database.path);
    for (const name of ["a", "b", "c"]) {
      const ids: string[] = [];
      for await (const { checkpoint } of saver.list({ configurable: { thread_id: name } }))
        ids.push(checkpoint.id);
      expect(ids).toHaveLength(40);
    }
    // one thread that all of them wrote to
    let shared = 0;
    for await (const { checkpoint } of saver.list({ configurable: { thread_id: "shared" } })) {
      expect(checkpoint.channel_values["list"]).toEqual([
        { id: checkpoint.id, text: checkpoint.id.repeat(100) },
      ]);
      shared += 1;
    }
    expect(shared).toBe(120);
    await saver.close();
  });

  it("runs of many processes on one thread come one after the other, and no update is lost (A9, F6)", async () => {
    const counters = ["a", "b", "c"].map(() => worker("count", "n", "25"));
    const ends = await Promise.all(counters.map(async (child) => once(await child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0]);
    const saver = SqliteSaver.fromConnString(database.path);
    const tuple = await saver.getTuple({ configurable: { thread_id: "n" } });
    expect(tuple?.checkpoint.channel_values).toEqual({ n: 75 });
    expect(await saver.checkpoints("n")).toHaveLength(75);
    await saver.close();
  });

  it("a thread of a killed process is taken over at once, a living one's is not", async () => {
    const child = await worker("claim", "t");
    await once(child.stdout, "data");
    const saver = SqliteSaver.fromConnString(database.path);
    const take = (): Opened =>
      saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    expect(take).toThrow(coded("THREAD_CONFLICT", "onConflict"));
    child.kill("SIGKILL");
    await once(child, "exit");
    const opened = take();
    expect(opened.headId).toBe("1");
    expect(opened.claim?.epoch).toBe(2);
    await saver.close();
  });

  it("notices what another process wrote between two runs", async () => {
    const [one, two] = [SqliteSaver.fromConnString(database.path), SqliteSaver.fromConnString(database.path)];
    const address = { threadId: "t", namespace: "" };
    let head: string | undefined;
    for (let i = 1; i <= 12; i += 1) {
      const saver = i % 3 === 0 ? two : one;
      const opened = saver[CHANGE_SETS].open(address, { claim: "fail" }) as Opened;
      expect(opened.headId).toBe(head);
      const list = opened.checkpoint?.channels.get("list")?.load() as HumanMessage[] | undefined;
      expect(list?.map(({ content }) => content) ?? []).toEqual(
        Array.from({ length: i - 1 }, (_, n) => `m${n + 1}`),
      );
      head = `c${String(i).padStart(3, "0")}`;
      void saver[CHANGE_SETS].commit(opened.claim as Claim, {
        namespace: "",
        parentId: opened.headId,
        expectedHead: opened.headId,
        checkpoint: {
          id: head,
          ts: "2026-01-01T00:00:00.000Z",
          metadata: { source: "loop", step: i, parents: {} },
          channelVersions: { list: i },
          versionsSeen: {},
        },
        channels: new Map([
          [
            "list",
            {
              op: "list",
              segments: [
                ...(i > 1 ? [{ keep: [0, i - 1] as [number, number] }] : []),
                { add: [new HumanMessage({ id: `i${i}`, content: `m${i}` })] },
              ],
            },
          ],
        ]),
        writes: [],
        release: true,
      });
    }
    await one.close();
    await two.close();
  });

  it("a run that lost its thread to another can write no more", () => {
    const [one, two] = [SqliteSaver.fromConnString(database.path), SqliteSaver.fromConnString(database.path)];
    const first = one[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    void commitValue(one, first.claim as Claim, "1", undefined);
    const db = new Database(database.path);
    db.exec("UPDATE threads SET lease_until = 1");
    db.close();
    const second = two[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    expect(() => commitValue(one, first.claim as Claim, "2", "1")).toThrow(coded("THREAD_CONFLICT"));
    const record = () =>
      one[CHANGE_SETS].record(first.claim as Claim, { threadId: "t", namespace: "", checkpointId: "1" }, [
        { taskId: "a", writes: [["n", 1]] },
      ]);
    expect(record).toThrow(coded("THREAD_CONFLICT"));
    // giving it back late takes nothing from the new holder
    void one[CHANGE_SETS].release(first.claim as Claim);
    void commitValue(two, second.claim as Claim, "2", "1");
  });
});
