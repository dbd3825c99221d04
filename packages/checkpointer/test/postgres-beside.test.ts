import { Client, Pool } from "pg";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { type PostgresPool, PostgresSaver } from "../src/postgres/index.ts";
import { postgresUrl, sharedPool } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";
import { change, message, ROOT } from "./support/change-sets.ts";
import { at, chat } from "./turns.ts";

const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };

/** Connections whose answers may be held back, or not come. */
async function watched() {
  const pool = await sharedPool();
  let then: ((text: string) => Promise<void> | undefined) | undefined;
  const through: PostgresPool = {
    async query(query) {
      const held = then?.(query.text);
      const result = await pool.query(query);
      await held;
      return result;
    },
    connect: () => pool.connect(),
    end: async () => {},
    on: () => {},
  };
  return {
    through,
    /** @param next - given each query's text; what it returns is waited for before the answer is handed over */
    watch: (next: typeof then) => void (then = next),
  };
}

const found = async (saver: PostgresSaver): Promise<number> =>
  (await saver.search(config, "answer")).hits.length;

describe("a search on PostgreSQL (D6)", () => {
  const schema = schemaPerTest();

  it("finds as much as another that was begun at once", async () => {
    await chat(schema.open(), "t", 5);
    const fresh = schema.open();
    expect(await Promise.all([found(fresh), found(fresh), found(fresh)])).toEqual([5, 5, 5]);
  });

  it("finds everything after one that could not read", async () => {
    // more than come with the thread
    await chat(schema.open(), "t", 70);
    const all = await found(schema.open());
    const { through, watch } = await watched();
    const saver = schema.over(through);
    await saver.getTuple(at("other"));
    watch((text) => {
      if (/^(SELECT|WITH).*body.*items/s.test(text) && !text.includes("json_agg"))
        throw Object.assign(new Error("lost"), { code: "ECONNRESET" });
      return undefined;
    });
    await expect(found(saver)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    watch(undefined);
    expect(all).toBeGreaterThan(5);
    expect(await found(saver)).toBe(all);
  });

  it("does not disturb the run of its thread", async () => {
    const { through, watch } = await watched();
    const saver = schema.over(through);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    const step = (n: number) =>
      sets.commit(
        claim as Claim,
        change(String(n), n === 1 ? undefined : String(n - 1), {
          messages: { op: "list", segments: [{ add: [message(`answer ${n}`)] }] },
        }),
      );
    await step(1);
    let answer!: () => void;
    const late = new Promise<void>((resolve) => (answer = resolve));
    // what the search knows of the thread comes late
    watch((text) => {
      if (!text.includes("json_agg")) return undefined;
      watch(undefined);
      return late;
    });
    const searching = found(saver);
    await new Promise((resolve) => setTimeout(resolve, 20));
    setTimeout(answer, 50);
    await step(2);
    expect(await searching).toBe(1);
    await step(3);
    await sets.release(claim as Claim);
  });
});

describe("a sweep on PostgreSQL (F7)", () => {
  const schema = schemaPerTest();

  it("keeps a thread to which an answer came since it was listed", async () => {
    const user = schema.open();
    await chat(user, "t", 1);
    const { through, watch } = await watched();
    const sweeper = schema.over(through);
    await sweeper.listThreads();
    let answered: Promise<void> | undefined;
    watch((text) => {
      if (!text.includes("updated DESC")) return undefined;
      // recorded under the head, which stays where it is
      return (answered ??= (async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const sets = user[CHANGE_SETS];
        const { claim, headId } = await sets.open(ROOT, { claim: "fail" });
        const place = { ...ROOT, checkpointId: headId as string };
        await sets.record(claim as Claim, place, [{ taskId: "task", writes: [["__resume__", "Ada"]] }]);
        await sets.release(claim as Claim);
      })());
    });
    expect(await sweeper.sweep({ ttl: 0, now: Date.now() + 60_000 })).toEqual([]);
    expect((await user.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  });
});

it("a saver on PostgreSQL is closed as often as somebody likes", async () => {
  const saver = PostgresSaver.fromConnString(await postgresUrl());
  await saver.close();
  await expect(saver.close()).resolves.toBeUndefined();
});

it("savers that share a pool, and the program that made it, may each close it", async () => {
  const pool = new Pool({ connectionString: await postgresUrl() });
  const savers = [new PostgresSaver(pool), new PostgresSaver(pool, { tenant: "other" })];
  await Promise.all(savers.map((saver) => saver.setup()));
  await Promise.all(savers.map((saver) => saver.close()));
  expect(pool.totalCount).toBe(0);
  const another = new Pool({ connectionString: await postgresUrl() });
  const saver = new PostgresSaver(another);
  await another.end();
  await expect(saver.listThreads()).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("its pool was ended") as string,
  });
  await expect(saver.close()).resolves.toBeUndefined();
});

it("a single client is no pool", async () => {
  const client = new Client({ connectionString: await postgresUrl() });
  expect(() => new PostgresSaver(client as unknown as PostgresPool)).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
  );
});
