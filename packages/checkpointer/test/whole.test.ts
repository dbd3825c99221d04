import Database from "libsql";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { commitChannels } from "./steps.ts";
import { databasePerTest } from "./support/database-per-test.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const database = databasePerTest();
const schema = schemaPerTest();

/** All but `names`: a number of a name is as good for the next who needs it. */
const TABLES = ["threads", "namespaces", "lanes", "items", "checkpoints", "writes"];

const many = (name: string) => Array.from({ length: 20 }, (_, i) => `${name} ${i}`);

/** What a batch of forty items leaves of which one more is refused, and without that one. */
async function leftBy(store: SqliteStore | PostgresStore): Promise<unknown[]> {
  const items = [...many("good"), "bad", ...many("more")];
  const puts = items.map((key) => ({ namespace: ["a"], key, value: { key } }));
  const left = async () => (await store.search(["a"], { limit: 50 })).length;
  const refused = await store.batch(puts).then(
    () => "stored",
    () => "refused",
  );
  const counts = [refused, await left()];
  await store.batch(puts.filter(({ key }) => key !== "bad"));
  return [...counts, await left()];
}

// what a kill leaves of a transaction is what its failure leaves; the parts that a crash could leave do no harm by
// the order in which they are stored, so that the crash matrix would not see them
describe("is stored whole or not at all (I4)", () => {
  it("a step of many items, of which the last row is refused", async () => {
    const db = new Database(database.path);
    const saver = new SqliteSaver(db as never);
    const rows = () => TABLES.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
    const { claim } = saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    const first = { list: { op: "list", segments: [{ add: many("first") }] } } as const;
    const second = {
      list: { op: "list", segments: [{ keep: [0, 20] }, { add: many("second") }] },
      other: { op: "list", segments: [{ add: many("other") }] },
    } as const;
    await commitChannels(saver, claim as Claim, "1", undefined, first);
    const before = rows();
    db.exec(
      `CREATE TRIGGER refuse BEFORE INSERT ON checkpoints BEGIN SELECT RAISE(ABORT, 'by the test'); END`,
    );
    expect(() => commitChannels(saver, claim as Claim, "2", "1", second)).toThrow("by the test");
    expect(rows()).toEqual(before);
    db.exec("DROP TRIGGER refuse");
    await commitChannels(saver, claim as Claim, "2", "1", second);
    const tuple = await saver.getTuple({ configurable: { thread_id: "t" } });
    expect(tuple?.checkpoint.channel_values).toEqual({
      list: [...many("first"), ...many("second")],
      other: many("other"),
    });
    await saver.close();
    db.close();
  });

  it("a batch of a store, one of whose items is refused: SQLite", async () => {
    const db = new Database(database.path);
    const store = new SqliteStore(db as never);
    await store.setup();
    db.exec(
      `CREATE TRIGGER refuse BEFORE INSERT ON store_items WHEN NEW.key = CAST('bad' AS BLOB)
        BEGIN SELECT RAISE(ABORT, 'by the test'); END`,
    );
    expect(await leftBy(store)).toEqual(["refused", 0, 40]);
    await store.stop();
    db.close();
  });

  it("a batch of a store, one of whose items is refused: PostgreSQL", async () => {
    const store = PostgresStore.fromConnString(schema.url, { schema: schema.name });
    await store.setup();
    await schema.sql(`ALTER TABLE "${schema.name}".store_items ADD CHECK (key <> 'bad'::bytea)`);
    expect(await leftBy(store)).toEqual(["refused", 0, 40]);
    await store.stop();
  });
});
