import { expect, it, vi } from "vitest";
import { CHANGE_SETS, type ChannelChange, type Claim } from "../src/index.ts";
import type { PostgresPool, PostgresQuery, PostgresResult, PostgresSaver } from "../src/postgres/index.ts";
import { commitChannels } from "./steps.ts";
import { sharedPool } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();
const ROOT = { threadId: "t", namespace: "" };

const addsNames = (text: string): boolean => text.includes("gen_random_uuid");
const stores = (text: string): boolean => /INSERT INTO \S+checkpoints|\.steps?\(|\.commit\(/.test(text);

type Send = (query: PostgresQuery) => Promise<PostgresResult>;

/** A saver that notes what it sends. @param through - what is to happen to a query instead */
async function noting(
  through: (query: PostgresQuery, send: Send) => Promise<PostgresResult> = (q, send) => send(q),
) {
  const pool = await sharedPool();
  const sent: string[] = [];
  const noted: PostgresPool = {
    query(query) {
      sent.push(query.text);
      return through(query, (given) => pool.query(given));
    },
    connect: () => pool.connect(),
    end: async () => {},
    on: () => {},
  };
  const saver = schema.over(noted);
  await saver.setup();
  return { saver, learned: () => sent.splice(0).filter(addsNames).length, sent };
}

const take = async (saver: PostgresSaver, threadId = "t"): Promise<Claim> =>
  (await saver[CHANGE_SETS].open({ ...ROOT, threadId }, { claim: "fail" })).claim as Claim;

const channels = (names: string, value = 1): Record<string, ChannelChange> =>
  Object.fromEntries([...names].map((name) => [name, { op: "set", value }]));

const numbers = async (): Promise<unknown[]> =>
  (await schema.sql(`SELECT n FROM "${schema.name}".names ORDER BY n`)).map(({ n }) => n);

/** Sends names in a transaction that stays open until another process waits for it. */
function slow() {
  let begun!: () => void;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  const through = async (query: PostgresQuery, send: Send): Promise<PostgresResult> => {
    if (!addsNames(query.text)) return send(query);
    const client = await (await sharedPool()).connect();
    try {
      await client.query("BEGIN");
      const result = await client.query(query);
      begun();
      await vi.waitFor(async () => {
        const waiting = await schema.sql(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema.name}".names%'`,
        );
        expect(waiting).toHaveLength(1);
      });
      await client.query("COMMIT");
      return result as unknown as PostgresResult;
    } finally {
      client.release(true);
    }
  };
  return { through, isBegun };
}

it("processes that add overlapping names at once know all of them soon, and send steps together", async () => {
  const { through, isBegun } = slow();
  const first = await noting(through);
  const second = await noting();
  const [one, two] = [await take(first.saver, "one"), await take(second.saver, "two")];
  const adding = commitChannels(first.saver, one, "1", undefined, channels("p"));
  await isBegun;
  await commitChannels(second.saver, two, "1", undefined, channels("apz"));
  await adding;
  await commitChannels(second.saver, two, "2", "1", channels("apz", 2));
  second.learned();
  await commitChannels(second.saver, two, "3", "2", channels("apz", 3));
  await Promise.all(
    ["4", "5", "6"].map((id, i) => commitChannels(second.saver, two, id, String(i + 3), channels("apz", i))),
  );
  expect(second.sent.filter(stores)).toHaveLength(3);
  expect(second.learned()).toBe(0);
  const found = await numbers();
  expect(found).toEqual(found.map((_, i) => i + 1));
  // the other one learns them with its next thread, and so does a process that begins
  for (const { saver, learned } of [first, await noting()]) {
    learned();
    const threadId = crypto.randomUUID();
    await commitChannels(saver, await take(saver, threadId), "1", undefined, channels("apz"));
    expect(learned()).toBe(0);
    const tuple = await saver.getTuple({ configurable: { thread_id: "two" } });
    expect(tuple?.checkpoint.channel_values).toEqual({ a: 2, p: 2, z: 2 });
  }
});

it("a gap that an earlier version left in the numbers is closed by who first lacks a name behind it", async () => {
  await schema.open().setup();
  await schema.sql(`INSERT INTO "${schema.name}".names VALUES (2, 'p'), (5, 'z');
    INSERT INTO "${schema.name}".meta VALUES ('names', 'mark')`);
  const { saver, learned } = await noting();
  const claim = await take(saver);
  await commitChannels(saver, claim, "1", undefined, channels("pz"));
  expect(learned()).toBe(1);
  await commitChannels(saver, claim, "2", "1", channels("pz", 2));
  expect(learned()).toBe(0);
  expect(await numbers()).toEqual([1, 2, 3, 4, 5]);
  const other = await noting();
  await commitChannels(other.saver, await take(other.saver, "other"), "1", undefined, channels("pz"));
  expect(other.learned()).toBe(0);
  expect(
    (await other.saver.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.channel_values,
  ).toEqual({
    p: 2,
    z: 2,
  });
});

const other = { configurable: { thread_id: "other", checkpoint_ns: "" } };

/** Holds back the answer to a query until it is let go. */
function gate(is: RegExp) {
  let arrive!: () => void;
  let pass!: () => void;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { is, arrive, arrived, pass, passed };
}

const FINDS = /json_agg/;

it.each([
  { which: "a thread", held: [FINDS], read: (saver: PostgresSaver) => saver.getTuple(other) },
  {
    which: "all names",
    // the thread is looked for then, which would bring them as well
    held: [/^SELECT n, name/, FINDS],
    read: async (saver: PostgresSaver) => {
      for await (const tuple of saver.list(other)) return tuple;
      return undefined;
    },
  },
])("an answer with $which that comes late takes nothing away from what was learned since", async (given) => {
  let gates: ReturnType<typeof gate>[] = [];
  const { saver, learned } = await noting(async (query, send) => {
    const answer = await send(query);
    if (gates[0]?.is.test(query.text) !== true) return answer;
    const { arrive, passed } = gates.shift() as ReturnType<typeof gate>;
    arrive();
    await passed;
    return answer;
  });
  const claim = await take(saver);
  await commitChannels(saver, claim, "1", undefined, channels("a"));
  const writer = schema.open();
  await commitChannels(writer, await take(writer, "other"), "1", undefined, channels("b"));
  learned();
  const held = given.held.map(gate);
  gates = [...held];
  const reading = given.read(saver);
  await held[0]?.arrived;
  await commitChannels(saver, claim, "2", "1", channels("abc"));
  expect(learned()).toBe(1);
  held[0]?.pass();
  await (held[1]?.arrived ?? reading);
  await commitChannels(saver, claim, "3", "2", channels("abc", 2));
  expect(learned()).toBe(0);
  held[1]?.pass();
  expect((await reading)?.checkpoint.channel_values).toEqual({ b: 1 });
});
