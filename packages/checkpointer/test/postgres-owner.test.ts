import { expect, it } from "vitest";
import { PostgresSaver } from "../src/postgres/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { sharedPool, urlOf } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";
import { at, chat } from "./turns.ts";

const schema = schemaPerTest();

/** A user that may use all tables and owns none. */
async function opened() {
  const owner = schema.open();
  await chat(owner, "t", 2);
  const user = `${schema.name}_user`;
  const pool = await sharedPool();
  await pool.query(`CREATE ROLE ${user} LOGIN`);
  await pool.query(`GRANT USAGE ON SCHEMA "${schema.name}" TO ${user}`);
  // all but MAINTAIN, which servers have from 17 on
  await pool.query(
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema.name}" TO ${user}`,
  );
  const saver = PostgresSaver.fromConnString(urlOf(schema.url, user), { schema: schema.name });
  const drop = async () => {
    await saver.close();
    await pool.query(`DROP OWNED BY ${user} CASCADE`);
    await pool.query(`DROP ROLE ${user}`);
  };
  return { owner, user, pool, saver, drop };
}

const refusal = (tables: RegExp) => ({
  code: "STORAGE_UNAVAILABLE",
  message: expect.stringMatching(tables) as string,
});

it("a clean-up by who does not own the tables says that they were not written anew", async () => {
  const { owner, saver, drop } = await opened();
  await saver.deleteThread("t");
  await expect(saver.cleanUp()).rejects.toMatchObject(refusal(/writes, checkpoints, items.*as the owner/));
  // nothing is broken by it
  expect(await saver.getTuple(at("t"))).toBeUndefined();
  await owner.cleanUp();
  await drop();
});

it("of tables that were sampled before, whose samples only their owner removes, it says the same", async () => {
  const { saver, drop } = await opened();
  await schema.sql(`ALTER TABLE "${schema.name}".items ALTER body SET STATISTICS -1`);
  await expect(saver.cleanUp()).rejects.toMatchObject(refusal(/items.*as the owner/));
  await drop();
});

it("whoever may MAINTAIN the tables cleans up, but where the server has sampled them", async () => {
  const { owner, user, pool, saver, drop } = await opened();
  await pool.query(`GRANT MAINTAIN ON ALL TABLES IN SCHEMA "${schema.name}" TO ${user}`);
  await owner.deleteThread("t");
  await saver.cleanUp();
  // as earlier versions made them
  await schema.sql(`ALTER TABLE "${schema.name}".items ALTER body SET STATISTICS -1`);
  const refused = await saver.cleanUp().catch((error: unknown) => error);
  expect(refused).toMatchObject(
    refusal(/anew: items, .*only the owner.*as the owner.*MAINTAIN is not enough/),
  );
  await owner.cleanUp();
  await saver.cleanUp();
  await drop();
});

it("tables that have another owner than the rest are named", async () => {
  const { owner, user, pool, drop } = await opened();
  const store = PostgresStore.fromConnString(schema.url, { schema: schema.name });
  await store.put(["a"], "k", { text: "x" });
  await store.stop();
  await pool.query(`ALTER TABLE "${schema.name}".items OWNER TO ${user}`);
  await owner.cleanUp();
  await pool.query(`GRANT CREATE ON SCHEMA "${schema.name}" TO ${user}`);
  for (const table of ["writes", "checkpoints", "names", "lanes", "namespaces", "threads"])
    await pool.query(`ALTER TABLE "${schema.name}".${table} OWNER TO ${user}`);
  const saver = PostgresSaver.fromConnString(urlOf(schema.url, user), { schema: schema.name });
  await expect(saver.cleanUp()).rejects.toMatchObject(refusal(/anew: store_items\./));
  await saver.close();
  await drop();
});
